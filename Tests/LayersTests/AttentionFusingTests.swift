import Engine
import NetworkRuns
import Operators
import Testing

@Suite("Attention as one operator")
struct AttentionFusingTests {
  /// How a graph computes attention.
  struct Form: CustomTestStringConvertible {
    var name: String
    /// Where the scale is: before or after the first product, or nowhere.
    var scalesQuery = false, scalesScores = false
    var hasMask = false
    /// Whether the mask selects scores instead of being added to them.
    var hides = false
    /// Whether rows come before heads in the inputs and the output, and whether the key is transposed by an operator.
    var rowsFirst = false, transposesKey = false
    /// Whether key and value have one head, which is repeated.
    var repeatsHeads = false
    var rounds = false
    var queries = 12
    /// Whether the weights are an output as well.
    var returnsWeights = false
    /// The number of nodes that remain.
    var count = 1

    var testDescription: String { name }
  }

  static let forms: [Form] = [
    Form(name: "plain"), Form(name: "scaled scores", scalesScores: true),
    Form(name: "a scaled query and a mask", scalesQuery: true, hasMask: true),
    Form(name: "rows first", scalesQuery: true, rowsFirst: true),
    Form(
      name: "rows first, transposed key", scalesScores: true, rowsFirst: true, transposesKey: true),
    Form(name: "transposed key", hasMask: true, transposesKey: true),
    Form(name: "rounded", scalesQuery: true, hasMask: true, rowsFirst: true, rounds: true),
    Form(name: "hidden keys", hasMask: true, hides: true),
    Form(name: "hidden keys, rounded", hasMask: true, hides: true, rounds: true),
    Form(name: "rounded scores", scalesScores: true, rounds: true),
    Form(name: "few queries", queries: 3), Form(name: "one query", hasMask: true, queries: 1),
    Form(name: "repeated heads", hasMask: true, repeatsHeads: true),
    Form(
      name: "repeated heads, transposed key, rounded", transposesKey: true, repeatsHeads: true,
      rounds: true),
    Form(name: "weights that are read", returnsWeights: true, count: 3),
  ]

  private static let (heads, keys, width, columns) = (2, 20, 8, 5)

  private func graph(_ form: Form) -> Graph {
    var graph = Graph()
    func add(_ operation: any Operator, _ inputs: Graph.ValueID..., rounds: Bool? = nil)
      -> Graph.ValueID
    {
      var value: Graph.ValueID = graph.addValue("v\(graph.values.count)")
      graph.nodes.append(
        Graph.Node(
          name: "n\(graph.nodes.count)", operation: operation, inputs: inputs, outputs: [value]))
      if rounds ?? form.rounds {
        let rounded: Graph.ValueID = graph.addValue("v\(graph.values.count)")
        graph.nodes.append(
          Graph.Node(
            name: "n\(graph.nodes.count)", operation: RoundOperator(to: .float16), inputs: [value],
            outputs: [rounded]))
        value = rounded
      }
      return value
    }
    let exchange = TransposeOperator(axes: [0, 2, 1, 3])
    func scaled(_ value: Graph.ValueID) -> Graph.ValueID {
      add(BinaryFunctionOperator(.multiply, number: 0.25), value)
    }
    var parts: [Graph.ValueID] = ["query", "key", "value"].map { graph.addValue($0) }
    graph.inputs = parts
    if form.scalesQuery { parts[0] = scaled(parts[0]) }
    if form.rowsFirst {
      parts[0] = add(exchange, parts[0], rounds: false)
      if !form.transposesKey { parts[1] = add(exchange, parts[1], rounds: false) }
      parts[2] = add(exchange, parts[2], rounds: false)
    }
    if form.repeatsHeads {
      for index in [1, 2] {
        parts[index] = add(
          TileOperator(repetitions: [1, Self.heads, 1, 1]), parts[index], rounds: false)
      }
    }
    if form.transposesKey {
      let axes: [Int] = form.rowsFirst ? [0, 2, 3, 1] : [0, 1, 3, 2]
      parts[1] = add(TransposeOperator(axes: axes), parts[1], rounds: false)
    }
    var scores: Graph.ValueID = add(
      BatchedMatMulOperator(transposesRight: !form.transposesKey), parts[0], parts[1])
    if form.scalesScores { scores = scaled(scores) }
    if form.hasMask {
      let shape: Shape = [1, 1, form.queries, Self.keys]
      let mask: Graph.ValueID = graph.addConstant(
        Constant(shape, (0..<shape.count).map { Float($0 % 7) / 4 }), name: "mask")
      let fill: Graph.ValueID = graph.addConstant(Constant([1], [-.infinity]), name: "fill")
      scores =
        form.hides
        ? add(WhereBroadcastableOperator(), mask, scores, fill, rounds: false)
        : add(BinaryFunctionOperator(.add), mask, scores)
    }
    let weights: Graph.ValueID = add(SoftmaxNDOperator(axis: -1), scores)
    var result: Graph.ValueID = add(BatchedMatMulOperator(), weights, parts[2])
    if form.rowsFirst { result = add(exchange, result, rounds: false) }
    graph.outputs = form.returnsWeights ? [result, weights] : [result]
    return graph
  }

