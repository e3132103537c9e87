import CAllocations
import CKernels
import COneDNN
import Engine
import Operators
import ModelFormat
import Synchronization
import Testing

@Suite("Networks", .serialized)
struct NetworkTests {
  /// A small style-transfer network: a strided convolution, a residual block, an upsampling, and a convolution with few
  /// output channels.
  private static let style = TestNetwork(
    [
      .convolution(16, 3, kernel: 9, padding: 4).named("in", ["x"], "a"),
      .batchNorm(16, instance: true).named("n1", ["a"], "b"), .reLU.named("r1", ["b"], "c"),
      .convolution(16, 16, padding: 1, seed: 2).named("c1", ["c"], "d"),
      .batchNorm(16).named("n2", ["d"], "e"), .reLU.named("r2", ["e"], "f"),
      .convolution(16, 16, padding: 1, seed: 3).named("c2", ["f"], "g"),
      .add.named("s", ["g", "c"], "h"), .upsample(2).named("u", ["h"], "i"),
      .convolution(3, 16, kernel: 9, padding: 4, seed: 4).named("out", ["i"], "j"),
      .sigmoid.named("g", ["j"], "k"), .linear(255, 0).named("l", ["k"], "y"),
    ], input: [1, 3, 32, 32])

  @Test(
    "A network runs at any size, whichever size it declares",
    arguments: [[24, 40], [33, 17], [9, 64]])
  func anySize(size: [Int]) throws {
    let input = ReferenceTensor.random([1, 3, size[0], size[1]])
    let answer = try Self.style.network().predict(input)
    #expect(answer.shape == [1, 3, size[0] * 2, size[1] * 2])
    let expected = try Self.style.graph().reference([input])[0]
    #expect(answer.relativeDifference(to: expected) < 2e-5)
  }

  @Test("bfloat16 stays close to the reference")
  func bfloat16() throws {
    let input = ReferenceTensor.random([1, 3, 24, 24])
    let options = ExecutionOptions(precision: .bfloat16, threads: 2)
    let answer = try Self.style.network(options).predict(input)
    let expected = try Self.style.graph().reference([input])[0]
    #expect(answer.relativeDifference(to: expected) < 0.05)
  }

  @Test("Each shape is planned once, and the oldest plan is evicted")
  func caching() throws {
    let network = try Self.style.network()
    let first = try network.plan(for: [TensorType([1, 3, 16, 16])])
    #expect(try network.plan(for: [TensorType([1, 3, 16, 16])]) === first)
    for width in 17...32 { _ = try network.plan(for: [TensorType([1, 3, 16, width])]) }
    #expect(try network.plan(for: [TensorType([1, 3, 16, 16])]) !== first)
  }

  /// A pass that changes nothing and counts how often a graph is prepared for planning.
  private enum CountingPass: GraphPass {
    static let name = "Counting"
    static let count = Atomic<Int>(0)
    static func run(on graph: inout Graph) throws { count.add(1, ordering: .relaxed) }
  }

  @Test("Sixteen threads that call a new network at the same time make one plan")
  func onePlan() async throws {
    CountingPass.count.store(0, ordering: .relaxed)
    let network = Network(
      try Self.style.graph(), passes: GraphPasses.standard + [CountingPass.self],
      options: ExecutionOptions(threads: 1))
    try await withThrowingTaskGroup(of: ObjectIdentifier.self) { group in
      for _ in 0..<16 {
        group.addTask { ObjectIdentifier(try network.plan(for: [TensorType([1, 3, 48, 48])])) }
      }
      var plans: Set<ObjectIdentifier> = []
      for try await plan in group { plans.insert(plan) }
      #expect(plans.count == 1)
    }
    #expect(CountingPass.count.load(ordering: .relaxed) == 1)
  }

  /// Builds a network with 2.4 MB of weights for images of a few KB.
  private static func wide(cachedMemoryLimit: Int) throws -> Network {
    let network = TestNetwork(
      [.convolution(256, 256, padding: 1).named("c", ["x"], "y")], input: [1, 256, 4, 4])
    return Network(
      try network.graph(), passes: GraphPasses.standard, options: ExecutionOptions(threads: 1),
      cachedMemoryLimit: cachedMemoryLimit)
  }

