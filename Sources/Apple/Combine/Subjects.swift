import Platform

/// Publishes the values that `send(_:)` passes to it. A subscriber gets the values that are sent after it subscribed.
/// It gets the completion even if the subject sent the completion before the subscription. Values that a subscriber
/// has not requested are lost.
///
/// `@unchecked Sendable`: a lock protects the state.
public final class PassthroughSubject<Output, Failure: Error>: Subject, @unchecked Sendable {
  private let conduits = Conduits<Output, Failure>(latest: nil)

  /// Makes a subject without subscribers.
  public init() {}

  /// Sends a value to all subscribers. Has no effect after the completion.
  public func send(_ value: Output) { conduits.send(value) }

  /// Sends the completion to all subscribers.
  public func send(completion: Subscribers.Completion<Failure>) { conduits.send(completion) }

  /// Requests all values of a publisher.
  public func send(subscription: any Subscription) { subscription.request(.unlimited) }

  /// Attaches a subscriber.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    conduits.attach(AnySubscriber(subscriber), sendsLatest: false)
  }
}

/// Publishes its value and each later value.
///
/// `@unchecked Sendable`: a lock protects the state.
public final class CurrentValueSubject<Output, Failure: Error>: Subject, @unchecked Sendable {
  private let conduits: Conduits<Output, Failure>
  private let first: Output

  /// Makes a subject with a first value.
  public init(_ value: Output) {
    first = value
    conduits = Conduits(latest: value)
  }

  /// The latest value. Setting the property sends the value.
  public var value: Output {
    get { conduits.latest ?? first }
    set { send(newValue) }
  }

  /// Sends a value to all subscribers. Has no effect after the completion.
  public func send(_ value: Output) { conduits.send(value) }

  /// Sends the completion to all subscribers.
  public func send(completion: Subscribers.Completion<Failure>) { conduits.send(completion) }

  /// Requests all values of a publisher.
  public func send(subscription: any Subscription) { subscription.request(.unlimited) }

  /// Attaches a subscriber, which gets the latest value at once, or the completion.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    conduits.attach(AnySubscriber(subscriber), sendsLatest: true)
  }
}

/// The subscriptions of a subject.
///
/// `@unchecked Sendable`: a lock protects the state.
private final class Conduits<Output, Failure: Error>: @unchecked Sendable {
  private struct State {
    var latest: Output?
    var completion: Subscribers.Completion<Failure>?
    var all: [Conduit<Output, Failure>] = []
  }

  private let state: Locked<State>

  init(latest: Output?) { state = Locked(State(latest: latest)) }

  var latest: Output? { state.withLock { $0.latest } }

  func send(_ value: Output) {
    let all: [Conduit<Output, Failure>] = state.withLock {
      guard $0.completion == nil else { return [] }
      if $0.latest != nil { $0.latest = value }
      return $0.all
    }
    for conduit in all { conduit.offer(value) }
  }

  func send(_ completion: Subscribers.Completion<Failure>) {
    let all: [Conduit<Output, Failure>] = state.withLock { state in
      guard state.completion == nil else { return [] }
      state.completion = completion
      defer { state.all = [] }
      return state.all
    }
    for conduit in all { conduit.finish(completion) }
  }

  func attach(_ subscriber: AnySubscriber<Output, Failure>, sendsLatest: Bool) {
    let conduit = Conduit<Output, Failure>(subscriber, owner: self)
    let completion: Subscribers.Completion<Failure>? = state.withLock {
      if $0.completion == nil { $0.all.append(conduit) }
      if sendsLatest { conduit.pending = $0.latest }
      return $0.completion
    }
    if let completion {
      conduit.pending = nil
      subscriber.receive(subscription: conduit)
      conduit.finish(completion)
    } else {
      subscriber.receive(subscription: conduit)
    }
  }

  func remove(_ conduit: Conduit<Output, Failure>) {
    state.withLock { $0.all.removeAll { $0 === conduit } }
  }
}

/// The subscription of one subscriber to a subject.
private final class Conduit<Output, Failure: Error>: Subscription {
  // The reentrant lock also serialises the calls of the subscriber, which may request or cancel inside them.
  private let gate = Gate(isReentrant: true)
  private var subscriber: AnySubscriber<Output, Failure>?
  private let owner: Conduits<Output, Failure>
  private var demand: Subscribers.Demand = .none
  /// The latest value of a `CurrentValueSubject` that the subscriber has not requested yet.
  var pending: Output?

  init(_ subscriber: AnySubscriber<Output, Failure>, owner: Conduits<Output, Failure>) {
    self.subscriber = subscriber
    self.owner = owner
  }

  func offer(_ value: Output) {
    gate.locked {
      guard let subscriber else { return }
      guard demand > .none else {
        if owner.latest != nil { pending = value }
        return
      }
      pending = nil
      demand -= 1
      demand += subscriber.receive(value)
    }
  }

  func finish(_ completion: Subscribers.Completion<Failure>) {
    gate.locked { taken(&subscriber)?.receive(completion: completion) }
  }

  func request(_ more: Subscribers.Demand) {
    gate.locked {
      demand += more
      if demand > .none, let value = taken(&pending) { offer(value) }
    }
  }

  func cancel() {
    gate.locked {
      subscriber = nil
      pending = nil
    }
    owner.remove(self)
  }
}