  private func inputs(_ form: Form) -> [ReferenceTensor] {
    var generator = SplitMix64(seed: 5)
    let sizes: [(Int, Int)] = [
      (form.queries, Self.width), (Self.keys, Self.width), (Self.keys, Self.columns),
    ]
    return sizes.enumerated().map { index, size -> ReferenceTensor in
      let (rows, columns) = size
      let heads: Int = index > 0 && form.repeatsHeads ? 1 : Self.heads
      let shape: Shape = form.rowsFirst ? [2, rows, heads, columns] : [2, heads, rows, columns]
      return ReferenceTensor(
        shape, (0..<shape.count).map { _ in ElementType.float16.rounded(generator.uniform(-2...2)) }
      )
    }
  }

  @Test("One operator computes attention and gives the same results", arguments: forms)
  func fuses(form: Form) throws {
    let inputs: [ReferenceTensor] = inputs(form)
    let graph: Graph = graph(form)
    var optimized: Graph = graph
    try optimized.inferTypes(from: inputs.map(\.type))
    for pass in GraphPasses.standard { try pass.run(on: &optimized) }
    #expect(optimized.nodes.count == form.count)
    #expect(optimized.nodes.contains { $0.operation is FusedAttention } == (form.count == 1))

    let network = Network(
      graph, passes: GraphPasses.standard, options: ExecutionOptions(threads: 1))
    let made: ReferenceTensor = try network.run(inputs)[0]
    let expected: ReferenceTensor = try #require(try graph.definition(inputs)[0])
    let comparison = Comparison(made, to: expected)
    // A score or weight next to the middle of two float16 values may be rounded to either.
    #expect(comparison.error <= (form.rounds ? 2e-3 : 2e-5), "\(comparison)")
  }

  @Test("Attention is not fused if only some results are rounded")
  func someRoundings() throws {
    var graph: Graph = graph(Form(name: "rounded scores", scalesScores: true, rounds: true))
    let types: [TensorType] = inputs(Form(name: "")).map(\.type)
    // Takes away the rounding of the scores.
    let position: Int = try #require(graph.nodes.firstIndex { $0.operation is RoundOperator })
    let (read, written) = (graph.nodes[position].inputs[0], graph.nodes[position].outputs[0])
    graph.nodes.remove(at: position)
    for index in graph.nodes.indices {
      graph.nodes[index].inputs = graph.nodes[index].inputs.map { $0 == written ? read : $0 }
    }
    try graph.inferTypes(from: types)
    try FuseAttention.run(on: &graph)
    #expect(!graph.nodes.contains { $0.operation is FusedAttention })
  }
}
