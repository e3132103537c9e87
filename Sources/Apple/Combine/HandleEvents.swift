extension Publishers {
  /// A publisher that calls closures at the events of a subscription.
  public struct HandleEvents<Upstream: Publisher>: Publisher {
    /// The type of the values.
    public typealias Output = Upstream.Output
    /// The type of the error.
    public typealias Failure = Upstream.Failure

    /// The publisher of the values.
    public let upstream: Upstream
    /// Called with the subscription.
    public var receiveSubscription: ((any Subscription) -> Void)?
    /// Called with each value.
    public var receiveOutput: ((Output) -> Void)?
    /// Called with the end.
    public var receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)?
    /// Called when the subscriber cancels.
    public var receiveCancel: (() -> Void)?
    /// Called when the subscriber requests values.
    public var receiveRequest: ((Subscribers.Demand) -> Void)?

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let events = self
      upstream.subscribe(
        AnySubscriber<Output, Failure>(
          receiveSubscription: { subscription in
            events.receiveSubscription?(subscription)
            subscriber.receive(subscription: Watched(subscription: subscription, events: events))
          },
          receiveValue: { value in
            events.receiveOutput?(value)
            return subscriber.receive(value)
          },
          receiveCompletion: { completion in
            events.receiveCompletion?(completion)
            subscriber.receive(completion: completion)
          }))
    }
  }

  private final class Watched<Upstream: Publisher>: Subscription {
    private let subscription: any Subscription
    private let events: HandleEvents<Upstream>

    init(subscription: any Subscription, events: HandleEvents<Upstream>) {
      self.subscription = subscription
      self.events = events
    }

    func request(_ demand: Subscribers.Demand) {
      events.receiveRequest?(demand)
      subscription.request(demand)
    }

    func cancel() {
      events.receiveCancel?()
      subscription.cancel()
    }
  }
}

extension Publisher {
  /// Prints the events of a subscription to standard output.
  public func print(_ prefix: String = "") -> Publishers.HandleEvents<Self> {
    let start: String = prefix.isEmpty ? "" : prefix + ": "
    func write(_ line: String) { Swift.print(start + line) }
    return handleEvents(
      receiveSubscription: { write("receive subscription: (\($0))") },
      receiveOutput: { write("receive value: (\($0))") },
      receiveCompletion: { completion in
        switch completion {
        case .finished: write("receive finished")
        case .failure(let error): write("receive error: (\(error))")
        }
      }, receiveCancel: { write("receive cancel") },
      receiveRequest: { write("request \($0)") })
  }
}
