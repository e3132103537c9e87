import Foundation
import ModelFormat
import NetworkRuns
import Platform
import Testing

@testable import Engine

@Suite("Memory and time limits")
struct BudgetTests {
  private static func network(limit: Int?) throws -> Network {
    try TestNetwork(
      [.convolution(64, 64, padding: 1).named("c", ["x"], "y")], input: [1, 64, 16, 16]
    ).network(ExecutionOptions(threads: 1, memoryLimit: limit))
  }

  private static func error(limit: Int, _ shape: Shape) throws -> EngineError {
    let network = try network(limit: limit)
    return try #require(throws: EngineError.self) { try network.plan(for: [TensorType(shape)]) }
  }

  @Test("Packed weights and copies of the outputs count against the limit")
  func countsEverything() throws {
    let plan = try Self.network(limit: nil).plan(for: [TensorType([1, 64, 16, 16])]).plan
    #expect(plan.constantByteCount > 100_000)
    #expect(plan.runByteCount == plan.arenaByteCount + 64 * 16 * 16 * 4)
    let all = plan.constantByteCount + plan.runByteCount
    _ = try Self.network(limit: all).plan(for: [TensorType([1, 64, 16, 16])])
    let error = try Self.error(limit: all - 1, [1, 64, 16, 16])
    #expect(error.code == .outOfMemory)
  }

  @Test(
    "A negative limit, and one smaller than the input, throw an error with a message",
    arguments: [-5, 0, 9])
  func tinyLimits(limit: Int) throws {
    let error = try Self.error(limit: limit, [1, 64, 16, 16])
    #expect(error.message.hasPrefix("This input alone takes"))
    #expect(error.message.hasSuffix("use a smaller input or raise the limit."))
  }

  @Test("An input that exceeds the limit by itself is refused before planning")
  func claimedInput() throws {
    let error = try Self.error(limit: 1 << 30, [1, 64, 65_536, 65_536])
    let expected = "This input alone takes 1099.5 GB of memory and 1.1 GB is free"
    #expect(error.message.hasPrefix(expected))
  }

  @Test(
    "The pool keeps at most one session per core, and at most one large session",
    arguments: [(16, Int(Processor.threadCount)), (240, 1)])
  func idleSessions(side: Int, most: Int) throws {
    let plan = try Self.network(limit: nil).plan(for: [TensorType([1, 64, side, side])])
    // For a larger arena, the plan would check how much memory is available before it allocates the arena.
    #expect(plan.plan.arenaByteCount <= SystemMemory.smallByteCount)
    let started = DispatchSemaphore(value: 0)
    let goOn = DispatchSemaphore(value: 0)
    let count = 2 * Int(Processor.threadCount) + 2
    let group = DispatchGroup()
    for _ in 0..<count {
      DispatchQueue.global().async(group: group) {
        try? plan.withSession { _ in
          started.signal()
          goOn.wait()
        }
      }
      started.wait()
    }
    for _ in 0..<count { goOn.signal() }
    group.wait()
    let idle = plan.cachedByteCount - plan.plan.tableByteCount
    #expect(idle == plan.plan.arenaByteCount * most)
  }

  @Test("The values of a network that runs segment by segment count against the limit")
  func dynamicValues() throws {
    // Creates a vector of ones. The input states the length of the vector.
    var fill = Spec.FillDynamicLayerParams()
    fill.value = 1
    let network = DynamicNetwork(
      [.of(.fillDynamic(fill), "f", ["x"], ["a"]), .sum(["a", "a"], "y")], inputs: [("x", [1])])
    let limited = try network.network(memoryLimit: 1 << 20)
    #expect(try limited.run([.vector(1000)])[0].values.count == 1000)
    let error = try #require(throws: EngineError.self) { try limited.run([.vector(200_000)]) }
    #expect(error.code == .outOfMemory)
    // After the refusal, the refused memory is no longer counted. So a smaller run succeeds.
    #expect(try limited.run([.vector(100_000)])[0].values.count == 100_000)
  }

  @Test("A run stops between two layers if it is cancelled or its deadline passes")
  func limits() throws {
    let network = try TestNetwork(
      [.sigmoid.named("s", ["x"], "a"), .upsample(2).named("u", ["a"], "y")], input: [1, 1, 2, 2]
    ).network()
    let plan = try network.plan(for: [TensorType([1, 1, 2, 2])])
    let asked = Locked(0)
    let cancels = RunLimits(isCancelled: {
      asked.withLock {
        $0 += 1
        return $0 > 1
      }
    })
    let cancelled = try #require(throws: EngineError.self) {
      try plan.withSession { try $0.run(cancels) }
    }
    #expect(cancelled.code == .cancelled)
    let late = RunLimits(timeLimit: .zero)
    let error = try #require(throws: EngineError.self) {
      try plan.withSession { try $0.run(late) }
    }
    #expect(error.code == .timedOut)
    try plan.withSession { try $0.run(RunLimits(timeLimit: .seconds(60))) }
  }
}
