import Glibc

/// A lock that one can wait on: the system's mutex and condition.
///
/// Not Swift's `Mutex`: ThreadSanitizer does not see that one's futex on Linux, and calls everything that
/// it protects a race.
///
/// `@unchecked Sendable`: the system's mutex and condition are made for many threads.
public final class Gate: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  /// An open gate.
  ///
  /// - Parameter isReentrant: whether the thread that is in may enter again; it must not wait then.
  public init(isReentrant: Bool = false) {
    mutex = .allocate(capacity: 1)
    condition = .allocate(capacity: 1)
    // Safe: fresh memory of the right type, freed in deinit; these attributes cannot fail.
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

  /// Lets nobody else in. A thread that is in already stops for ever, unless the gate is reentrant.
  public func lock() { pthread_mutex_lock(mutex) }

  /// Lets the next one in.
  public func unlock() { pthread_mutex_unlock(mutex) }

  /// Lets others in until somebody signals. Call it locked, and look again at what was waited for.
  public func wait() { pthread_cond_wait(condition, mutex) }

  /// Wakes one that waits.
  public func signal() { pthread_cond_signal(condition) }

  /// Calls the closure with nobody else in.
  public func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
    lock()
    defer { unlock() }
    return try body()
  }
}
