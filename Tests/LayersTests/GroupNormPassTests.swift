import Engine
import NetworkRuns
import Operators
import Testing

@Suite("Group norms are recognised")
struct GroupNormPassTests {
  /// How a converter writes the norm, or something that is no group norm.
  enum Form: CaseIterable {
    case quotient, product, instanceNorm, twoReshapes, float16
    case otherMean, otherAxes, halfRounded

    var isNorm: Bool {
      switch self {
      case .otherMean, .otherAxes, .halfRounded: false
      default: true
      }
    }
  }

  /// Appends nodes to a graph, with a rounding to float16 after each if `rounds` is set.
  private struct Builder {
    var graph = Graph()
    let x: Graph.ValueID
    var rounds = false

    init() {
      x = graph.addValue("x")
      graph.inputs = [x]
    }

    mutating func add(_ operation: any Operator, _ inputs: Graph.ValueID...) -> Graph.ValueID {
      let moves: Bool = operation is ReshapeStaticOperator || operation is RoundOperator
      let result = graph.addValue("value \(graph.nodes.count)")
      graph.nodes.append(
        Graph.Node(
          name: "node \(graph.nodes.count)", operation: operation, inputs: inputs,
          outputs: [result]))
      return rounds && !moves ? add(RoundOperator(to: .float16), result) : result
    }

    mutating func constant(_ shape: Shape, _ range: ClosedRange<Double>) -> Graph.ValueID {
      var generator = SplitMix64(seed: 7)
      return graph.addConstant(
        Constant(shape, (0..<shape.count).map { _ in Float(generator.uniform(range)) }),
        name: "constant")
    }
  }

  private static let shape: Shape = [2, 12, 5, 7]

  private func graph(_ form: Form) -> Graph {
    var all = Builder()
    var x: Graph.ValueID = all.x
    if form == .float16 { x = all.add(RoundOperator(to: .float16), x) }
    all.rounds = form == .float16
    let apart: [Int] = form == .quotient || form == .otherAxes ? [2, 4, 3, 5, 7] : [2, 4, 105]
    var grouped = all.add(ReshapeStaticOperator(targetShape: apart), x)
    let axes: [Int] = form == .otherAxes ? [-1, -2] : Array(2..<apart.count)
    let mean = ReduceAxesOperator(.mean, axes: axes, keepsAxes: true)
    var normed: Graph.ValueID
    if form == .instanceNorm || form == .twoReshapes {
      grouped = all.add(ReshapeStaticOperator(targetShape: [2, 4, 1, 105]), grouped)
      let (ones, zeros) = (all.constant([4], 1...1), all.constant([4], 0...0))
      normed = all.add(
        BatchNormOperator(channels: 4, statistics: .instance, epsilon: 1e-3), grouped, ones, zeros)
      if form == .twoReshapes {
        normed = all.add(ReshapeStaticOperator(targetShape: [2, 4, 105]), normed)
      }
    } else {
      let centre = all.add(
        mean, form == .otherMean ? all.add(ActivationOperator(.tanh), grouped) : grouped)
      let distance = all.add(BinaryFunctionOperator(.subtract), grouped, centre)
      let square = all.add(BinaryFunctionOperator(.multiply), distance, distance)
      var variance = all.add(mean, square)
      if form == .product {
        let factor = all.add(UnaryOperator(.reciprocalSquareRoot(epsilon: 1e-3)), variance)
        normed = all.add(BinaryFunctionOperator(.multiply), factor, distance)
      } else {
        let epsilon = all.constant([], 1e-3...1e-3)
        variance = all.add(BinaryFunctionOperator(.add), variance, epsilon)
        if form == .halfRounded { variance = all.add(RoundOperator(to: .float16), variance) }
        let deviation = all.add(UnaryFunctionOperator(.squareRoot), variance)
        normed = all.add(BinaryFunctionOperator(.divide), distance, deviation)
      }
    }
    let picture = all.add(ReshapeStaticOperator(targetShape: [2, 12, 5, 7]), normed)
    let (gamma, beta) = (all.constant([1, 12, 1, 1], 0.5...1.5), all.constant([12, 1, 1], -1...1))
    let scaled = all.add(BinaryFunctionOperator(.multiply), picture, gamma)
    let shifted = all.add(BinaryFunctionOperator(.add), beta, scaled)
    all.graph.outputs = [all.add(FormulaOperator(.swish, inputCount: 1), shifted)]
    return all.graph
  }

  @Test("Each way of writing the norm gives its values", arguments: Form.allCases)
  func recognises(form: Form) throws {
    var generator = SplitMix64(seed: 5)
    let input = ReferenceTensor(
      Self.shape, (0..<Self.shape.count).map { _ in generator.uniform(-24...24).rounded() / 8 })
    let graph: Graph = graph(form)
    var optimized: Graph = graph
    try optimized.inferTypes(from: [TensorType(Self.shape)])
    for pass in GraphPasses.standard { try pass.run(on: &optimized) }
    let norm = optimized.nodes.lazy.compactMap { $0.operation as? GroupNorm }.first
    #expect((norm != nil) == form.isNorm)
    if let norm {
      #expect(norm.hasGamma && norm.hasBeta && norm.activation == .swish && norm.groups == 4)
      #expect(norm.rounds == (form == .float16))
      // In float16 the input is rounded first.
      #expect(optimized.nodes.count == (form == .float16 ? 2 : 1))
    }

    let made = try Network(
      graph, passes: GraphPasses.standard, options: ExecutionOptions(threads: 1)
    ).run([input])[0]
    let expected = try Network(graph, passes: [], options: ExecutionOptions(threads: 1))
      .run([input])[0]
    let comparison = Comparison(made, to: expected)
    #expect(comparison.error <= (form == .float16 ? 0 : 2e-5), "\(comparison)")
  }
}
