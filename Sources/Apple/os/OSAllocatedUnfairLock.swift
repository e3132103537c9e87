/// A lock on the heap, with the state that it protects.
///
/// `@unchecked Sendable`: the state is only used under the lock.
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
  /// The condition that a precondition checks for the calling thread.
  public enum Ownership: Hashable, Sendable {
    /// The thread holds the lock.
    case owner
    /// The thread does not hold the lock.
    case notOwner
  }

  /// The memory of the lock and of the state. `ManagedBuffer` keeps both at one address.
  private final class Storage: ManagedBuffer<State, os_unfair_lock> {
    deinit {
      // Safe: `init(uncheckedState:)` initialised one lock.
      withUnsafeMutablePointerToElements { _ = $0.deinitialize(count: 1) }
    }
  }

  private let storage: ManagedBuffer<State, os_unfair_lock>

  /// Makes an unlocked lock. The caller must not use the state elsewhere.
  public init(uncheckedState initialState: State) {
    storage = Storage.create(minimumCapacity: 1) { buffer in
      // Safe: the buffer has room for one lock.
      buffer.withUnsafeMutablePointerToElements { $0.initialize(to: os_unfair_lock()) }
      return initialState
    }
  }

  /// Makes an unlocked lock.
  public init(initialState: State) where State: Sendable { self.init(uncheckedState: initialState) }

  /// Acquires the lock, calls the closure with the state, and releases the lock.
  public func withLock<R>(_ body: @Sendable (inout State) throws -> R) rethrows -> R
  where R: Sendable {
    try withLockUnchecked(body)
  }

  /// Acquires the lock, calls the closure with the state, and releases the lock. The compiler does not check whether
  /// the closure passes parts of the state to other code.
  public func withLockUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R {
    // Safe: the pointers are valid during the call, and the lock excludes other threads.
    try storage.withUnsafeMutablePointers { state, lock in
      os_unfair_lock_lock(lock)
      defer { os_unfair_lock_unlock(lock) }
      return try body(&state.pointee)
    }
  }

  /// Does the same as `withLock(_:)` if the lock is free. Returns nil otherwise.
  public func withLockIfAvailable<R>(_ body: @Sendable (inout State) throws -> R) rethrows -> R?
  where R: Sendable {
    try withLockIfAvailableUnchecked(body)
  }

  /// Does the same as `withLockUnchecked(_:)` if the lock is free. Returns nil otherwise.
  public func withLockIfAvailableUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R? {
    // Safe: as in withLockUnchecked.
    try storage.withUnsafeMutablePointers { state, lock in
      guard os_unfair_lock_trylock(lock) else { return nil }
      defer { os_unfair_lock_unlock(lock) }
      return try body(&state.pointee)
    }
  }

  /// Ends the process if the calling thread does not meet the condition.
  public func precondition(_ condition: Ownership) {
    withLockPointer {
      switch condition {
      case .owner: os_unfair_lock_assert_owner($0)
      case .notOwner: os_unfair_lock_assert_not_owner($0)
      }
    }
  }

  private func withLockPointer<R>(_ body: (UnsafeMutablePointer<os_unfair_lock>) -> R) -> R {
    // Safe: the buffer holds one lock.
    storage.withUnsafeMutablePointerToElements { body($0) }
  }
}

extension OSAllocatedUnfairLock where State == Void {
  /// Makes an unlocked lock without state.
  public init() { self.init(uncheckedState: ()) }

  /// Acquires the lock. The same thread must release it.
  public func lock() { withLockPointer { os_unfair_lock_lock($0) } }

  /// Releases the lock.
  public func unlock() { withLockPointer { os_unfair_lock_unlock($0) } }

  /// Acquires the lock if it is free. Returns whether it was free.
  public func lockIfAvailable() -> Bool { withLockPointer { os_unfair_lock_trylock($0) } }

  /// Acquires the lock, calls the closure, and releases the lock.
  public func withLock<R>(_ body: @Sendable () throws -> R) rethrows -> R where R: Sendable {
    try withLockUnchecked(body)
  }

  /// Acquires the lock, calls the closure, and releases the lock.
  public func withLockUnchecked<R>(_ body: () throws -> R) rethrows -> R {
    lock()
    defer { unlock() }
    return try body()
  }

  /// Does the same as `withLock(_:)` if the lock is free. Returns nil otherwise.
  public func withLockIfAvailable<R>(_ body: @Sendable () throws -> R) rethrows -> R?
  where R: Sendable {
    guard lockIfAvailable() else { return nil }
    defer { unlock() }
    return try body()
  }
}
