import Engine
import NetworkRuns
import Operators
import Testing

/// Tests networks whose linear layers quantise their inputs to int8.
@Suite("Dynamic quantisation")
struct DynamicQuantizationTests {
  /// A linear layer of one kind.
  enum Kind: String, CaseIterable {
    case rows, rowsWithGelu, innerProduct, product, productOfTransposed, convolution, int8, int4

    var isConvolution: Bool { self == .convolution }
  }

  private static let (inner, columns) = (96, 40)

  /// Builds a linear layer with a bias, or a product without one.
  private static func graph(_ kind: Kind) throws -> Graph {
    var graph = Graph()
    let x = graph.addValue("x")
    graph.inputs = [x]
    var generator = SplitMix64(seed: 3)
    func numbers(_ shape: Shape) -> Constant {
      Constant(shape, (0..<shape.count).map { _ in Float(generator.uniform(-1...1)) })
    }
    let shape: Shape =
      switch kind {
      case .product: [inner, columns]
      case .convolution: [columns, inner, 1, 1]
      default: [columns, inner]
      }
    var matrix: Constant = numbers(shape)
    if kind == .int8 || kind == .int4 {
      let byteCount: Int = kind == .int8 ? shape.count : shape.count / 2
      let bytes: [UInt8] = (0..<byteCount).map { _ in UInt8(generator.next() & 255) }
      let blocks: Shape = kind == .int8 ? [columns, 1] : [columns, inner / 32]
      let element: ElementType = kind == .int8 ? .int8 : .uint4
      let integers = Constant(TensorType(shape), StoredValues(bytes, of: element))
      let zeros = Constant(
        TensorType(blocks),
        StoredValues([UInt8](repeating: 0x88, count: blocks.count / 2), of: .uint4))
      matrix = try Constant.scaled(
        integers, by: numbers(blocks), from: kind == .int4 ? zeros : nil)
    }
    var inputs: [Graph.ValueID] = [x, graph.addConstant(matrix, name: "matrix")]
    let operation: any Operator
    switch kind {
    case .innerProduct: operation = InnerProductOperator()
    case .product: operation = BatchedMatMulOperator()
    case .productOfTransposed: operation = BatchedMatMulOperator(transposesRight: true)
    case .convolution:
      operation = ConvolutionOperator(
        outputChannels: columns, kernelChannels: inner, kernel: .init(1, 1), hasBias: true)
    default: operation = BatchedMatMulOperator.ofRows
    }
    if kind != .product, kind != .productOfTransposed {
      inputs.append(graph.addConstant(numbers([columns]), name: "bias"))
    }
    let result = graph.addValue("result")
    graph.nodes = [
      Graph.Node(name: "layer", operation: operation, inputs: inputs, outputs: [result])
    ]
    graph.outputs = [result]
    guard kind == .rowsWithGelu else { return graph }
    let activated = graph.addValue("activated")
    graph.nodes.append(
      Graph.Node(
        name: "gelu", operation: GeluOperator(.exact), inputs: [result], outputs: [activated]))
    graph.outputs = [activated]
    return graph
  }

  private static func network(_ kind: Kind, isQuantized: Bool = true, threads: Int = 2) throws
    -> Network
  {
    var options = ExecutionOptions(threads: threads)
    options.usesDynamicQuantization = isQuantized
    return Network(try graph(kind), passes: GraphPasses.standard, options: options)
  }

  /// Returns the names of the kernels of a plan.
  private static func kernels(_ network: Network, _ input: ReferenceTensor) throws -> [String] {
    try network.plan(for: [input.type]).plan.wholeRun().calls.map(\.kernel)
  }

  private static func input(_ kind: Kind, rows: Int) -> ReferenceTensor {
    var generator = SplitMix64(seed: 5)
    let shape: Shape = kind.isConvolution ? [1, inner, rows, 1] : [1, rows, inner]
    return ReferenceTensor(
      shape, (0..<shape.count).map { _ in Double(Float(generator.uniform(-1...1))) })
  }

  @Test(
    "A linear layer quantises its rows if the options ask for it, and only then",
    arguments: Kind.allCases, [1, 70])
  func layers(kind: Kind, rows: Int) throws {
    let input: ReferenceTensor = Self.input(kind, rows: rows)
    let exact: ReferenceTensor = try Self.network(kind, isQuantized: false).run([input])[0]
    let network: Network = try Self.network(kind)
    let made: ReferenceTensor = try network.run([input])[0]
    let names: [String] = try Self.kernels(network, input)
    #expect(names.contains { $0.hasSuffix("with dynamic quantisation") }, "\(names)")
    let plain: [String] = try Self.kernels(Self.network(kind, isQuantized: false), input)
    #expect(!plain.contains { $0.hasSuffix("with dynamic quantisation") }, "\(plain)")
    // A quantised number is wrong by at most 1/254 of the largest one, a third of that on average.
    let error = zip(made.values, exact.values).reduce(0.0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
    let size = exact.values.reduce(0.0) { $0 + $1 * $1 }
    #expect(error > 0)
    #expect((error / size).squareRoot() < 0.012, "\((error / size).squareRoot())")
    for threads in [1, 3] {
      #expect(try Self.network(kind, threads: threads).run([input])[0].values == made.values)
    }
  }

  @Test("Integer weights of a file stay as they are")
  func integers() throws {
    // Rows of small integers whose largest is 127 have the scale 1, so that nothing is rounded.
    for kind: Kind in [.int8, .int4] {
      var input: ReferenceTensor = Self.input(kind, rows: 3)
      input.values = input.values.map { ($0 * 100).rounded() }
      for row in 0..<3 { input.values[row * Self.inner] = 127 }
      let exact: ReferenceTensor = try Self.network(kind, isQuantized: false).run([input])[0]
      let made: ReferenceTensor = try Self.network(kind).run([input])[0]
      let comparison = Comparison(made, to: exact)
      #expect(comparison.error <= 2e-6, "\(kind): \(comparison)")
    }
  }
}
