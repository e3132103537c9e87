import Foundation
import Platform

/// Limits how many heavy requests run at once, and serves clients round robin. So a client with a hundred paintings
/// does not delay a client with one painting.
///
/// ``capacityPerClient`` limits how many requests of one address wait, because a client can choose its name but not its
/// address. The name only affects the order among requests of the same address.
public final class FairQueue: Sendable {
  /// The sender of a request.
  public struct Client: Hashable, Sendable {
    /// The address, or something else that the client cannot choose.
    public let address: String
    /// A name that the client chooses.
    public let name: String

    /// Creates a client at an address.
    public init(address: String, name: String = "") {
      self.address = address
      self.name = name
    }
  }

  private struct Waiting {
    let number: UInt64
    let client: Client
    let wake: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var free: Int
    var waiting: [Waiting] = []
    var cancelled: Set<UInt64> = []
    var nextNumber: UInt64 = 0
    /// When each client was last served: the value of ``servedCount`` at that time.
    var lastServed: [Client: UInt64] = [:]
    /// When any client of each address was last served: the value of ``servedCount`` at that time.
    var lastServedAddresses: [String: UInt64] = [:]
    var servedCount: UInt64 = 0

    mutating func mark(_ client: Client) {
      servedCount += 1
      lastServed[client] = servedCount
      lastServedAddresses[client.address] = servedCount
    }

    /// Returns the sort key of a waiting request. The request with the smallest key is served first. The key has three
    /// parts: when any client of the request's address was last served, when the request's own client was last served,
    /// and the number of the request.
    func order(of one: Waiting) -> (UInt64, UInt64, UInt64) {
      (lastServedAddresses[one.client.address] ?? 0, lastServed[one.client] ?? 0, one.number)
    }
  }

  /// The maximum number of waiting requests, over all addresses.
  public let capacity: Int
  /// The maximum number of waiting requests for each address.
  public let capacityPerClient: Int
  private let state: Locked<State>

  /// Creates a queue that runs `workers` requests at once.
  public init(workers: Int, capacity: Int, capacityPerClient: Int) {
    self.capacity = capacity
    self.capacityPerClient = capacityPerClient
    state = Locked(State(free: workers))
  }

  /// How many requests wait.
  public var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Waits until the queue serves the client, then runs the work and returns its result.
  ///
  /// - Throws: ``HTTPError`` of status 503 if too many requests wait, ``HTTPError`` of status 429 if too many requests
  ///   of the client's address wait, `CancellationError` if the caller's task is cancelled while it waits, and the
  ///   errors of the work.
  public func run<Result: Sendable>(
    _ client: Client, _ work: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await enter(client)
    defer { leave() }
    try Task.checkCancellation()
    return try await work()
  }

  private func enter(_ client: Client) async throws {
    let number: UInt64 = state.withLock { state in
      state.nextNumber += 1
      return state.nextNumber
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (wake: CheckedContinuation<Void, any Error>) in
        let answer: Result<Void, any Error>? = state.withLock { state in
          if state.cancelled.remove(number) != nil { return .failure(CancellationError()) }
          if state.free > 0 {
            state.free -= 1
            state.mark(client)
            return .success(())
          }
          guard state.waiting.count < capacity else {
            return .failure(
              HTTPError(
                503, "queue_full",
                "The queue is full (\(capacity) requests). Try again in a few seconds.",
                headers: [("Retry-After", "2")]))
          }
          guard
            state.waiting.count(where: { $0.client.address == client.address }) < capacityPerClient
          else {
            return .failure(
              HTTPError(
                429, "too_many_requests",
                "\(capacityPerClient) requests of this address wait already, which is the limit."
                  + " Wait for their responses first.",
                headers: [("Retry-After", "2")]))
          }
          state.waiting.append(Waiting(number: number, client: client, wake: wake))
          return nil
        }
        if let answer { wake.resume(with: answer) }
      }
    } onCancel: {
      let found: Waiting? = state.withLock { state in
        guard let position = state.waiting.firstIndex(where: { $0.number == number }) else {
          state.cancelled.insert(number)
          return nil
        }
        return state.waiting.remove(at: position)
      }
      found?.wake.resume(throwing: CancellationError())
    }
    state.withLock { _ = $0.cancelled.remove(number) }
  }

  private func leave() {
    let next: Waiting? = state.withLock { state in
      let position = state.waiting.indices.min {
        state.order(of: state.waiting[$0]) < state.order(of: state.waiting[$1])
      }
      guard let position else {
        state.free += 1
        state.lastServed.removeAll()
        state.lastServedAddresses.removeAll()
        return nil
      }
      let next = state.waiting.remove(at: position)
      state.mark(next.client)
      return next
    }
    next?.wake.resume()
  }
}
