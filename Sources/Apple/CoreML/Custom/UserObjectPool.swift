import Engine
import Glibc
import Platform

/// Objects of the user's class, of which none is called from two threads at once.
///
/// Calls that come one after the other get the first object. A call that comes while all are busy on other threads gets
/// a new one; a call from within a call gets the object that this thread is in. No lock is held while user code runs:
/// it may predict with the model that it belongs to.
///
/// `@unchecked Sendable`: the lists are touched under the lock, and an object by the thread that has taken it.
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

  /// A pool with one object.
  ///
  /// - Parameter make: makes one more, and the first one now.
  package init(_ make: @escaping () throws -> Object) throws {
    self.make = make
    idle = [Entry(number: 0, object: try make())]
  }

  /// Calls the closure with an object that no other thread has.
  ///
  /// - Throws: what the closure throws, or what making one more object throws.
  package func use<Result>(_ body: (Object) throws -> Result) throws -> Result {
    let thread: pthread_t = pthread_self()
    if let own = gate.locked({ busy.first { $0.thread == thread }?.entry.object }) {
      return try body(own)
    }
    let entry: Entry = try gate.locked(takeIdle) ?? Entry(number: nextNumber(), object: make())
    gate.locked { busy.append((thread, entry)) }
    defer { giveBack(entry, from: thread) }
    return try body(entry.object)
  }

  private func nextNumber() -> Int {
    gate.locked {
      madeCount += 1
      return madeCount - 1
    }
  }

  /// The oldest object that is free, so that calls one after the other see one object.
  private func takeIdle() -> Entry? {
    let place: Int? = idle.indices.min { idle[$0].number < idle[$1].number }
    return place.map { idle.remove(at: $0) }
  }

  private func giveBack(_ entry: Entry, from thread: pthread_t) {
    gate.locked {
      busy.removeAll { $0.thread == thread }
      // As many as run at the same time with profit; user code that goes does so outside of the lock.
      if entry.number == 0 || idle.count < Int(Processor.threadCount) { idle.append(entry) }
    }
  }
}
