import Synchronization

/// A thread-safe flag. Reading the flag clears it.
final class CancellationFlag: Sendable {
  private let isSet = Atomic<Bool>(false)

  func set() { isSet.store(true, ordering: .releasing) }

  func take() -> Bool { isSet.exchange(false, ordering: .acquiring) }
}
