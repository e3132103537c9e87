import Glibc

/// A lock that many may hold together, or one alone.
///
/// `@unchecked Sendable`: the system's lock is made for many threads.
public final class SharedLock: @unchecked Sendable {
  private let lock: UnsafeMutablePointer<pthread_rwlock_t>

  /// A lock that nobody holds.
  public init() {
    lock = .allocate(capacity: 1)
    var attributes = pthread_rwlockattr_t()
    pthread_rwlockattr_init(&attributes)
    // Who wants to be alone is not kept waiting by those who keep coming.
    pthread_rwlockattr_setkind_np(
      &attributes, CInt(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP))
    // Safe: fresh memory of the right type, freed in deinit.
    pthread_rwlock_init(lock, &attributes)
    pthread_rwlockattr_destroy(&attributes)
  }

  deinit {
    pthread_rwlock_destroy(lock)
    lock.deallocate()
  }

  /// Calls the closure beside others; not from within another call of the same lock.
  public func together<Result>(_ body: () throws -> Result) rethrows -> Result {
    pthread_rwlock_rdlock(lock)
    defer { pthread_rwlock_unlock(lock) }
    return try body()
  }

  /// Calls the closure when nobody else is in, and lets nobody in meanwhile.
  public func alone<Result>(_ body: () throws -> Result) rethrows -> Result {
    pthread_rwlock_wrlock(lock)
    defer { pthread_rwlock_unlock(lock) }
    return try body()
  }
}
