import ModelFormat
import Testing

@testable import Engine

@Suite("The estimated memory of a prediction")
struct MemoryEstimateTests {
  private static let type = TensorType([1, 64, 16, 16])

  private static func network(limit: Int? = nil) throws -> Network {
    try TestNetwork(
      [.convolution(64, 64, padding: 1).named("c", ["x"], "y")], input: [1, 64, 16, 16]
    ).network(ExecutionOptions(threads: 1, memoryLimit: limit))
  }

  @Test("The estimate equals the plan's memory, and the run uses the plan that the estimate made")
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

  @Test("An estimate above the limit is returned, and the prediction is still refused")
  func overBudget() throws {
    let needed = try Self.network().memory(for: [Self.type])
    let network = try Self.network(limit: needed.total - 1)
    #expect(try network.memory(for: [Self.type]) == needed)
    let error = try #require(throws: EngineError.self) { try network.plan(for: [Self.type]) }
    #expect(error.code == .outOfMemory)
    #expect(error.message.hasSuffix("a picture of 15 × 15 would fit."), "\(error.message)")
  }

  @Test("An estimate for an input that does not fit does not evict a plan that does")
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

  @Test(
    "The size that a refusal suggests fits, however small the input's share of the memory is",
    arguments: [300, 3000, 30_000])
  func namedSizeFits(side: Int) throws {
    let network = try TestNetwork(
      [
        .convolution(32, 3, padding: 1).named("c", ["x"], "a"),
        .convolution(3, 32, padding: 1).named("d", ["a"], "y"),
      ], input: [1, 3, 16, 16]
    ).network(ExecutionOptions(threads: 1, memoryLimit: 8 << 20))
    let type = TensorType([1, 3, side, side])
    let error = try #require(throws: EngineError.self) { try network.plan(for: [type]) }
    let words = error.message.split(separator: " ")
    let mark = try #require(words.lastIndex(of: "×"))
    let named = try #require(Int(words[mark - 1]))
    #expect(named > 100)
    #expect(network.planCount == (side == 300 ? 1 : 0))
    _ = try network.plan(for: [TensorType([1, 3, named, named])])
  }

  @Test("For a network that accepts no smaller image, no size is suggested")
  func oneSize() throws {
    let layers = [
      Spec.NeuralNetworkLayer.convolution(64, 64, padding: 1).named("c", ["x"], "a"),
      .crop(7).named("middle", ["a"], "y"),
    ]
    let test = TestNetwork(layers, input: [1, 64, 16, 16])
    let needed = try test.network().memory(for: [Self.type])
    let limit = needed.packedWeights + needed.arena / 2
    let network = try test.network(ExecutionOptions(threads: 2, memoryLimit: limit))
    let error = try #require(throws: EngineError.self) { try network.plan(for: [Self.type]) }
    #expect(error.message.hasSuffix("use a smaller input or raise the limit."), "\(error.message)")
  }

  @Test("An input that exceeds the limit by itself is refused before planning")
  func largeInput() throws {
    let network = try Self.network(limit: 1 << 20)
    let error = try #require(throws: EngineError.self) {
      try network.memory(for: [TensorType([1, 64, 1024, 1024])])
    }
    #expect(error.code == .outOfMemory)
    #expect(network.planCount == 0)
  }

  @Test("Sums of sizes saturate instead of overflowing")
  func saturates() {
    let estimate = MemoryEstimate(arena: .max, packedWeights: 5, outputs: 5)
    #expect(estimate.total == .max)
  }

  @Test(
    "The suggested size shrinks by the square root of the memory ratio",
    arguments: [(400, 100, 0.475), (100, 0, 0), (0, 100, 0), (100, -1, 0), (1, 1 << 40, 1)])
  func factor(needed: Int, limit: Int, expected: Double) {
    #expect(abs(MemoryEstimate.factor(toFit: needed, in: limit) - expected) < 1e-12)
  }
}
