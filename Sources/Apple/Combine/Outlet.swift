import Platform

/// Sends the values of several sources, or of another thread, to one subscriber. Sends one value at a time, in order,
/// and only as many as the subscriber requested. Other values wait.
///
/// `@unchecked Sendable`: a lock protects the state.
final class Outlet<Output, Failure: Error>: Subscription, @unchecked Sendable {
  // Reentrant, because the subscriber may request or cancel while it gets a value.
  private let gate = Gate(isReentrant: true)
  private var downstream: AnySubscriber<Output, Failure>?
  private var demand: Subscribers.Demand = .none
  private var waiting: [Output] = []
  private var completion: Subscribers.Completion<Failure>?
  private var isSending: Bool = false
  private var sources: [any Cancellable] = []

  init(_ downstream: AnySubscriber<Output, Failure>) { self.downstream = downstream }

  /// Ends a source when the subscription ends.
  func keep(_ source: any Cancellable) {
    let isOpen: Bool = gate.locked {
      if downstream != nil { sources.append(source) }
      return downstream != nil
    }
    if !isOpen { source.cancel() }
  }

  /// Releases a source that has ended.
  func release(_ source: AnyCancellable) {
    gate.locked { sources.removeAll { ($0 as? AnyCancellable) === source } }
  }

  /// Passes the subscription to the subscriber.
  func open() { gate.locked { downstream }?.receive(subscription: self) }

  func offer(_ value: Output) {
    gate.locked {
      guard downstream != nil, completion == nil else { return }
      waiting.append(value)
      sendWaiting()
    }
  }

  func finish(_ end: Subscribers.Completion<Failure>) {
    gate.locked {
      guard completion == nil else { return }
      completion = end
      if case .failure = end { waiting = [] }
      sendWaiting()
    }
  }

  func request(_ more: Subscribers.Demand) {
    gate.locked {
      demand += more
      sendWaiting()
    }
  }

  func cancel() {
    let ended: [any Cancellable] = gate.locked {
      downstream = nil
      waiting = []
      defer { sources = [] }
      return sources
    }
    for source in ended { source.cancel() }
  }

  /// Sends the values that the subscriber requested. The caller must hold the lock.
  private func sendWaiting() {
    guard !isSending else { return }
    isSending = true
    defer { isSending = false }
    while let receiver = downstream, !waiting.isEmpty, demand > .none {
      demand -= 1
      demand += receiver.receive(waiting.removeFirst())
    }
    if waiting.isEmpty, let completion, let receiver = taken(&downstream) {
      let ended: [any Cancellable] = sources
      sources = []
      receiver.receive(completion: completion)
      for source in ended { source.cancel() }
    }
  }
}

extension Publishers {
  /// A publisher that starts its sources anew for each subscriber.
  public struct Joined<Output, Failure: Error>: Publisher {
    let start: (Outlet<Output, Failure>) -> Void

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let outlet = Outlet<Output, Failure>(AnySubscriber(subscriber))
      outlet.open()
      start(outlet)
    }
  }
}
