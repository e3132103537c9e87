import CAtelierHeader
import CKernels
import CoreML
import Foundation

/// A wrong argument of a call.
struct CallError: Error {
  let message: String

  init(_ message: String) {
    self.message = message
  }
}

/// Runs the body of a call and reports what it throws in C's way.
///
/// In the child of a fork that another thread's call was interrupted by, no call begins: locks are held there for ever.
func reporting(
  to sentence: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ body: () throws -> Void
) -> atelier_status {
  guard ck_enter() else {
    sentence?.pointee = strdup(
      "This process was forked while another thread was inside a call of Atelier, which never ends here. Fork while"
        + " no other thread uses Atelier, or start processes anew (Python: multiprocessing's 'spawn' or 'forkserver')."
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

// Safe: a handle holds one count of its object, from `handle` to `release`; the header asks callers
// not to use it afterwards.

/// A handle that keeps the object alive.
func handle<Object: AnyObject>(_ object: Object) -> OpaquePointer {
  OpaquePointer(Unmanaged.passRetained(object).toOpaque())
}

/// The object that a handle keeps alive.
func object<Object: AnyObject>(behind handle: OpaquePointer) -> Object {
  Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle)).takeUnretainedValue()
}

/// Lets go of the object; in a process that begins no calls any more, it stays: to free it might wait for ever.
func release<Object: AnyObject>(_ handle: OpaquePointer?, _ type: Object.Type) {
  guard let handle, ck_enter() else { return }
  defer { ck_leave() }
  Unmanaged<Object>.fromOpaque(UnsafeRawPointer(handle)).release()
}

/// An argument that must not be NULL.
func given<Value>(_ value: Value?, _ name: @autoclosure () -> String) throws -> Value {
  guard let value else { throw CallError("\(name()) is NULL, expected an address.") }
  return value
}

/// An argument that counts something.
func length(_ count: Int64, _ name: @autoclosure () -> String) throws -> Int {
  guard count >= 0 else { throw CallError("\(name()) is \(count), expected 0 or more.") }
  return Int(count)
}
