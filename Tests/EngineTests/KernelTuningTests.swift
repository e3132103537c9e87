import ModelFormat
import Operators
import Testing

@testable import Engine

@Suite("Kernels chosen by measurement", .serialized)
struct KernelTuningTests {
  private static let shape: Shape = [1, 32, 96, 80]

  /// A network with a convolution that several kernels support, and a convolution that is too small to be timed.
  private static let network = TestNetwork(
    [
      .convolution(32, 32, padding: 1).named("c", ["x"], "a"), .reLU.named("r", ["a"], "b"),
      .convolution(2, 32, kernel: 1).named("small", ["b"], "y"),
    ], input: [1, 32, 96, 80])

  private static func options(
    _ precision: Precision = .float32, threads: Int = 1
  ) -> ExecutionOptions {
    var options = ExecutionOptions(precision: precision, threads: threads)
    options.tuning = .measured
    return options
  }

  private static func graph() throws -> Graph {
    try network.network().optimizedGraph(for: [TensorType(shape)])
  }

  private static func plan(
    _ memory: KernelChoiceStore, _ options: ExecutionOptions = options()
  ) throws -> PlannedRun {
    let graph: Graph = try graph()
    let tuned: GraphTuning = KernelTuner.tune(graph, options, memory: memory)
    return try Planner.plan(graph, options: tuned.options, choices: tuned.choices)
  }

  @Test("Tests use the fixed kernel order, and so do the programs that they start")
  func fixedInTests() throws {
    #expect(KernelTuning.standard == .fixed)
    #expect(ExecutionOptions().tuning == .fixed)
    let plan = try Self.network.network().plan(for: [TensorType(Self.shape)]).plan
    #expect(plan.calls.allSatisfy { $0.choice == nil })
  }

  @Test("Nothing is timed for few runs, because it would not pay off")
  func expectedRuns() throws {
    func milliseconds(_ multiplyAdds: Double, _ runs: Int?, threads: Int = 1) -> Double {
      var options: ExecutionOptions = Self.options(threads: threads)
      options.expectedRuns = runs
      return Double(KernelTuner.nanoseconds(for: multiplyAdds, options)) / 1e6
    }
    #expect(milliseconds(1e9, nil) == 600)
    #expect(milliseconds(1e9, 1) == 5)
    #expect(milliseconds(1e9, 20, threads: 2) == 50)
    #expect(milliseconds(1e9, .max) == 600)
    #expect(milliseconds(0, 1) == 0)
    #expect(milliseconds(1e9, -1) == 0)
    // If no runs are expected, the plan of a tiny network times no kernels. A later plan still times them.
    let memory = KernelChoiceStore(nil)
    var options: ExecutionOptions = Self.options()
    options.expectedRuns = 0
    #expect(try Self.plan(memory, options).calls.allSatisfy { $0.choice == nil })
    #expect(try Self.plan(memory).calls.contains { $0.choice != nil })
  }

