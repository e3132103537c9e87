/// A publisher that is told what to publish; listeners hear what comes after they began to listen,
/// and the end also when it was before.
///
/// `@unchecked Sendable`: everything is touched under the lock.
public class PassthroughSubject<Output, Failure: Error>: @unchecked Sendable {
  private typealias Event = AnyPublisher<Output, Failure>.Event
  private let lock = Lock()
  private var listeners: [Int: (Event) -> Void] = [:]
  private var nextNumber: Int = 0
  private var end: Subscribers.Completion<Failure>?
  /// What a new listener hears first.
  fileprivate var latest: Output?

  /// A subject without listeners.
  public init() {}

  /// Tells all listeners a value; nothing behind the end.
  public func send(_ value: Output) {
    lock.withLock {
      guard end == nil else { return }
      keep(value)
      for number in listeners.keys.sorted() { listeners[number]?(.value(value)) }
    }
  }

  /// Tells all listeners the end.
  public func send(completion: Subscribers.Completion<Failure>) {
    lock.withLock {
      guard end == nil else { return }
      end = completion
      let all = listeners
      listeners = [:]
      for number in all.keys.sorted() { all[number]?(.completion(completion)) }
    }
  }

  /// The publisher of what is sent.
  public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> {
    AnyPublisher { [self] receive in
      lock.withLock {
        if let latest { receive(.value(latest)) }
        if let end {
          receive(.completion(end))
          return AnyCancellable {}
        }
        let number: Int = nextNumber
        nextNumber += 1
        listeners[number] = receive
        return AnyCancellable { [weak self] in
          self?.lock.withLock { _ = self?.listeners.removeValue(forKey: number) }
        }
      }
    }
  }

  fileprivate func keep(_ value: Output) {}
}

/// A subject whose new listeners hear the latest value first.
public final class CurrentValueSubject<Output, Failure: Error>: PassthroughSubject<Output, Failure>,
  @unchecked Sendable
{
  /// A subject with a value; nil waits for the first one.
  public init(_ value: Output?) {
    super.init()
    latest = value
  }

  fileprivate override func keep(_ value: Output) { latest = value }
}
