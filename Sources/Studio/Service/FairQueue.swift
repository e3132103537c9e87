import Foundation
import Platform

/// Lets a few at a time do heavy work, and the clients take turns: who asks for a hundred paintings does
/// not hold up who asks for one.
///
/// A client's places are counted by its address, which it cannot choose; the name that it gives itself only orders what
/// waits at one address.
public final class FairQueue: Sendable {
  /// Who asks.
  public struct Client: Hashable, Sendable {
    /// The address, or whatever else cannot be chosen freely.
    public let address: String
    /// A name of the client's own choice.
    public let name: String

    /// A client at an address.
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
    /// When each client's last turn was, counted in turns.
    var turns: [Client: UInt64] = [:]
    /// The same for all clients of an address together.
    var turnsOfAddresses: [String: UInt64] = [:]
    var turn: UInt64 = 0

    mutating func mark(_ client: Client) {
      turn += 1
      turns[client] = turn
      turnsOfAddresses[client.address] = turn
    }

    /// What comes first has the least: the address whose last turn is longest ago, of it the client, of it who came
    /// first.
    func order(of one: Waiting) -> (UInt64, UInt64, UInt64) {
      (turnsOfAddresses[one.client.address] ?? 0, turns[one.client] ?? 0, one.number)
    }
  }

  /// The most that may wait.
  public let capacity: Int
  /// The most of one address that may wait.
  public let capacityPerClient: Int
  private let state: Locked<State>

  /// A queue for so much work at once.
  public init(workers: Int, capacity: Int, capacityPerClient: Int) {
    self.capacity = capacity
    self.capacityPerClient = capacityPerClient
    state = Locked(State(free: workers))
  }

  /// How many wait.
  public var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Does the work when it is the client's turn.
  ///
  /// - Throws: ``HTTPError`` of status 503 or 429 at once where too many wait, `CancellationError` when
  ///   the caller's task is cancelled while it waits, and what the work throws.
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
                "\(capacity) requests wait already, which is the most. Try again in a little while.",
                headers: [("Retry-After", "2")]))
          }
          guard
            state.waiting.count(where: { $0.client.address == client.address }) < capacityPerClient
          else {
            return .failure(
              HTTPError(
                429, "too_many_requests",
                "\(capacityPerClient) requests of this address wait already, which is the most of one."
                  + " Wait for their answers first.",
                headers: [("Retry-After", "2")]))
          }
          state.waiting.append(Waiting(number: number, client: client, wake: wake))
          return nil
        }
        if let answer { wake.resume(with: answer) }
      }
    } onCancel: {
      let found: Waiting? = state.withLock { state in
        guard let place = state.waiting.firstIndex(where: { $0.number == number }) else {
          state.cancelled.insert(number)
          return nil
        }
        return state.waiting.remove(at: place)
      }
      found?.wake.resume(throwing: CancellationError())
    }
    state.withLock { _ = $0.cancelled.remove(number) }
  }

  private func leave() {
    let next: Waiting? = state.withLock { state in
      let place = state.waiting.indices.min {
        state.order(of: state.waiting[$0]) < state.order(of: state.waiting[$1])
      }
      guard let place else {
        state.free += 1
        state.turns.removeAll()
        state.turnsOfAddresses.removeAll()
        return nil
      }
      let next = state.waiting.remove(at: place)
      state.mark(next.client)
      return next
    }
    next?.wake.resume()
  }
}
