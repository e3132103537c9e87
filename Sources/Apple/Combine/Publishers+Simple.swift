import Platform

/// Sends one value and ends.
public struct Just<Output>: Publisher {
  /// No error can occur.
  public typealias Failure = Never
  /// The value.
  public let output: Output

  /// Makes a publisher of one value.
  public init(_ output: Output) { self.output = output }

  /// Attaches a subscriber.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
    Publishers.Sequence<[Output], Never>(sequence: [output]).receive(subscriber: subscriber)
  }
}

/// Sends no value. Ends at once, or never.
public struct Empty<Output, Failure: Error>: Publisher {
  /// Whether the publisher ends at once.
  public let completeImmediately: Bool

  /// Makes a publisher without values.
  public init(completeImmediately: Bool = true) { self.completeImmediately = completeImmediately }

  /// Makes a publisher without values.
  public init(
    completeImmediately: Bool = true, outputType: Output.Type, failureType: Failure.Type
  ) {
    self.completeImmediately = completeImmediately
  }

  /// Attaches a subscriber.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    subscriber.receive(subscription: Subscriptions.empty)
    if completeImmediately { subscriber.receive(completion: .finished) }
  }
}

/// Fails at once.
public struct Fail<Output, Failure: Error>: Publisher {
  /// The error.
  public let error: Failure

  /// Makes a publisher that fails.
  public init(error: Failure) { self.error = error }

  /// Makes a publisher that fails.
  public init(outputType: Output.Type, failure: Failure) { error = failure }

  /// Attaches a subscriber.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    subscriber.receive(subscription: Subscriptions.empty)
    subscriber.receive(completion: .failure(error))
  }
}

/// Makes a new publisher for each subscriber.
public struct Deferred<DeferredPublisher: Publisher>: Publisher {
  /// The type of the values.
  public typealias Output = DeferredPublisher.Output
  /// The type of the error.
  public typealias Failure = DeferredPublisher.Failure
  /// The closure that makes a publisher.
  public let createPublisher: () -> DeferredPublisher

  /// Makes a publisher from a closure.
  public init(createPublisher: @escaping () -> DeferredPublisher) {
    self.createPublisher = createPublisher
  }

  /// Attaches a subscriber.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    createPublisher().subscribe(subscriber)
  }
}

/// Sends the one value of a promise, now or later, to every subscriber.
///
/// `@unchecked Sendable`: a lock protects the state.
public final class Future<Output, Failure: Error>: Publisher, @unchecked Sendable {
  /// The closure that sets the value or the error. Only the first call has an effect.
  public typealias Promise = (Result<Output, Failure>) -> Void

  private struct State {
    var result: Result<Output, Failure>?
    var waiting: [Outlet<Output, Failure>] = []
  }

  private let state: Locked<State> = Locked(State())

  /// Makes a publisher, and at once calls a closure with the promise.
  public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {
    attemptToFulfill { [state] result in
      let waiting: [Outlet<Output, Failure>] = state.withLock { state in
        guard state.result == nil else { return [] }
        state.result = result
        defer { state.waiting = [] }
        return state.waiting
      }
      for outlet in waiting { outlet.send(result) }
    }
  }

  /// Attaches a subscriber.
  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let outlet = Outlet<Output, Failure>(AnySubscriber(subscriber))
    outlet.open()
    let result: Result<Output, Failure>? = state.withLock {
      if $0.result == nil { $0.waiting.append(outlet) }
      return $0.result
    }
    if let result { outlet.send(result) }
  }
}

extension Outlet {
  /// Sends a value and ends, or fails.
  fileprivate func send(_ result: Result<Output, Failure>) {
    switch result {
    case .success(let value):
      offer(value)
      finish(.finished)
    case .failure(let error): finish(.failure(error))
    }
  }
}

extension Publishers {
  /// Sends the elements of a sequence.
  public struct Sequence<Elements: Swift.Sequence, Failure: Error>: Publisher {
    /// The type of the values.
    public typealias Output = Elements.Element
    /// The elements.
    public let sequence: Elements

    /// Makes a publisher of elements.
    public init(sequence: Elements) { self.sequence = sequence }

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let elements = SequenceSubscription<Elements, Failure>(sequence, AnySubscriber(subscriber))
      subscriber.receive(subscription: elements)
      elements.finishIfEmpty()
    }
  }

  private final class SequenceSubscription<Elements: Swift.Sequence, Failure: Error>: Subscription {
    private let gate = Gate(isReentrant: true)
    private var iterator: Elements.Iterator
    private var next: Elements.Element?
    private var subscriber: AnySubscriber<Elements.Element, Failure>?
    private var demand: Subscribers.Demand = .none
    private var isSending: Bool = false

    init(_ elements: Elements, _ subscriber: AnySubscriber<Elements.Element, Failure>) {
      iterator = elements.makeIterator()
      next = iterator.next()
      self.subscriber = subscriber
    }

    func finishIfEmpty() {
      gate.locked { if next == nil { taken(&subscriber)?.receive(completion: .finished) } }
    }

    func request(_ more: Subscribers.Demand) {
      gate.locked {
        demand += more
        guard !isSending else { return }
        isSending = true
        defer { isSending = false }
        while demand > .none, let receiver = subscriber, let value = next {
          next = iterator.next()
          demand -= 1
          demand += receiver.receive(value)
          finishIfEmpty()
        }
      }
    }

    func cancel() { gate.locked { subscriber = nil } }
  }
}

/// A namespace for subscriptions.
public enum Subscriptions {
  private final class Nothing: Subscription, Sendable {
    func request(_ demand: Subscribers.Demand) {}
    func cancel() {}
  }

  /// A subscription without effect.
  public static let empty: any Subscription & Sendable = Nothing()
}

extension Sequence {
  /// A publisher of the elements.
  public var publisher: Publishers.Sequence<Self, Never> { Publishers.Sequence(sequence: self) }
}

extension Optional {
  /// A publisher of the value, or of no value if this is nil.
  public var publisher: Publishers.Sequence<[Wrapped], Never> {
    Publishers.Sequence(sequence: map { [$0] } ?? [])
  }
}

extension Result {
  /// A publisher of the value or the error.
  public var publisher: AnyPublisher<Success, Failure> {
    switch self {
    case .success(let value): Just(value).setFailureType(to: Failure.self).eraseToAnyPublisher()
    case .failure(let error): Fail(error: error).eraseToAnyPublisher()
    }
  }
}
