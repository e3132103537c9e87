import Dispatch

/// What belongs to subscribers.
public enum Subscribers {
  /// How a row of values ends.
  public enum Completion<Failure: Error> {
    /// In order.
    case finished
    /// With an error.
    case failure(Failure)
  }
}

extension Subscribers.Completion: Sendable where Failure: Sendable {}

/// A row of values over time that can be listened to.
///
/// Of Apple's Combine this is what Create ML's jobs need: publishers are of this one type, made by
/// subjects.
public struct AnyPublisher<Output, Failure: Error> {
  /// What a listener is told.
  enum Event {
    case value(Output)
    case completion(Subscribers.Completion<Failure>)
  }

  private let subscribe: (@escaping (Event) -> Void) -> AnyCancellable

  init(subscribe: @escaping (@escaping (Event) -> Void) -> AnyCancellable) {
    self.subscribe = subscribe
  }

  /// Listens to values and to the end, on the thread that they come from.
  ///
  /// - Returns: the subscription; it ends when nobody keeps it.
  public func sink(
    receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
    receiveValue: @escaping (Output) -> Void
  ) -> AnyCancellable {
    subscribe { event in
      switch event {
      case .value(let value): receiveValue(value)
      case .completion(let completion): receiveCompletion(completion)
      }
    }
  }

  /// The publisher itself.
  public func eraseToAnyPublisher() -> AnyPublisher { self }

  /// What the closure makes of each value.
  public func map<Made>(_ transform: @escaping (Output) -> Made) -> AnyPublisher<Made, Failure> {
    compactMap { transform($0) }
  }

  /// What the closure makes of each value, without those of which it makes nil.
  public func compactMap<Made>(_ transform: @escaping (Output) -> Made?) -> AnyPublisher<
    Made, Failure
  > {
    AnyPublisher<Made, Failure> { [subscribe] receive in
      subscribe { event in
        switch event {
        case .value(let value): if let made = transform(value) { receive(.value(made)) }
        case .completion(let completion): receive(.completion(completion))
        }
      }
    }
  }

  /// The same values on a dispatch queue.
  public func receive(on queue: DispatchQueue) -> AnyPublisher {
    AnyPublisher { [subscribe] receive in
      let receiver = Receiver(receive)
      return subscribe { event in
        let parcel = Parcel(event)
        queue.async { receiver.receive(parcel.event) }
      }
    }
  }

  /// Safe: the queue alone calls what is inside, as the caller asked.
  private struct Receiver: @unchecked Sendable {
    let receive: (Event) -> Void
    init(_ receive: @escaping (Event) -> Void) { self.receive = receive }
  }

  /// Safe: handed over once, and touched by the queue alone from then on.
  private struct Parcel: @unchecked Sendable {
    let event: Event
    init(_ event: Event) { self.event = event }
  }
}

extension AnyPublisher where Failure == Never {
  /// Listens to values, on the thread that they come from.
  public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
    sink(receiveCompletion: { _ in }, receiveValue: receiveValue)
  }
}
