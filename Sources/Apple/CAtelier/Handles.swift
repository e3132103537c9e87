import CAtelierHeader
import CKernels
import CoreML
import Foundation

/// An error about an argument of a call.
struct CallError: Error {
  let message: String

  init(_ message: String) {
    self.message = message
  }
}

/// Runs the body of a call. Reports an error of the body as a status and a message.
///
/// If a process is forked while another thread is inside a call, all calls in the child process fail. The child has no
/// such thread, so nobody releases the locks that the thread held.
func reporting(
  to sentence: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ body: () throws -> Void
) -> atelier_status {
  guard ck_enter() else {
    sentence?.pointee = strdup(
      "This process was forked while another thread was inside a call of Atelier, so its locks stay locked. Fork while"
        + " no other thread uses Atelier, or start new processes (Python: multiprocessing's 'spawn' or 'forkserver')."
    )
    return atelier_status(ATELIER_GENERIC)
  }
  defer { ck_leave() }
  do {
    try body()
    return atelier_status(ATELIER_SUCCESS)
  } catch let error as MLModelError {
    sentence?.pointee = strdup(error.localizedDescription)
    return atelier_status(error.code == .generic ? ATELIER_GENERIC : error.code.rawValue)
  } catch let error as CallError {
    sentence?.pointee = strdup(error.message)
    return atelier_status(ATELIER_PARAMETERS)
  } catch {
    sentence?.pointee = strdup("\(error)")
    return atelier_status(ATELIER_GENERIC)
  }
}

// Safe: `handle` retains the object once, and `release` releases it. The header atelier.h forbids using a handle after
// its release.

/// Makes a handle that retains the object.
func handle<Object: AnyObject>(_ object: Object) -> OpaquePointer {
  OpaquePointer(Unmanaged.passRetained(object).toOpaque())
}

/// Returns the object of a handle.
func object<Object: AnyObject>(of handle: OpaquePointer) -> Object {
  Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle)).takeUnretainedValue()
}

/// Releases the object of a handle. Does nothing in a child process in which calls fail after a fork: there, freeing
/// the object could wait forever for a lock.
func release<Object: AnyObject>(_ handle: OpaquePointer?, _ type: Object.Type) {
  guard let handle, ck_enter() else { return }
  defer { ck_leave() }
  Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle)).release()
}

/// Checks that an argument is not NULL.
func nonNull<Value>(_ value: Value?, _ name: @autoclosure () -> String) throws -> Value {
  guard let value else { throw CallError("\(name()) is NULL, expected an address.") }
  return value
}

/// Checks an argument that is a count.
func length(_ count: Int64, _ name: @autoclosure () -> String) throws -> Int {
  guard count >= 0 else { throw CallError("\(name()) is \(count), expected 0 or more.") }
  return Int(count)
}
