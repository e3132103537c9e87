import Foundation
import Platform

extension Publisher where Failure == Never {
  /// The values as an asynchronous sequence.
  public var values: AsyncPublisher<Self> { AsyncPublisher(self) }
}

extension Publisher {
  /// The values as an asynchronous sequence, which throws the error.
  public var values: AsyncThrowingPublisher<Self> { AsyncThrowingPublisher(self) }
}

/// The values of a publisher as an asynchronous sequence.
public struct AsyncPublisher<P: Publisher>: AsyncSequence where P.Failure == Never {
  /// The type of the values.
  public typealias Element = P.Output
  /// The iterator.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var inner: AsyncThrowingStream<SendableBox<P.Output>, any Error>.Iterator

    /// Waits for the next value.
    public mutating func next() async -> P.Output? { (try? await inner.next())??.value }
  }

  private let publisher: P

  /// Makes a sequence.
  public init(_ publisher: P) { self.publisher = publisher }

  /// Subscribes.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(inner: stream(publisher).makeAsyncIterator())
  }
}

/// The values of a publisher as an asynchronous sequence, which throws the publisher's error.
public struct AsyncThrowingPublisher<P: Publisher>: AsyncSequence {
  /// The type of the values.
  public typealias Element = P.Output
  /// The iterator.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var inner: AsyncThrowingStream<SendableBox<P.Output>, any Error>.Iterator

    /// Waits for the next value.
    public mutating func next() async throws -> P.Output? { try await inner.next()?.value }
  }

  private let publisher: P

  /// Makes a sequence.
  public init(_ publisher: P) { self.publisher = publisher }

  /// Subscribes.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(inner: stream(publisher).makeAsyncIterator())
  }
}

/// A stream of a publisher's values. The subscription ends with the stream.
private func stream<P: Publisher>(_ publisher: P)
  -> AsyncThrowingStream<SendableBox<P.Output>, any Error>
{
  AsyncThrowingStream { continuation in
    let subscription = publisher.sink(
      receiveCompletion: { completion in
        switch completion {
        case .finished: continuation.finish()
        case .failure(let error): continuation.finish(throwing: error)
        }
      }, receiveValue: { continuation.yield(SendableBox($0)) })
    continuation.onTermination = { _ in subscription.cancel() }
  }
}

extension NotificationCenter {
  /// Returns a publisher of notifications.
  public func publisher(for name: Notification.Name, object: AnyObject? = nil)
    -> AnyPublisher<Notification, Never>
  {
    let source = SendableBox((center: self, object: object))
    return Publishers.Joined<Notification, Never> { outlet in
      let token = source.value.center.addObserver(
        forName: name, object: source.value.object, queue: nil
      ) { outlet.offer($0) }
      let kept = SendableBox(token)
      outlet.keep(AnyCancellable { source.value.center.removeObserver(kept.value) })
    }.eraseToAnyPublisher()
  }
}
