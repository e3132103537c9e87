import Platform

/// A queue between one producing and one consuming thread. The producer waits while the queue is full, the consumer while
/// it is empty.
///
/// `@unchecked Sendable`: the gate protects all state. The producer does not use an element after adding it.
final class BoundedQueue<Element>: @unchecked Sendable {
  private let gate = Gate()
  private let limit: Int
  private var elements: [Element] = []
  private var isEnded = false
  private var isStopped = false
  private var failure: (any Error)?

  init(limit: Int) { self.limit = limit }

  /// Adds an element. Returns false if the consumer has stopped.
  func add(_ element: Element) -> Bool {
    gate.lock()
    defer { gate.unlock() }
    while elements.count >= limit, !isStopped { gate.wait() }
    guard !isStopped else { return false }
    elements.append(element)
    gate.signal()
    return true
  }

  /// Ends the queue: no element follows. If the reason is an error, the consumer's ``take()`` throws it.
  func end(_ error: (any Error)? = nil) {
    gate.locked {
      isEnded = true
      failure = error
    }
    gate.signal()
  }

  /// Stops the producer: the consumer takes no further element.
  func stop() {
    gate.locked {
      isStopped = true
      elements = []
    }
    gate.signal()
  }

  /// Takes the next element. Returns nil after the last one. Throws the producer's error.
  func take() throws -> Element? {
    gate.lock()
    defer { gate.unlock() }
    while elements.isEmpty, !isEnded { gate.wait() }
    if !elements.isEmpty {
      let element: Element = elements.removeFirst()
      gate.signal()
      return element
    }
    if let failure { throw failure }
    return nil
  }
}
