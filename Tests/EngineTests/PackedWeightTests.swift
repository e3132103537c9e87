import Foundation
import ModelFormat
import OperatorSamples
import Operators
import Platform
import Testing

@testable import Engine

@Suite("Packed weights")
struct PackedWeightTests {
  /// Builds a network with convolutions that together use every convolution kernel. The network also has norms with
  /// both kinds of statistics, and an inner product.
  private static func network(_ options: ExecutionOptions) throws -> Network {
    var pooling = Spec.PoolingLayerParams()
    pooling.type = .average
    pooling.globalPooling = true
    var product = Spec.InnerProductLayerParams()
    (product.inputChannels, product.outputChannels) = (3, 10)
    product.weights = .random(30, seed: 9)
    return try TestNetwork(
      [
        .convolution(32, 3, kernel: 9, padding: 4).named("c1", ["x"], "a"),
        .batchNorm(32, instance: true).named("n1", ["a"], "b"),
        .convolution(32, 32, padding: 1, seed: 3).named("c2", ["b"], "c"),
        .batchNorm(32).named("n2", ["c"], "d"), .reLU.named("r", ["d"], "e"),
        .batchNorm(32).named("n3", ["e"], "f"), .upsample(2).named("u", ["f"], "g"),
        .convolution(16, 32, padding: 1, seed: 5).named("c3", ["g"], "h"),
        .convolution(3, 16, kernel: 5, padding: 2, seed: 7).named("c4", ["h"], "i"),
        .sigmoid.named("s", ["i"], "j"), .linear(255, 1).named("l", ["j"], "k"),
        Spec.NeuralNetworkLayer(.pooling(pooling)).named("p", ["k"], "m"),
        Spec.NeuralNetworkLayer(.innerProduct(product)).named("d", ["m"], "y"),
      ], input: [1, 3, 40, 44]
    ).network(options)
  }

  @Test(
    "Plans for ten input sizes of one network share one copy of the packed weights",
    arguments: [Precision.float32, .bfloat16])
  func tenSizes(precision: Precision) throws {
    let network = try Self.network(ExecutionOptions(precision: precision, threads: 2))
    let prepared: [PreparedPlan] = try (0..<10).map {
      try network.plan(for: [TensorType([1, 3, 40 + 2 * $0, 44 + $0])])
    }
    let plans: [PlannedRun] = try prepared.map { try $0.plan.wholeRun() }
    var distinct: [ObjectIdentifier: Int] = [:]
    for plan in plans {
      for weight in plan.constants { distinct[ObjectIdentifier(weight)] = weight.byteCount }
    }
    let one: Int = plans[0].constants.reduce(0) { $0 + $1.byteCount }
    #expect(one > 4 * (32 * 3 * 81 + 2 * 32 * 16 * 9) / 2)
    #expect(distinct.values.reduce(0, +) == one)
    #expect(plans.allSatisfy { $0.constants.count == distinct.count })
    // No plan has weights left to pack, because all plans share the weights that the first plan packed.
    #expect(plans.map(\.missingByteCount) == [Int](repeating: 0, count: 10))
  }

