import Synchronization

/// A flag that any thread may set, and that is cleared when it is seen.
final class CancellationFlag: Sendable {
  private let isSet = Atomic<Bool>(false)

  func set() { isSet.store(true, ordering: .releasing) }

  func take() -> Bool { isSet.exchange(false, ordering: .acquiring) }
}
