import Foundation
import Platform

/// Lets a few at a time do heavy work, and the clients take turns: who asks for a hundred paintings does
/// not hold up who asks for one.
public final class FairQueue: Sendable {
  private struct Waiting {
    let number: UInt64
    let client: String
    let wake: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var free: Int
    var waiting: [Waiting] = []
    var cancelled: Set<UInt64> = []
    var nextNumber: UInt64 = 0
    /// When each client's last turn was, counted in turns.
    var turns: [String: UInt64] = [:]
    var turn: UInt64 = 0

    mutating func mark(_ client: String) {
      turn += 1
      turns[client] = turn
    }
  }

  /// The most that may wait.
  public let capacity: Int
  /// The most of one client's that may wait.
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
    _ client: String, _ work: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await enter(client)
    defer { leave() }
    try Task.checkCancellation()
    return try await work()
  }

  private func enter(_ client: String) async throws {
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
          guard state.waiting.count(where: { $0.client == client }) < capacityPerClient else {
            return .failure(
              HTTPError(
                429, "too_many_requests",
                "\(capacityPerClient) requests of this client wait already, which is the most of one"
                  + " client's. Wait for their answers first.",
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
      // The client whose last turn is longest ago; of one client, who came first.
      let place = state.waiting.indices.min { left, right in
        let turns = state.turns
        return (turns[state.waiting[left].client] ?? 0, state.waiting[left].number)
          < (turns[state.waiting[right].client] ?? 0, state.waiting[right].number)
      }
      guard let place else {
        state.free += 1
        state.turns.removeAll()
        return nil
      }
      let next = state.waiting.remove(at: place)
      state.mark(next.client)
      return next
    }
    next?.wake.resume()
  }
}