  @Test("Every suitable kernel is timed, the fastest one is chosen, and small nodes are not timed")
  func measured() throws {
    let plan: PlannedRun = try Self.plan(KernelChoiceStore(nil))
    let call = try #require(plan.calls.first { $0.name.contains("c") && $0.choice != nil })
    let choice = try #require(call.choice)
    let times: [String: Double] = Dictionary(
      uniqueKeysWithValues: choice.times.map { ($0.kernel, $0.milliseconds) })
    #expect(
      times.keys.sorted() == [
        "Winograd convolution", "direct convolution", "oneDNN convolution",
      ])
    #expect(times.values.allSatisfy { $0 > 0 })
    let best: Double = try #require(times[choice.kernel])
    #expect(best <= (times.values.min() ?? 0) / KernelChoice.roughMargin * 1.001)
    #expect(call.kernel == choice.kernel)
    #expect(plan.calls.filter { $0.choice != nil }.count == 1)
  }

  @Test(
    "oneDNN's matrix product with three columns, 50 times slower than ours, is not timed",
    .enabled(if: !Processor.current.hasAVX512, "oneDNN has kernels of AVX-512 for three channels"))
  func slowProducts() throws {
    let network = TestNetwork(
      [.convolution(3, 32, kernel: 9, padding: 4).named("c", ["x"], "y")], input: [1, 32, 40, 40])
    let graph: Graph = try network.network().optimizedGraph(for: [TensorType([1, 32, 40, 40])])
    let tuned: GraphTuning = KernelTuner.tune(graph, Self.options(), memory: KernelChoiceStore(nil))
    let names: [String] = try #require(tuned.choices.values.first).times.map(\.kernel)
    #expect(names.count > 1 && !names.contains("oneDNN convolution"), "\(names)")
  }

  @Test("The third request for a plan measures its kernels, and others keep the plan")
  func thirdRequest() throws {
    let types = [TensorType(Self.shape)]
    func network(_ memory: KernelChoiceStore, runs: Int? = nil) throws -> Network {
      var options: ExecutionOptions = Self.options()
      options.expectedRuns = runs
      return Network(
        try Self.network.network().graph, passes: GraphPasses.standard, options: options,
        cachedMemoryLimit: Network.cachedMemoryLimit, choices: memory)
    }
    func isMeasured(_ prepared: PreparedPlan) -> Bool {
      prepared.plan.calls.contains { $0.choice != nil }
    }
    let memory = KernelChoiceStore(nil)
    let measuring: Network = try network(memory)
    let first: PreparedPlan = try measuring.plan(for: types)
    #expect(!isMeasured(first))
    #expect(try measuring.plan(for: types) === first)
    let third: PreparedPlan = try measuring.plan(for: types)
    #expect(third !== first && isMeasured(third))
    #expect(try measuring.plan(for: types) === third)
    #expect(measuring.planCount == 2)

    // Remembered choices are used at once.
    let remembering: Network = try network(memory)
    let remembered: PreparedPlan = try remembering.plan(for: types)
    #expect(isMeasured(remembered))
    for _ in 0..<4 { #expect(try remembering.plan(for: types) === remembered) }

    #expect(isMeasured(try network(KernelChoiceStore(nil)).plan(for: types, measuresNow: true)))
    let expecting: Network = try network(KernelChoiceStore(nil), runs: .max)
    #expect(isMeasured(try expecting.plan(for: types)))
  }

  @Test("A stored choice overrides the fixed order and is not timed again")
  func remembered() throws {
    let memory = KernelChoiceStore(nil)
    _ = try Self.plan(memory)
    let node = try #require(
      try Self.graph().nodes.compactMap { TunedNode($0, in: try Self.graph()) }.first)
    let times = [KernelTime(kernel: "direct convolution", milliseconds: 7)]
    memory.remember(
      KernelChoice(kernel: "direct convolution", times: times), as: node.key(Self.options()))
    let call = try #require(try Self.plan(memory).calls.first { $0.choice != nil })
    #expect(call.kernel == "direct convolution")
    // The stored time is 7 ms for 10⁹ multiply-adds.
    let time: Double = try #require(call.choice?.times.first?.milliseconds)
    #expect(abs(time - 7 * node.multiplyAdds / 1e9) < 1e-9)
  }

  @Test(
    "The plan runs the fastest kernel, whichever it is",
    arguments: [Precision.float32, .bfloat16], [3, 9])
  func chosenRuns(precision: Precision, side: Int) throws {
    let network = TestNetwork(
      [.convolution(16, 16, kernel: side, padding: side / 2).named("c", ["x"], "y")],
      input: [1, 16, 96, 80])
    let options: ExecutionOptions = Self.options(precision, threads: 2)
    let graph: Graph = try network.network().optimizedGraph(for: [TensorType([1, 16, 96, 80])])
    let node = try #require(graph.nodes.compactMap { TunedNode($0, in: graph) }.first)
    let kernels: [String] = try node.kernels(of: node.whole, options).map(\.name)
    #expect(kernels.count > 1)
    for kernel in kernels {
      let choice = KernelChoice(kernel: kernel, times: [])
      let plan = try Planner.plan(graph, options: options, choices: [node.output: choice])
      #expect(plan.calls.compactMap { $0.choice == nil ? nil : $0.kernel } == [kernel])
    }
  }

  @Test("A stored kernel that is not a candidate of the node is ignored")
  func unknownKernel() throws {
    let memory = KernelChoiceStore(nil)
    let graph: Graph = try Self.graph()
    let node = try #require(graph.nodes.compactMap { TunedNode($0, in: graph) }.first)
    memory.remember(
      KernelChoice(kernel: "another's kernel", times: []), as: node.key(Self.options()))
    #expect(try Self.plan(memory).calls.contains { $0.kernel == "Winograd convolution" })
  }

  @Test(
    "If bfloat16 is only a storage format, it is not compared with float32",
    .enabled(if: !multiplies, "the processor has products of bfloat16"))
  func storedPrecision() throws {
    let memory = KernelChoiceStore(nil)
    let graph: Graph = try Self.graph()
    let options: ExecutionOptions = Self.options(.bfloat16)
    let keys: [String] = graph.nodes.compactMap { TunedNode($0, in: graph)?.key(options) }
    #expect(KernelTuner.tune(graph, options, memory: memory).options.precision == .bfloat16)
    #expect(memory.precision(KernelChoiceStore.networkKey(keys)) == nil)
    let call = try #require(try Self.plan(memory, options).calls.first { $0.choice != nil })
    #expect(call.inputs[0].form.storage == .bfloat16)
  }

  private static let multiplies = Processor.current.multipliesBFloat16

  @Test(
    "A network computes in float32 or bfloat16, whichever was faster",
    .enabled(if: multiplies, "the processor has no products of bfloat16"))
  func precision() throws {
    for (remembered, storage) in [(Precision.float32, ElementType.float32), (.bfloat16, .bfloat16)]
    {
      let memory = KernelChoiceStore(nil)
      let graph: Graph = try Self.graph()
      let options: ExecutionOptions = Self.options(.bfloat16)
      let keys: [String] = graph.nodes.compactMap { TunedNode($0, in: graph)?.key(options) }
      memory.remember(remembered, as: KernelChoiceStore.networkKey(keys))
      let call = try #require(try Self.plan(memory, options).calls.first { $0.choice != nil })
      #expect(call.inputs[0].form.storage == storage)
    }
  }

  @Test(
    "The faster precision is measured only once",
    .enabled(if: multiplies, "the processor has no products of bfloat16"))
  func measuredPrecision() throws {
    let memory = KernelChoiceStore(nil)
    let graph: Graph = try Self.graph()
    let options: ExecutionOptions = Self.options(.bfloat16)
    let keys: [String] = graph.nodes.compactMap { TunedNode($0, in: graph)?.key(options) }
    // On a busy machine, the time budget of one plan may not be enough to time every kernel.
    for _ in 0..<20 where memory.precision(KernelChoiceStore.networkKey(keys)) == nil {
      _ = KernelTuner.tune(graph, options, memory: memory)
    }
    let tuned: GraphTuning = KernelTuner.tune(graph, options, memory: memory)
    #expect(memory.precision(KernelChoiceStore.networkKey(keys)) == tuned.options.precision)
    #expect(KernelTuner.tune(graph, options, memory: memory).options == tuned.options)
  }

  @Test(
    "With one choice store a network gives the same bits in every run, close to those of the fixed order"
  )
  func sameBits() throws {
    let memory = KernelChoiceStore(nil)
    let graph: Graph = try Self.graph()
    func run(_ options: ExecutionOptions) throws -> [Float] {
      let tuned: GraphTuning = KernelTuner.tune(graph, options, memory: memory)
      let plan = try Planner.plan(graph, options: tuned.options, choices: tuned.choices)
      let session = try RunSession(plan)
      let input = ReferenceTensor.random(Self.shape)
      let (port, made) = (plan.inputs[0].location, plan.outputs[0].location)
      TensorCodec.pack(input, as: port.form, into: session.pointer(port))
      try session.run(RunLimits.none)
      return TensorCodec.unpack(session.pointer(made), as: made.form).values.map(Float.init)
    }
    // Sessions run with a thread team of the size that the options state.
    let options: ExecutionOptions = Self.options(threads: ExecutionOptions.defaultThreads)
    let answer: [Float] = try run(options)
    #expect(try run(options) == answer)
    var fixed: ExecutionOptions = options
    fixed.tuning = .fixed
    let other: [Float] = try run(fixed)
    let largest: Float = other.map(abs).max() ?? 0
    #expect(zip(answer, other).allSatisfy { abs($0 - $1) <= largest * 1e-4 })
  }

  @Test("Images of similar size share measurements, others do not")
  func sharedSizes() throws {
    func key(_ height: Int, _ width: Int) throws -> String {
      let graph = try Self.network.network().optimizedGraph(for: [
        TensorType([1, 32, height, width])
      ])
      return try #require(graph.nodes.compactMap { TunedNode($0, in: graph) }.first)
        .key(Self.options())
    }
    #expect(try key(184, 200) == key(190, 206))
    #expect(try key(184, 200) != key(200, 200))
    #expect(try key(184, 200) != key(368, 400))
  }

  @Test(
    "A part of a convolution is timed as a representative, scaled by its share of the multiply-adds",
    arguments: [
      // The timed part of a convolution computes a quarter of the output rows, rounded up to groups of twelve: 108 of
      // 400, or 60 of 200. `rows` is how many of the 400 input rows the part reads. The part's share of all
      // multiply-adds must be close to `rows` / 400.
      (ConvolutionOperator(outputChannels: 16, kernelChannels: 16), false, 110),
      (ConvolutionOperator(outputChannels: 16, kernelChannels: 16, stride: .init(2, 2)), true, 121),
      (
        ConvolutionOperator(
          outputChannels: 16, kernelChannels: 16, stride: .init(2, 2),
          padding: .valid(top: 1, left: 1, bottom: 0, right: 0), isDeconvolution: true,
          outputShape: .init(800, 800)), false, 100
      ),
    ])
  func parts(operation: ConvolutionOperator, hasResidual: Bool, rows: Int) throws {
    var inputs = [TensorType([1, 16, 400, 400]), TensorType(operation.weightShape)]
    var operation = FusedConvolution(operation)
    if hasResidual {
      operation.epilogue = [.residual(.init(top: 1, left: 1))]
      inputs.append(TensorType([1, 16, 203, 202]))
    }
    let outputs = try #require(try operation.outputTypes(for: inputs.map { OperatorInput($0) }))
    let part = try #require(try operation.reduced(inputs, share: 0.25))
    let made = try #require(
      try part.operation.outputTypes(for: part.inputs.map { OperatorInput($0) }))
    let share: Double =
      part.operation.multiplyAddCount(part.inputs, made)
      / operation.multiplyAddCount(inputs, outputs)
    #expect(abs(share - Double(rows) / 400) < 0.01)
    #expect(part.inputs[0].shape == [1, 16, rows, 400])
    #expect(made[0].shape[-1] == outputs[0].shape[-1])
    #expect(try operation.reduced(inputs, share: 0.9) == nil)
  }

  @Test(
    "Matrix products are timed if several kernels support them, with fewer rows as a representative"
  )
  func multiplyAdds() throws {
    let builder = GraphBuilder()
    let shape: Shape = [1, 512, 96]
    let input = builder.addInput("x", extents: [1, 512, 96])
    let matrix = builder.addConstant(ReferenceTensor.random([96, 128]), name: "m")
    let made = try builder.add(BatchedMatMulOperator(), input, matrix, name: "y")
    builder.addOutput(made, name: "y")
    let network = Network(builder.model().graph, passes: [], options: Self.options())
    let graph: Graph = try network.optimizedGraph(for: [TensorType(shape)])
    let node = try #require(TunedNode.all(in: graph).first)
    let tuned: GraphTuning = KernelTuner.tune(graph, Self.options(), memory: KernelChoiceStore(nil))
    #expect(
      tuned.choices[node.output]?.times.map(\.kernel) == [
        "oneDNN product with a constant matrix", "oneDNN matrix products",
      ])
    let part = try #require(try node.operation.reduced(node.inputs, share: 0.5))
    #expect(part.inputs[0].shape == [1, 256, 96])
    #expect(try node.operation.reduced(node.inputs, share: 0.9) == nil)
  }

  @Test("Weights that exceed the caches have a separate key")
  func coldWeights() throws {
    let graph: Graph = try Self.graph()
    let node = try #require(graph.nodes.first { TunedNode($0, in: graph) != nil })
    let (warm, cold) = (
      try #require(TunedNode(node, in: graph)),
      try #require(TunedNode(node, in: graph, isCold: true))
    )
    #expect(TunedNode.all(in: graph).first?.isCold == false)
    #expect(cold.key(Self.options()) != warm.key(Self.options()))
  }

  @Test("A kernel that needs no timing is taken, though a part of the node has too few rows for it")
  func untimed() throws {
    let memory = KernelChoiceStore(nil)
    func choice(rows: Int) throws -> KernelChoice {
      var graph = Graph()
      let x = graph.addValue("x", type: TensorType([rows, 1024]))
      let halves = StoredValues([UInt8](repeating: 0, count: 4096 * 1024 * 2), of: .float16)
      let w = graph.addConstant(Constant(TensorType([4096, 1024]), halves), name: "w")
      let y = graph.addValue("y")
      graph.nodes = [
        Graph.Node(name: "y", operation: InnerProductOperator(), inputs: [x, w], outputs: [y])
      ]
      (graph.inputs, graph.outputs) = ([x], [y])
      try graph.inferTypes(from: [TensorType([rows, 1024])])
      let tuning: GraphTuning = KernelTuner.tune(graph, Self.options(), memory: memory)
      return try #require(tuning.choices[y.index])
    }
    let untimed: KernelChoice = try choice(rows: 512)
    #expect(untimed.kernel == "native product with panels of a stored matrix")
    #expect(untimed.times.isEmpty)
    #expect(try choice(rows: 128).times.count > 1)
  }
}
