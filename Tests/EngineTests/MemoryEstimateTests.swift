import Testing

@testable import Engine

@Suite("The memory that a prediction would take")
struct MemoryEstimateTests {
  private static let type = TensorType([1, 64, 16, 16])

  private static func network(limit: Int? = nil) throws -> Network {
    try TestNetwork(
      [.convolution(64, 64, padding: 1).named("c", ["x"], "y")], input: [1, 64, 16, 16]
    ).network(ExecutionOptions(threads: 1, memoryLimit: limit))
  }

  @Test("It is what the plan then takes, and one plan answers and runs")
  func agrees() throws {
    let network = try Self.network()
    let estimate = try network.memory(for: [Self.type])
    #expect(network.planCount == 1)
    let plan = try network.plan(for: [Self.type]).plan
    #expect(network.planCount == 1)
    #expect(estimate.arena == plan.arenaByteCount)
    #expect(estimate.packedWeights == plan.constantByteCount)
    #expect(estimate.outputs == 64 * 16 * 16 * 4)
    #expect(estimate.total == estimate.arena + estimate.packedWeights + estimate.outputs)
    #expect(try network.memory(for: [Self.type]) == estimate)
    #expect(network.planCount == 1)
  }

  @Test("It is answered where it is more than the budget, and a prediction is still refused")
  func overBudget() throws {
    let needed = try Self.network().memory(for: [Self.type])
    let network = try Self.network(limit: needed.total - 1)
    #expect(try network.memory(for: [Self.type]) == needed)
    let error = try #require(throws: EngineError.self) { try network.plan(for: [Self.type]) }
    #expect(error.code == .outOfMemory)
    #expect(error.message.hasSuffix("a picture of 15 × 15 would fit."))
  }

  @Test("A question about what does not fit costs no plan that does")
  func keepsPlans() throws {
    let large = TensorType([1, 64, 64, 64])
    let limit = try Self.network().memory(for: [large]).total - 1
    let network = try Self.network(limit: limit)
    _ = try network.plan(for: [Self.type])
    #expect(try network.memory(for: [large]).total > limit)
    #expect(network.planCount == 2)
    _ = try network.plan(for: [Self.type])
    #expect(network.planCount == 2)
  }

  @Test("An input that alone is too large is refused before a plan is made")
  func largeInput() throws {
    let network = try Self.network(limit: 1 << 20)
    let error = try #require(throws: EngineError.self) {
      try network.memory(for: [TensorType([1, 64, 1024, 1024])])
    }
    #expect(error.code == .outOfMemory)
    #expect(network.planCount == 0)
  }

  @Test("Parts that add up to more than can be counted saturate")
  func saturates() {
    let estimate = MemoryEstimate(arena: .max, packedWeights: 5, outputs: 5)
    #expect(estimate.total == .max)
  }

  @Test(
    "A picture that needs too much shrinks by the root of what is missing",
    arguments: [(400, 100, 0.475), (100, 0, 0), (0, 100, 0), (100, -1, 0), (1, 1 << 40, 1)])
  func factor(needed: Int, limit: Int, expected: Double) {
    #expect(abs(MemoryEstimate.factor(toFit: needed, in: limit) - expected) < 1e-12)
  }
}