  @Test("Plans that share packed weights stay, however large the weights are")
  func sharedWeights() throws {
    let network = try Self.wide(cachedMemoryLimit: 1 << 20)
    for width in [4, 5, 4, 5, 4, 5] {
      let plan = try network.plan(for: [TensorType([1, 256, 4, width])])
      #expect(plan.plan.constantByteCount > 2 << 20)
    }
    #expect(network.planCount == 2)
  }

  @Test("Plans are evicted if the memory that they own exceeds the limit")
  func ownMemory() throws {
    let network = try Self.wide(cachedMemoryLimit: 1 << 10)
    for width in [4, 5, 4, 5] { _ = try network.plan(for: [TensorType([1, 256, 4, width])]) }
    #expect(network.planCount == 4)
  }

  @Test("The same input gives the same bits, on one thread and on two")
  func sameBits() throws {
    let input = ReferenceTensor.random([1, 3, 31, 45])
    let one = try Self.style.network(ExecutionOptions(threads: 1))
    let two = try Self.style.network(ExecutionOptions(threads: 2))
    let answer = try one.predict(input)
    #expect(try one.predict(input) == answer)
    #expect(try two.predict(input) == answer)
  }

  /// Whether thread teams may have several threads. Under ThreadSanitizer (Scripts/sanitize.sh) they have only one.
  private static let teamsHaveManyThreads: Bool = {
    let before = adnn_threads()
    defer { adnn_set_threads(before) }
    adnn_set_threads(5)
    return adnn_threads() == 5
  }()

  @Test(
    "A plan uses its own number of threads, and the caller's number is restored",
    .enabled(if: teamsHaveManyThreads))
  func threadsOfThePlan() throws {
    let before = adnn_threads()
    defer { adnn_set_threads(before) }
    var arenas: Set<Int> = []
    for callers in [Int32(1), 5] {
      adnn_set_threads(callers)
      let network = Network(
        try Self.style.graph(), passes: GraphPasses.standard, options: ExecutionOptions(threads: 3))
      let plan = try network.plan(for: [TensorType([1, 3, 32, 32])])
      arenas.insert(plan.plan.arenaByteCount)
      #expect(adnn_threads() == callers)
      try plan.withSession { try $0.run() }
      #expect(adnn_threads() == callers)
    }
    // The size of scratch memory depends on the number of threads. If each caller used its own number of threads, there
    // would be two sizes.
    #expect(arenas.count == 1)
  }

