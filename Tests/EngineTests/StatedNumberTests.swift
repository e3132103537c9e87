import Engine
import Operators
import Testing

/// Numbers that files state, before anybody has checked them: nothing traps.
@Suite("A number that is stated")
struct StatedNumberTests {
  @Test(
    "becomes an integer that is kept to bounds",
    arguments: [
      (Double.nan, 0), (.infinity, 2_147_483_647), (-.infinity, -2_147_483_648),
      (1e300, 2_147_483_647),
      (2.9, 2), (-2.9, -2), (2_147_483_646, 2_147_483_646), (-0.0, 0),
    ])
  func reals(number: Double, expected: Int) {
    #expect(Int(bounding: number) == expected)
    #expect(Int(bounding: Float(number)) == Int(bounding: Double(Float(number))))
  }

  @Test("is NaN, becomes the bound nearest to 0")
  func notANumber() {
    #expect(Int(bounding: Double.nan, to: 3...9) == 3)
    #expect(Int(bounding: Float.nan, to: -9...(-3)) == -3)
    #expect(Int(bounding: Double.greatestFiniteMagnitude, to: Int.min...Int.max) == Int.max)
  }

  @Test("is an integer of any width, is kept to bounds")
  func integers() {
    #expect(Int(bounding: UInt64.max) == 2_147_483_647)
    #expect(Int(bounding: Int64.min) == -2_147_483_648)
    #expect(Int(bounding: Int.min, to: 0...7) == 0)
  }

  @Test("multiplies and adds without overflow")
  func products() {
    #expect([1 << 31, 1 << 31, 1 << 31].product == Int.max)
    #expect([Int]().product == 1)
    #expect([2, 3, 7].product == 42)
    #expect([Int.max, 1].saturatingSum == Int.max)
    #expect([1 << 31, 1 << 31, 1 << 31, 0].map { $0 }.reduce(0, max) == 1 << 31)
    #expect(Shape([1 << 31, 1 << 31, 1 << 31, 0]).count == 0)
    #expect(Shape([1 << 40, 1 << 40, 1 << 40]).strides == [Int.max, 1 << 40, 1])
  }

  @Test("of a step that is the least integer slices one element")
  func step() throws {
    let slice = SliceStaticOperator(slices: [AxisSlice(stride: Int.min)])
    let types = try slice.outputTypes(for: [OperatorInput(TensorType([5]))])
    #expect(types?[0].shape == [1])
  }

  @Test("says how large a constant is that is computed when somebody asks")
  func computed() throws {
    let made = try Constant.computed([2, 3], "six") { [1, 2, 3, 4, 5, 6] }
    #expect(try made.tensor().values == [1, 2, 3, 4, 5, 6])
    let error = #expect(throws: EngineError.self) {
      try Constant.computed([1 << 20, 1 << 20], "the weights") { [] }
    }
    #expect(
      error?.message
        == "the weights would be 1048576 × 1048576 numbers, more than one tensor may have. The file may be damaged."
    )
    #expect(throws: EngineError.self) { try Shape.computed([-1], "a list") }
  }

  @Test(
    "of a bias that does not fit is refused before a model is written", arguments: [false, true])
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

  @Test("of a size that only the definition computes counts with what that copies")
  func definition() throws {
    let builder = GraphBuilder()
    let x = builder.addInput("x", extents: [2, 2, 3])
    // 25 MB of results, for which the definition takes 151 MB.
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

  @Test("of extents that a rule refuses for some sizes is no fault of the model")
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
