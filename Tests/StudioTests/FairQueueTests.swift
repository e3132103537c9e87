import Foundation
import Platform
import Testing

@testable import Service

@Suite("Fair queueing of clients", .timeLimit(.minutes(20)))
struct FairQueueTests {
  /// Waits until the given number of requests is queued.
  private func wait(_ queue: FairQueue, for count: Int) async throws {
    while queue.waitingCount != count { try await Task.sleep(for: .milliseconds(1)) }
  }

  private func client(_ address: String, _ name: String = "") -> FairQueue.Client {
    FairQueue.Client(address: address, name: name)
  }

  @Test("The client that was served least recently is next")
  func order() async throws {
    let queue = FairQueue(workers: 1, capacity: 100, capacityPerClient: 100)
    let order = Locked<[String]>([])
    let (openings, gate) = AsyncStream.makeStream(of: Void.self)
    let isIn = Locked(false)
    let holder = Task {
      try await queue.run(client("many")) {
        isIn.withLock { $0 = true }
        for await _ in openings { break }
      }
    }
    while !isIn.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
    var tasks: [Task<Void, any Error>] = []
    for (index, client) in ["many", "many", "many", "one"].enumerated() {
      tasks.append(
        Task {
          try await queue.run(FairQueue.Client(address: client)) {
            order.withLock { $0.append(client) }
          }
        })
      try await wait(queue, for: index + 1)
    }
    gate.finish()
    try await holder.value
    for task in tasks { try await task.value }
    #expect(order.withLock { $0 } == ["one", "many", "many", "many"])
  }

  @Test("More than the maximum number of requests, in total or per client, are refused")
  func bounds() async throws {
    let queue = FairQueue(workers: 1, capacity: 3, capacityPerClient: 2)
    let (openings, gate) = AsyncStream.makeStream(of: Void.self)
    let isIn = Locked(false)
    let holder = Task {
      try await queue.run(client("a")) {
        isIn.withLock { $0 = true }
        for await _ in openings { break }
      }
    }
    while !isIn.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
    var tasks: [Task<Void, any Error>] = []
    for index in 0..<2 {
      // The requests come from one address under several client names. The names give the address no additional places
      // in the queue.
      tasks.append(Task { try await queue.run(client("a", "\(index)")) {} })
      try await wait(queue, for: index + 1)
    }
    let mine = await #expect(throws: HTTPError.self) { try await queue.run(client("a", "new")) {} }
    #expect(mine?.status == 429)
    tasks.append(Task { try await queue.run(client("b")) {} })
    try await wait(queue, for: 3)
    let all = await #expect(throws: HTTPError.self) { try await queue.run(client("c")) {} }
    #expect(all?.status == 503)
    gate.finish()
    try await holder.value
    for task in tasks { try await task.value }
  }

  @Test("A request that is cancelled while queued leaves the queue")
  func cancelling() async throws {
    let queue = FairQueue(workers: 1, capacity: 3, capacityPerClient: 3)
    let (openings, gate) = AsyncStream.makeStream(of: Void.self)
    let isIn = Locked(false)
    let holder = Task {
      try await queue.run(client("a")) {
        isIn.withLock { $0 = true }
        for await _ in openings { break }
      }
    }
    while !isIn.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
    let waiting = Task { try await queue.run(client("b")) {} }
    try await wait(queue, for: 1)
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(queue.waitingCount == 0)
    gate.finish()
    try await holder.value
  }
}