  @Test("Eight concurrent threads get the same answer as one")
  func concurrency() async throws {
    let network = try Self.style.network(ExecutionOptions(threads: 1))
    let inputs = (0..<8).map { ReferenceTensor.random([1, 3, 20, 20 + $0 % 2], seed: UInt64($0)) }
    let expected = try inputs.map { try network.predict($0) }
    try await withThrowingTaskGroup(of: (Int, ReferenceTensor).self) { group in
      for round in 0..<32 {
        group.addTask { (round % 8, try network.predict(inputs[round % 8])) }
      }
      for try await (index, answer) in group { #expect(answer == expected[index]) }
    }
  }

  @Test(
    "Later predictions of a shape allocate nothing",
    .enabled(if: allocations_are_counted() != 0, "sanitizers bring their own allocator"),
    arguments: [Precision.float32, .bfloat16])
  func allocations(precision: Precision) throws {
    let network = try Self.style.network(ExecutionOptions(precision: precision, threads: 2))
    let prepared = try network.plan(for: [TensorType([1, 3, 64, 64])])
    try prepared.withSession { session in
      try session.run()
      allocations_begin()
      for _ in 0..<10 { try session.run() }
      let counts = allocations_end()
      // The remaining allocations are oneDNN's argument lists, which take a few hundred bytes per call of a primitive
      // and are freed immediately. No allocation has the size of a tensor.
      #expect(counts.large_calls == 0)
      #expect(counts.bytes < 10 * 16_384, "\(counts.calls) calls, \(counts.bytes) bytes")
    }
  }

  /// Returns the name of the kernel that the given processor uses for a convolution of 64 channels.
  private func kernel(of processor: Processor, _ precision: Precision) throws -> String {
    let network = TestNetwork(
      [.convolution(64, 64, padding: 1).named("c", ["x"], "y")], input: [1, 64, 32, 32])
    let options = ExecutionOptions(precision: precision, threads: 1, processor: processor)
    let plan = try network.network(options).plan(for: [TensorType([1, 64, 32, 32])]).plan
    return try #require(plan.calls.first { $0.kind == "Convolution" }).kernel
  }

  @Test("bfloat16 convolutions use matrix tiles if available, float32 convolutions do not")
  func matrixTiles() throws {
    let plain = Processor(hasAVX512: true, hasBFloat16: true, hasMatrixTiles: false)
    let tiles = Processor(
      hasAVX512: true, hasBFloat16: true, hasMatrixTiles: true, bfloat16Rate: 1)
    let emulated = Processor(
      hasAVX512: true, hasBFloat16: true, hasMatrixTiles: false, emulatesMatrixTiles: true)
    #expect(try kernel(of: emulated, .bfloat16) == "convolution on matrix tiles")
    #expect(try kernel(of: emulated, .float32) == "Winograd convolution")
    // Our kernel is used if this processor has tiles. Otherwise, oneDNN's kernel is used if this processor has AVX-512,
    // and the Winograd kernel if it does not.
    let expected: String =
      ck_has_matrix_tiles() == 1
      ? "convolution on matrix tiles"
      : Processor.current.hasAVX512
        ? "oneDNN convolution on matrix tiles" : "Winograd convolution"
    #expect(try kernel(of: tiles, .bfloat16) == expected)
    #expect(try kernel(of: plain, .bfloat16) == "Winograd convolution")
    #expect(try kernel(of: tiles, .float32) == "Winograd convolution")
  }

  @Test("bfloat16 is preferred if its matrix products are faster or there are tiles")
  func preference() {
    func processor(tiles: Bool, rate: Double) -> Processor {
      Processor(hasAVX512: true, hasBFloat16: true, hasMatrixTiles: tiles, bfloat16Rate: rate)
    }
    #expect(processor(tiles: false, rate: 2).prefersBFloat16)
    #expect(!processor(tiles: false, rate: 1).prefersBFloat16)
    #expect(processor(tiles: true, rate: 1).prefersBFloat16)
    var emulated = processor(tiles: false, rate: 1)
    emulated.emulatesMatrixTiles = true
    #expect(emulated.prefersBFloat16)
    let without = Processor(hasAVX512: true, hasBFloat16: false, hasMatrixTiles: false)
    #expect(!without.prefersBFloat16)
    // Feature maps are stored as bfloat16 in two cases: if products in bfloat16 are preferred, or if the processor has
    // AVX2 but cannot multiply in bfloat16. In the second case, bfloat16 is only a storage format.
    #expect(without.storesBFloat16 && processor(tiles: false, rate: 2).storesBFloat16)
    #expect(!processor(tiles: false, rate: 1).storesBFloat16)
    var plain = without
    (plain.hasAVX512, plain.hasAVX2) = (false, false)
    #expect(!plain.storesBFloat16)
  }

  @Test(
    "Without AVX-512, our kernels compute on bfloat16 feature maps, because oneDNN's use float32")
  func narrowFeatureMaps() throws {
    var pooling = Spec.PoolingLayerParams()
    (pooling.type, pooling.kernelSize, pooling.stride) = (.average, [2, 2], [2, 2])
    pooling.poolingPaddingType = .valid(Spec.ValidPadding())
    var response = Spec.LRNLayerParams()
    (response.alpha, response.beta, response.localSize, response.k) = (0.1, 0.75, 5, 1)
    let test = TestNetwork(
      [
        .convolution(32, 3, kernel: 9, padding: 4).named("c1", ["x"], "a"),
        Spec.NeuralNetworkLayer(.pooling(pooling)).named("p", ["a"], "b"),
        .convolution(32, 32, padding: 1, groups: 2, seed: 3).named("c2", ["b"], "c"),
        Spec.NeuralNetworkLayer(.lrn(response)).named("l", ["c"], "d"),
        .upsample(2).named("u", ["d"], "e"),
        .convolution(16, 32, padding: 1, seed: 5).named("c3", ["e"], "f"),
        .batchNorm(16, instance: true).named("n", ["f"], "g"),
        .convolution(32, 16, kernel: 1, seed: 6).named("c4", ["g"], "h"),
        .deconvolution(3, 32, outputShape: [82, 90]).named("c5", ["h"], "y"),
      ], input: [1, 3, 40, 44])
    var options = ExecutionOptions(
      precision: .bfloat16, threads: 2,
      processor: Processor(hasAVX512: false, hasBFloat16: false, hasMatrixTiles: false))
    options.tuning = .fixed
    let input = ReferenceTensor.random([1, 3, 40, 44])
    let network = try test.network(options)
    let calls: [Plan.Call] = try network.plan(for: [TensorType(input.shape)]).plan.calls
    func isNarrow(_ locations: [Plan.Location]) -> Bool {
      locations.contains { $0.form.storage == .bfloat16 }
    }
    #expect(calls.contains { isNarrow($0.outputs) })
    for call in calls {
      let isLibrary: Bool =
        call.kernel.hasPrefix("oneDNN")
        || call.kernel == "reorder" && !call.step.detail.isEmpty && !Processor.current.hasAVX512
      #expect(!isLibrary || !isNarrow(call.inputs + call.outputs), "\(call.name): \(call.kernel)")
      #expect(call.kernel != "reference", "\(call.name)")
    }
    let expected = try test.graph().reference([input])[0]
    #expect(try network.predict(input).relativeDifference(to: expected) < 0.03)
    // This window has more elements than our kernel supports.
    let wide = ConvolutionOperator(
      outputChannels: 16, kernelChannels: 16, kernel: ConvolutionOperator.Pair(33, 33))
    var trial = KernelTrial(layout: .channelsLast, storage: .bfloat16)
    trial.processor = options.processor
    let kernels: [String] = try wide.candidates.filter {
      try trial.takes(
        $0, inputs: [TensorType([1, 16, 40, 44]), TensorType([16, 16, 33, 33])],
        outputs: [TensorType([1, 16, 8, 12])])
    }.map(\.name)
    #expect(kernels == ["oneDNN convolution"])
  }

  @Test("The measured speed-up of bfloat16 is plausible, and 0 if the processor has none")
  func measuredRate() {
    let current = Processor.current
    guard current.hasBFloat16 else { return #expect(current.bfloat16Rate == 0) }
    #expect((0.5...4).contains(current.bfloat16Rate), "\(current.bfloat16Rate)")
  }

  @Test(
    "A run that does not fit into memory is refused before it starts, and the error suggests a size that fits"
  )
  func memoryLimit() throws {
    let network = try Self.style.network(
      ExecutionOptions(threads: 2, memoryLimit: 2 << 20))
    let error = try #require(throws: EngineError.self) {
      try network.plan(for: [TensorType([1, 3, 512, 512])])
    }
    #expect(error.code == .outOfMemory)
    #expect(error.message.contains("a picture of"))
    #expect(error.message.contains("would fit"))
  }

  @Test("A shape that the network cannot process is refused with the layer's name")
  func badShape() throws {
    let network = try Self.style.network()
    let error = try #require(throws: EngineError.self) {
      try network.plan(for: [TensorType([1, 4, 32, 32])])
    }
    #expect(error.message.hasPrefix("Convolution 'in': the input has 4 channels"))
  }

  @Test("A layer that reads an undefined name is reported")
  func unknownInput() throws {
    let error = try #require(throws: EngineError.self) {
      try TestNetwork([.reLU.named("r", ["nowhere"], "y")], input: [3]).graph()
    }
    #expect(
      error.message == "Layer 'r' reads 'nowhere', which no input and no earlier layer makes.")
  }

  @Test("If a name is written twice, later readers get the later value")
  func rewrittenName() throws {
    let network = try TestNetwork(
      [.linear(2, 0).named("a", ["x"], "x"), .linear(1, 1).named("b", ["x"], "y")], input: [3]
    ).network()
    #expect(try network.predict(ReferenceTensor([3], [1, 2, 3])).values == [3, 5, 7])
  }

  @Test("An unknown layer type is refused by name")
  func unknownLayer() throws {
    var layer = Spec.NeuralNetworkLayer()
    layer.name = "strange"
    let error = try #require(throws: EngineError.self) {
      try TestNetwork([layer.named("strange", ["x"], "y")], input: [3]).graph()
    }
    #expect(error.message.contains("Layer 'strange' has no type"))
  }
}
