import Graph
import ModelFormat
import Operators

/// Branches and loops.
enum ControlFlowWriting {
  static let all: [OperatorWriting] = [
    OperatorWriting(
      BranchOperator.self,
      all: { _, node in
        let arguments: [String] = try node.inputs().dropFirst().map { $0 }
        let condition: String = node.truth(try node.input())
        let graphs: [ONNX.GraphProto] = try node.node.regions.map { region in
          let inner: GraphWriter = node.inside(region, arguments)
          try inner.writeNodes()
          return inner.body(inputs: [], outputs: try inner.outputs())
        }
        return node.emit(
          "If", [condition], outputs: node.node.outputs.count,
          [.graph("then_branch", graphs[0]), .graph("else_branch", graphs[1])])
      }),
    OperatorWriting(
      LoopOperator.self,
      all: { operation, node in
        try node.loop(operation.loop)
      }),
  ]
}

extension GraphWriter {
  /// Returns the names and types of the graph's outputs.
  fileprivate func outputs() throws -> [(name: String, element: ElementType)] {
    try graph.outputs.map { (try name(of: $0), types.element(of: $0) ?? .float32) }
  }
}

extension NodeContext {
  /// Converts a value to a truth value, which is true if the magnitude of the value's first element exceeds 10⁻⁶.
  fileprivate func truth(_ name: String) -> String { Self.truth(name, writer) }

  private static func truth(_ name: String, _ writer: GraphWriter) -> String {
    let real: String = writer.emit("Cast", [name], .int("to", 1))
    let flat: String = writer.emit("Reshape", [real, writer.ints([-1])])
    let first: String = writer.emit("Gather", [flat, writer.ints([0], [])], .int("axis", 0))
    let size: String = writer.emit("Abs", [first])
    return writer.emit("Greater", [size, writer.number(1e-6)])
  }

  /// Makes the writer of a region. The region's arguments get the names `arguments`.
  fileprivate func inside(_ region: Graph.Region, _ arguments: [String]) -> GraphWriter {
    let inner = GraphWriter(region.graph, writer.types.inside(region, of: node), writer.names)
    for (value, name) in zip(region.graph.inputs, arguments) { inner.bind(value, to: name) }
    return inner
  }

  /// Writes the condition of a loop as nodes of `target`. Returns the name of the truth value that continues the loop,
  /// and the names of the carried values.
  private func condition(_ region: Graph.Region, _ arguments: [String], into target: GraphWriter)
    throws -> (continues: String, carried: [String])
  {
    let inner: GraphWriter = inside(region, arguments)
    try inner.writeNodes()
    target.take(inner)
    let made: [String] = try inner.outputs().map(\.name)
    target.take(inner)
    return (Self.truth(made[0], target), Array(made.dropFirst()))
  }

  /// Writes a loop. ONNX's `Loop` computes the condition at the end of its body. So the nodes that check the condition
  /// for the first time are written before the `Loop` node.
  fileprivate func loop(_ rule: LoopRule) throws -> [String] {
    var arguments: [String] = try inputs()
    var most: String = ""
    if rule.countsByInput {
      most = reshaped(
        cast(emit("Ceil", [cast(arguments.removeFirst(), to: .float32)]), to: .int64), to: [])
    } else if let limit = rule.most {
      most = writer.ints([limit], [])
    }
    let carriedCount: Int = node.outputs.count
    guard arguments.count >= carriedCount, let body = node.regions.last else {
      throw unsupported("its regions do not fit its arguments.")
    }
    let fixed = Array(arguments.dropFirst(carriedCount))
    var carried = Array(arguments.prefix(carriedCount))
    var continues = ""
    if rule.hasCondition {
      (continues, carried) = try condition(node.regions[0], arguments, into: writer)
    }
    let inner = inside(body, [])
    let iteration: String = writer.names.fresh("iteration")
    let asked: String = writer.names.fresh("continues")
    var inputs: [ONNX.ValueInfoProto] = [
      GraphWriter.info(iteration, .int64), GraphWriter.info(asked, .bool),
    ]
    for (position, value) in body.graph.inputs.enumerated() {
      if position < carriedCount {
        let name: String = writer.names.fresh(body.graph[value].name)
        inner.bind(value, to: name)
        inputs.append(GraphWriter.info(name, inner.types.element(of: value) ?? .float32))
      } else if position - carriedCount < fixed.count {
        inner.bind(value, to: fixed[position - carriedCount])
      }
    }
    try inner.writeNodes()
    var made: [(name: String, element: ElementType)] = try inner.outputs()
    var next: String = asked
    if rule.hasCondition {
      let (name, after) = try condition(node.regions[0], made.map(\.name) + fixed, into: inner)
      next = name
      made = zip(after, made).map { ($0, $1.element) }
    }
    let graph: ONNX.GraphProto = inner.body(inputs: inputs, outputs: [(next, .bool)] + made)
    return emit(
      "Loop", [most, continues] + carried, outputs: carriedCount, [.graph("body", graph)])
  }
}
