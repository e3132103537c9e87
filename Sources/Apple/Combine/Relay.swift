import Platform

/// The step that an operator takes for one value.
public enum RelayStep<Output, Failure: Error> {
  /// Sends a value on.
  case send(Output)
  /// Sends nothing.
  case skip
  /// Sends the value, if it is not nil, and ends.
  case end(Output?, Subscribers.Completion<Failure>)
}

/// The closures of an operator for one subscription.
public struct RelaySteps<Input, InputFailure: Error, Output, Failure: Error> {
  let onValue: (Input) -> RelayStep<Output, Failure>
  let onCompletion:
    (Subscribers.Completion<InputFailure>) -> (Output?, Subscribers.Completion<Failure>)
  /// Whether the operator needs all values to make its one result.
  var isAggregate: Bool = false
}

extension Publishers {
  /// A publisher that applies an operator to each value of another publisher.
  public struct Transformed<Upstream: Publisher, Output, Failure: Error>: Publisher {
    /// The publisher of the values.
    public let upstream: Upstream
    let makeSteps: () -> RelaySteps<Upstream.Output, Upstream.Failure, Output, Failure>

    /// Attaches a subscriber.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.subscribe(
        Relay<Upstream.Output, Upstream.Failure, Output, Failure>(
          AnySubscriber(subscriber), makeSteps()))
    }
  }

  /// The publisher that `map(_:)` makes.
  public typealias Map<Upstream: Publisher, Output> = Transformed<
    Upstream, Output, Upstream.Failure
  >
  /// The publisher that `compactMap(_:)` makes.
  public typealias CompactMap<Upstream: Publisher, Output> = Transformed<
    Upstream, Output, Upstream.Failure
  >
  /// The publisher that `tryMap(_:)` makes.
  public typealias TryMap<Upstream: Publisher, Output> = Transformed<Upstream, Output, any Error>
  /// The publisher that `filter(_:)` makes.
  public typealias Filter<Upstream: Publisher> = Transformed<
    Upstream, Upstream.Output, Upstream.Failure
  >
  /// The publisher that `mapError(_:)` makes.
  public typealias MapError<Upstream: Publisher, Failure: Error> = Transformed<
    Upstream, Upstream.Output, Failure
  >
}

/// Receives values, applies the steps of an operator, and sends the results.
final class Relay<Input, InputFailure: Error, Output, OutputFailure: Error>: Subscriber,
  Subscription
{
  typealias Failure = InputFailure

  private let gate = Gate()
  private var downstream: AnySubscriber<Output, OutputFailure>?
  private var upstream: (any Subscription)?
  private var demand: Subscribers.Demand = .none
  /// The result of an aggregate that waits for the subscriber's request, and the end.
  private var result: (Output?, Subscribers.Completion<OutputFailure>)?
  private let steps: RelaySteps<Input, InputFailure, Output, OutputFailure>

  init(
    _ downstream: AnySubscriber<Output, OutputFailure>,
    _ steps: RelaySteps<Input, InputFailure, Output, OutputFailure>
  ) {
    self.downstream = downstream
    self.steps = steps
  }

  func receive(subscription: any Subscription) {
    let receiver: AnySubscriber<Output, OutputFailure>? = gate.locked {
      guard upstream == nil else { return nil }
      upstream = subscription
      return downstream
    }
    guard let receiver else { return subscription.cancel() }
    receiver.receive(subscription: self)
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    guard let receiver = gate.locked({ downstream }) else { return .none }
    switch steps.onValue(input) {
    case .send(let value):
      return receiver.receive(value)
    case .skip:
      return steps.isAggregate ? .none : .max(1)
    case .end(let value, let completion):
      gate.locked { taken(&upstream) }?.cancel()
      finish(value, completion)
      return .none
    }
  }

  func receive(completion: Subscribers.Completion<InputFailure>) {
    gate.locked { upstream = nil }
    let (value, end) = steps.onCompletion(completion)
    finish(value, end)
  }

  private func finish(_ value: Output?, _ completion: Subscribers.Completion<OutputFailure>) {
    let receiver: AnySubscriber<Output, OutputFailure>? = gate.locked {
      if value != nil, demand == .none {
        result = (value, completion)
        return nil
      }
      return taken(&downstream)
    }
    guard let receiver else { return }
    if let value { _ = receiver.receive(value) }
    receiver.receive(completion: completion)
  }

  func request(_ more: Subscribers.Demand) {
    let (source, waiting) = gate.locked {
      let isFirst: Bool = demand == .none
      demand += more
      return (isFirst || !steps.isAggregate ? upstream : nil, taken(&result))
    }
    if let (value, completion) = waiting { return finish(value, completion) }
    guard more > .none else { return }
    source?.request(steps.isAggregate ? .unlimited : more)
  }

  func cancel() {
    let source: (any Subscription)? = gate.locked {
      downstream = nil
      result = nil
      return taken(&upstream)
    }
    source?.cancel()
  }
}