  @Test(
    "A single run packs a layer's weights when it reaches the layer, and frees them afterwards",
    arguments: [Precision.float32, .bfloat16])
  func transientWeights(precision: Precision) throws {
    let input = ReferenceTensor.random([1, 3, 40, 44])
    var options = ExecutionOptions(precision: precision, threads: 2)
    options.tuning = .fixed
    let expected = try Self.network(options).predict(input)
    let staying: PlannedRun = try Self.network(options).plan(for: [TensorType(input.shape)]).plan
      .wholeRun()
    options.expectedRuns = 1
    let network = try Self.network(options)
    let plan: PlannedRun = try network.plan(for: [TensorType(input.shape)]).plan.wholeRun()
    let packed: [PackedWeight] = plan.calls.flatMap(\.transientWeights)
    #expect(packed.count > 4)
    #expect(plan.constantByteCount < staying.constantByteCount * 3 / 4)
    // Runs the network again, also from concurrent threads. A caller may run the network more often than it announced.
    for _ in 0..<2 { #expect(try network.predict(input) == expected) }
    let differing = Locked(0)
    DispatchQueue.concurrentPerform(iterations: 6) { _ in
      if (try? network.predict(input)) != expected { differing.withLock { $0 += 1 } }
    }
    #expect(differing.withLock { $0 } == 0)
    #expect(packed.allSatisfy { !$0.isPrepared && !$0.isAllocated })
    #expect(plan.missingByteCount > 0)
  }

  @Test(
    "A packed form that one reader prepared stays allocated after a temporary reader releases it")
  func heldAndPrepared() throws {
    let packings = Locked(0)
    let weight = PackedWeights().weight("form", of: [], byteCount: 64) { _ in
      packings.withLock { $0 += 1 }
    }
    try weight.hold()
    try weight.hold()
    weight.release()
    #expect(weight.isAllocated)
    weight.release()
    #expect(!weight.isAllocated)
    try weight.hold()
    try weight.prepare()
    weight.release()
    #expect(weight.isAllocated && weight.isPrepared)
    #expect(packings.withLock { $0 } == 2)
  }

  /// Builds a convolution and a norm. `decoded` counts how often the weights of the two layers are decoded.
  private static func counting(_ decoded: Locked<Int>, _ options: ExecutionOptions) throws
    -> Network
  {
    func constant(_ shape: Shape, _ value: Float) -> Constant {
      Constant(TensorType(shape)) {
        decoded.withLock { $0 += 1 }
        return [Float](repeating: value, count: shape.count)
      }
    }
    var graph = Graph()
    let input = graph.addInput("x", [1, 64, 40, 44])
    let weights = graph.addConstant(constant([64, 64, 3, 3], 0.01), name: "c/weights")
    let made = try graph.apply(
      ConvolutionOperator(outputChannels: 64, kernelChannels: 64), to: [input, weights], name: "c")
    let parameters = (0..<4).map {
      graph.addConstant(constant([64], 0.5), name: "n/\($0)")
    }
    graph.outputs = [
      try graph.apply(
        BatchNormOperator(channels: 64, statistics: .given), to: [made] + parameters, name: "n")
    ]
    decoded.withLock { $0 = 0 }
    return Network(graph, passes: GraphPasses.standard, options: options)
  }

  @Test("A plan that does not fit is refused before any weight is decoded")
  func refusedFirst() throws {
    let decoded = Locked(0)
    let network = try Self.counting(decoded, ExecutionOptions(threads: 1, memoryLimit: 600_000))
    let error = #expect(throws: EngineError.self) {
      try network.plan(for: [TensorType([1, 64, 40, 44])])
    }
    #expect(error?.code == .outOfMemory)
    #expect(decoded.withLock { $0 } == 0)
  }

  /// A source of zeros that counts how often its pages are released.
  private struct CountedBytes: ByteSource {
    let byteCount: Int
    let returns = Locked(0)

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
      try [UInt8](repeating: 0, count: byteCount).withBytes(body)
    }

    func releasePages() { returns.withLock { $0 += 1 } }
  }

  @Test(
    "A file's pages are released once the weights are packed, also for weights that passes change",
    arguments: [false, true])
  func givenBack(folded: Bool) throws {
    let shape: Shape = [64, 64, 3, 3]
    let bytes = CountedBytes(byteCount: shape.count * 2)
    var graph = Graph()
    let input = graph.addInput("x", [1, 64, 40, 44])
    let weights = graph.addConstant(
      Constant(TensorType(shape), StoredValues(bytes, of: .float16)), name: "c/weights")
    var made = try graph.apply(
      ConvolutionOperator(outputChannels: 64, kernelChannels: 64), to: [input, weights], name: "c")
    if folded {
      let parameters = (0..<4).map {
        graph.addConstant(Constant([64], [Float](repeating: 0.5, count: 64)), name: "n/\($0)")
      }
      made = try graph.apply(
        BatchNormOperator(channels: 64, statistics: .given), to: [made] + parameters, name: "n")
    }
    graph.outputs = [made]
    let network = Network(
      graph, passes: GraphPasses.standard, options: ExecutionOptions(threads: 1))
    #expect(bytes.returns.withLock { $0 } == 0)
    let plan = try network.plan(for: [TensorType([1, 64, 40, 44])])
    #expect(bytes.returns.withLock { $0 } >= 1)
    withExtendedLifetime(plan) {}
  }

  @Test("Weights are decoded once, for any number of planned sizes")
  func decodedOnce() throws {
    let decoded = Locked(0)
    let network = try Self.counting(decoded, ExecutionOptions(threads: 1))
    let first = try network.plan(for: [TensorType([1, 64, 40, 44])])
    let once: Int = decoded.withLock { $0 }
    #expect(once > 0)
    let others = try (1..<5).map { try network.plan(for: [TensorType([1, 64, 40 + $0, 44])]) }
    #expect(decoded.withLock { $0 } == once)
    withExtendedLifetime((first, others)) {}
  }
}
