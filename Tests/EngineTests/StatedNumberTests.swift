import Engine
import Operators
import Testing

/// Tests numbers from files that no reader has validated. None of these numbers may cause a trap.
@Suite("An unvalidated number from a file")
struct StatedNumberTests {
  @Test(
    "A floating-point number is clamped and truncated to an integer",
    arguments: [
      (Double.nan, 0), (.infinity, 2_147_483_647), (-.infinity, -2_147_483_648),
      (1e300, 2_147_483_647),
      (2.9, 2), (-2.9, -2), (2_147_483_646, 2_147_483_646), (-0.0, 0),
    ])
  func reals(number: Double, expected: Int) {
    #expect(Int(bounding: number) == expected)
    #expect(Int(bounding: Float(number)) == Int(bounding: Double(Float(number))))
  }

  @Test("NaN becomes the bound nearest to 0")
  func notANumber() {
    #expect(Int(bounding: Double.nan, to: 3...9) == 3)
    #expect(Int(bounding: Float.nan, to: -9...(-3)) == -3)
    #expect(Int(bounding: Double.greatestFiniteMagnitude, to: Int.min...Int.max) == Int.max)
  }

  @Test("An integer of any width is clamped")
  func integers() {
    #expect(Int(bounding: UInt64.max) == 2_147_483_647)
    #expect(Int(bounding: Int64.min) == -2_147_483_648)
    #expect(Int(bounding: Int.min, to: 0...7) == 0)
  }

  @Test("Products and sums of extents saturate instead of overflowing")
  func products() {
    #expect([1 << 31, 1 << 31, 1 << 31].product == Int.max)
    #expect([Int]().product == 1)
    #expect([2, 3, 7].product == 42)
    #expect([Int.max, 1].saturatingSum == Int.max)
    #expect([1 << 31, 1 << 31, 1 << 31, 0].map { $0 }.reduce(0, max) == 1 << 31)
    #expect(Shape([1 << 31, 1 << 31, 1 << 31, 0]).count == 0)
    #expect(Shape([1 << 40, 1 << 40, 1 << 40]).strides == [Int.max, 1 << 40, 1])
  }

  @Test("A slice with the step Int.min has one element")
  func step() throws {
    let slice = SliceStaticOperator(slices: [AxisSlice(stride: Int.min)])
    let types = try slice.outputTypes(for: [OperatorInput(TensorType([5]))])
    #expect(types?[0].shape == [1])
  }

  @Test("A constant that is too large is refused before it is computed")
  func computed() throws {
    let made = try Constant.computed([2, 3], "six") { [1, 2, 3, 4, 5, 6] }
    #expect(try made.tensor().values == [1, 2, 3, 4, 5, 6])
    let error = #expect(throws: EngineError.self) {
      try Constant.computed([1 << 20, 1 << 20], "the weights") { [] }
    }
    #expect(
      error?.message
        == "the weights would have the shape 1048576 × 1048576, more values than one tensor may have. The file may be damaged."
    )
    #expect(throws: EngineError.self) { try Shape.computed([-1], "a list") }
  }

  @Test("The values of a constant count against the memory limit")
  func held() {
    let one = Constant([1], [3])
    #expect(one.heldCount == 1)
    #expect(one.stretched(to: 1 << 20)?.heldCount == 1)
    #expect(Constant.repeating(0, [7, 9]).heldCount == 0)
    #expect(Constant.repeating(0, [7, 9]).reshaped(to: [63]).heldCount == 0)
    let rows = Constant([2, 2], [1, 2, 3, 4])
    #expect(rows.plus(rows).heldCount == 4)
    #expect(rows.reshaped(to: [4]).rows(1..<3).heldCount == 2)
  }

  @Test(
    "A bias of the wrong size is refused before a model is written",
    arguments: [false, true])
  func checkedTypes(isOpen: Bool) throws {
    var graph = Graph()
    let x = graph.addValue("x")
    graph.inputs = [x]
    let weights = graph.addConstant(
      Constant(ReferenceTensor([8, 3, 1, 1], repeating: 1)), name: "w")
    let bias = graph.addConstant(Constant(ReferenceTensor([7], repeating: 1)), name: "b")
    let y = graph.addValue("y")
    graph.nodes = [
      Graph.Node(
        name: "c",
        operation: ConvolutionOperator(
          outputChannels: 8, kernelChannels: 3, kernel: .init(1, 1), hasBias: true),
        inputs: [x, weights, bias], outputs: [y])
    ]
    graph.outputs = [y]
    let side: Extent = isOpen ? Extent(from: 1) : 4
    let model = GraphModel(
      graph, inputs: [.init("x", .float32, [1, 3, side, side])],
      outputs: [.init("y", .float32, nil)])
    let error = #expect(throws: EngineError.self) { try model.checkTypes() }
    #expect(
      error?.message
        == "Convolution 'c': the bias given as input is 7, expected 8 numbers.")
  }

  @Test("The memory estimate counts the copies that a definition makes")
  func definition() throws {
    let builder = GraphBuilder()
    let x = builder.addInput("x", extents: [2, 2, 3])
    // The result takes 25 MB. To compute the result, the reference implementation needs 151 MB.
    let resizing = ResizeOperator(sizes: [3, 2048, 1024], mode: .linear, grid: .upsample)
    builder.addOutput(try builder.add(resizing, x, name: "r"), name: "y")
    func plan(limit: Int) throws {
      let options = ExecutionOptions(threads: 1, memoryLimit: limit)
      _ = try Network(builder.model().graph, passes: GraphPasses.standard, options: options)
        .plan(for: [TensorType([2, 2, 3])])
    }
    let error = #expect(throws: EngineError.self) { try plan(limit: 100 << 20) }
    #expect(error?.code == .outOfMemory)
    try plan(limit: 400 << 20)
  }

  @Test("A model is valid if its shape inference refuses only some of the allowed sizes")
  func openExtents() throws {
    let builder = GraphBuilder()
    let x = builder.addInput("x", extents: [1, 1, Extent(from: 1), 15])
    let y = try builder.add(
      ReorganizeDataOperator(mode: .spaceToDepth, blockSize: 5), x, name: "r")
    builder.addOutput(y, name: "y")
    var model = builder.model()
    try model.checkTypes()
    model.inputs[0].extents = [1, 1, 4, 15]
    #expect(throws: EngineError.self) { try model.checkTypes() }
  }
}
