import Glibc

/// A readers–writer lock.
///
/// `@unchecked Sendable`: the system's lock is thread-safe.
public final class SharedLock: @unchecked Sendable {
  private let lock: UnsafeMutablePointer<pthread_rwlock_t>

  /// Creates an unlocked lock.
  public init() {
    lock = .allocate(capacity: 1)
    var attributes = pthread_rwlockattr_t()
    pthread_rwlockattr_init(&attributes)
    // Writers have priority, so that new readers cannot delay a writer forever.
    pthread_rwlockattr_setkind_np(
      &attributes, CInt(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP))
    // Safe: the memory is new, of the right type, and freed in deinit.
    pthread_rwlock_init(lock, &attributes)
    pthread_rwlockattr_destroy(&attributes)
  }

  deinit {
    pthread_rwlock_destroy(lock)
    lock.deallocate()
  }

  /// Calls the closure while the lock is held for reading. Must not be nested within another call on the same lock.
  public func together<Result>(_ body: () throws -> Result) rethrows -> Result {
    pthread_rwlock_rdlock(lock)
    defer { pthread_rwlock_unlock(lock) }
    return try body()
  }

  /// Calls the closure while the lock is held for writing.
  public func alone<Result>(_ body: () throws -> Result) rethrows -> Result {
    pthread_rwlock_wrlock(lock)
    defer { pthread_rwlock_unlock(lock) }
    return try body()
  }
}
