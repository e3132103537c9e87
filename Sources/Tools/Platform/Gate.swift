import Glibc

/// A lock with a condition variable, made of the system's mutex and condition.
///
/// Swift's `Mutex` is not used: on Linux, ThreadSanitizer does not see the mutex's futex, and reports a race for
/// everything that the mutex protects.
///
/// `@unchecked Sendable`: the system's mutex and condition are thread-safe.
public final class Gate: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  /// Creates an unlocked gate.
  ///
  /// - Parameter isReentrant: Whether the thread that holds the lock may lock it again. While it holds the lock twice,
  ///   it must not call ``wait()``.
  public init(isReentrant: Bool = false) {
    mutex = .allocate(capacity: 1)
    condition = .allocate(capacity: 1)
    // Safe: the memory is new, of the right type, and freed in deinit. Setting these attributes cannot fail.
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    let type = isReentrant ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_DEFAULT
    pthread_mutexattr_settype(&attributes, numericCast(type))
    pthread_mutex_init(mutex, &attributes)
    pthread_mutexattr_destroy(&attributes)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Acquires the lock. Blocks forever if this thread holds the lock already, unless the gate is reentrant.
  public func lock() { pthread_mutex_lock(mutex) }

  /// Releases the lock.
  public func unlock() { pthread_mutex_unlock(mutex) }

  /// Releases the lock, waits for a signal, and acquires the lock again. The caller must hold the lock, and must check
  /// its condition again afterwards.
  public func wait() { pthread_cond_wait(condition, mutex) }

  /// Wakes one thread that waits.
  public func signal() { pthread_cond_signal(condition) }

  /// Acquires the lock, calls the closure, and releases the lock.
  public func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
    lock()
    defer { unlock() }
    return try body()
  }
}
