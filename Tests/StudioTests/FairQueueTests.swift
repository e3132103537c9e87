import Foundation
import Platform
import Testing

@testable import Service

@Suite("Clients take turns", .timeLimit(.minutes(1)))
struct FairQueueTests {
  /// Waits until so many wait.
  private func wait(_ queue: FairQueue, for count: Int) async throws {
    while queue.waitingCount != count { try await Task.sleep(for: .milliseconds(1)) }
  }

  private func client(_ address: String, _ name: String = "") -> FairQueue.Client {
    FairQueue.Client(address: address, name: name)
  }

  @Test("The client whose last turn is longest ago comes first")
  func order() async throws {
    let queue = FairQueue(workers: 1, capacity: 100, capacityPerClient: 100)
    let order = Locked<[String]>([])
    let (open, door) = AsyncStream.makeStream(of: Void.self)
    let isIn = Locked(false)
    let holder = Task {
      try await queue.run(client("many")) {
        isIn.withLock { $0 = true }
        for await _ in open { break }
      }
    }
    while !isIn.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
    var tasks: [Task<Void, any Error>] = []
    for (place, client) in ["many", "many", "many", "one"].enumerated() {
      tasks.append(
        Task {
          try await queue.run(FairQueue.Client(address: client)) {
            order.withLock { $0.append(client) }
          }
        })
      try await wait(queue, for: place + 1)
    }
    door.finish()
    try await holder.value
    for task in tasks { try await task.value }
    #expect(order.withLock { $0 } == ["one", "many", "many", "many"])
  }

  @Test("More than may wait are refused, and so are more of one client's")
  func bounds() async throws {
    let queue = FairQueue(workers: 1, capacity: 3, capacityPerClient: 2)
    let (open, door) = AsyncStream.makeStream(of: Void.self)
    let isIn = Locked(false)
    let holder = Task {
      try await queue.run(client("a")) {
        isIn.withLock { $0 = true }
        for await _ in open { break }
      }
    }
    while !isIn.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
    var tasks: [Task<Void, any Error>] = []
    for place in 0..<2 {
      // Another name gives an address no other places.
      tasks.append(Task { try await queue.run(client("a", "\(place)")) {} })
      try await wait(queue, for: place + 1)
    }
    let mine = await #expect(throws: HTTPError.self) { try await queue.run(client("a", "new")) {} }
    #expect(mine?.status == 429)
    tasks.append(Task { try await queue.run(client("b")) {} })
    try await wait(queue, for: 3)
    let all = await #expect(throws: HTTPError.self) { try await queue.run(client("c")) {} }
    #expect(all?.status == 503)
    door.finish()
    try await holder.value
    for task in tasks { try await task.value }
  }

  @Test("Who gives up while waiting leaves the queue")
  func cancelling() async throws {
    let queue = FairQueue(workers: 1, capacity: 3, capacityPerClient: 3)
    let (open, door) = AsyncStream.makeStream(of: Void.self)
    let isIn = Locked(false)
    let holder = Task {
      try await queue.run(client("a")) {
        isIn.withLock { $0 = true }
        for await _ in open { break }
      }
    }
    while !isIn.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) }
    let waiting = Task { try await queue.run(client("b")) {} }
    try await wait(queue, for: 1)
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(queue.waitingCount == 0)
    door.finish()
    try await holder.value
  }
}
