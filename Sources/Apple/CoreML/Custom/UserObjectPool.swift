import Engine
import Glibc
import Platform

/// A pool of objects of a user's class. Two threads never call the same object at once.
///
/// Sequential calls use the first object. A call makes a new object if other threads use all existing objects. A nested
/// call uses the object that the outer call on this thread uses. The pool holds no lock while user code runs, because
/// user code may predict with the model that contains the object.
///
/// `@unchecked Sendable`: the lists are only used under the lock. Only the thread that took an object uses that object.
package final class UserObjectPool<Object>: @unchecked Sendable {
  private struct Entry {
    let number: Int
    let object: Object
  }

  private let make: () throws -> Object
  private let gate = Gate()
  private var idle: [Entry]
  private var busy: [(thread: pthread_t, entry: Entry)] = []
  private var madeCount = 1

  /// Makes a pool with one object.
  ///
  /// - Parameter make: The function that makes an object. The initialiser calls this function once, and ``use(_:)``
  ///   calls it whenever all objects are busy.
  package init(_ make: @escaping () throws -> Object) throws {
    self.make = make
    idle = [Entry(number: 0, object: try make())]
  }

  /// Calls the closure with an object that no other thread uses.
  ///
  /// - Throws: The error of the closure, or the error of making an object.
  package func use<Result>(_ body: (Object) throws -> Result) throws -> Result {
    let thread: pthread_t = pthread_self()
    if let own = gate.locked({ busy.first { $0.thread == thread }?.entry.object }) {
      return try body(own)
    }
    let entry: Entry = try gate.locked(takeIdle) ?? Entry(number: nextNumber(), object: make())
    gate.locked { busy.append((thread, entry)) }
    defer { release(entry, from: thread) }
    return try body(entry.object)
  }

  private func nextNumber() -> Int {
    gate.locked {
      madeCount += 1
      return madeCount - 1
    }
  }

  /// Removes the oldest idle object from the list and returns it. Sequential calls therefore use the same object.
  private func takeIdle() -> Entry? {
    let index: Int? = idle.indices.min { idle[$0].number < idle[$1].number }
    return index.map { idle.remove(at: $0) }
  }

  private func release(_ entry: Entry, from thread: pthread_t) {
    gate.locked {
      busy.removeAll { $0.thread == thread }
      // Keeps at most one idle object per thread of the processor, besides the first object. Any other object is freed
      // after the lock is released.
      if entry.number == 0 || idle.count < Int(Processor.threadCount) { idle.append(entry) }
    }
  }
}
