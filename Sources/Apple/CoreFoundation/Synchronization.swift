// Objective-C's locks of objects. Foundation exports them on Apple's systems.

/// The recursive locks of the objects that are locked now, with the number of threads that use or await each.
private final class ObjectLocks: @unchecked Sendable {
  // Sendable: `guardian` protects the table.
  static let shared = ObjectLocks()

  private let guardian = NSLock()
  private var locks: [ObjectIdentifier: (lock: NSRecursiveLock, users: Int)] = [:]

  func enter(_ object: ObjectIdentifier) {
    let lock: NSRecursiveLock = guardian.withLock {
      var entry = locks[object] ?? (NSRecursiveLock(), 0)
      entry.users += 1
      locks[object] = entry
      return entry.lock
    }
    lock.lock()
  }

  func exit(_ object: ObjectIdentifier) -> Bool {
    let lock: NSRecursiveLock? = guardian.withLock {
      guard var entry = locks[object] else { return nil }
      entry.users -= 1
      locks[object] = entry.users == 0 ? nil : entry
      return entry.lock
    }
    lock?.unlock()
    return lock != nil
  }
}

/// Locks an object for this thread. A thread may lock an object several times.
///
/// - Returns: 0.
@discardableResult
public func objc_sync_enter(_ object: Any) -> Int32 {
  ObjectLocks.shared.enter(ObjectIdentifier(object as AnyObject))
  return 0
}

/// Unlocks an object that this thread locked.
///
/// - Returns: 0, or −1 if the object is not locked.
@discardableResult
public func objc_sync_exit(_ object: Any) -> Int32 {
  ObjectLocks.shared.exit(ObjectIdentifier(object as AnyObject)) ? 0 : -1
}
