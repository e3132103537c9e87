import Graph

extension Graph {
  /// Replaces each value that depends only on constants by a constant. Writers need this for file formats whose layers
  /// contain their weights, because these weights must then be constants.
  ///
  /// Type inference computes small results at once. A larger result is computed only when the elements of the new
  /// constant are read. Results of more than ``largestFolded`` elements are not folded, because their computation takes
  /// eight bytes per element.
  package mutating func foldConstants() throws {
    var remaining: [Node] = []
    for node in nodes {
      var node: Node = node
      for position in node.regions.indices {
        try node.regions[position].graph.foldConstants()
      }
      guard isFoldable(node), try inferTypes(of: node) else {
        remaining.append(node)
        continue
      }
      let types: [TensorType] = node.outputs.compactMap { self[$0].type }
      let inputs: [Constant] = node.inputs.compactMap { self[$0].constant }
      guard types.count == node.outputs.count,
        types.allSatisfy({ (1...Self.largestFolded).contains($0.shape.count) })
      else {
        remaining.append(node)
        continue
      }
      for (position, output) in node.outputs.enumerated() where self[output].constant == nil {
        self[output].constant = Self.folded(node, position, of: inputs, types)
      }
    }
    nodes = remaining
  }

  /// The largest number of elements that a folded constant may have.
  package static let largestFolded = 1 << 26

  private func isFoldable(_ node: Node) -> Bool {
    guard node.regions.isEmpty, node.leaving == nil, !node.inputs.isEmpty,
      !(node.operation is any ControlOperator), !(node.operation is CustomLayer),
      type(of: node.operation).isDeterministic
    else { return false }
    return node.inputs.allSatisfy { self[$0].constant != nil }
  }

  private static func folded(
    _ node: Node, _ position: Int, of inputs: [Constant], _ types: [TensorType]
  ) -> Constant {
    let type: TensorType = types[position]
    // The operators in this case do not move elements, so their result is the constant with another shape.
    switch node.operation {
    case is ReshapeStaticOperator, is ExpandDimsOperator, is SqueezeOperator, is CopyOperator:
      return inputs[0].reshaped(to: type.shape)
    default: break
    }
    if let view = view(node, of: inputs, type) { return view }
    let compute: @Sendable () throws -> ReferenceTensor = { [operation = node.operation] in
      try operation.define(try inputs.map { try $0.tensor() }, types: types)[position]
    }
    return Constant(type) {
      do {
        return try compute().reals.map { Float($0) }
      } catch let error as EngineError {
        throw error.naming(node)
      }
    }
  }

  /// Returns the elements of a constant that an operator moves. Reads only these, so that a row of a large table costs
  /// little. Nil if the operator does something else, or for integers.
  fileprivate static func view(_ node: Node, of inputs: [Constant], _ type: TensorType) -> Constant?
  {
    var (operation, count): (any Operator, Int) = (node.operation, inputs.count)
    let given: [OperatorInput] = inputs.map { OperatorInput($0.type, constant: $0) }
    if let fixable = operation as? any FixableOperator,
      let fixed = try? fixable.fixed(by: given, output: type)
    {
      (operation, count) = (fixed.operation, fixed.inputCount)
    }
    guard count == 1, type.element.isFloatingPoint, inputs[0].type.element == type.element,
      let view = StridedView(inputs[0].type.shape).moved(by: operation, to: type.shape)
    else { return nil }
    return Constant(type) { [source = inputs[0]] in
      try source.floats(at: view.indices)
    }
  }
}

/// Computes, during planning, the values that do not depend on the network's inputs.
public enum FoldConstants: GraphPass {
  public static let name = "FoldConstants"

  /// The pass computes no output with more elements than this. For example, an image filled with one number would cost
  /// memory as a constant, and folding it would save nothing.
  package static let largestFold = 1 << 20

  /// The pass decodes no constant with more elements than this, because planning checks the memory budget only after
  /// this pass. If a node needs only a few elements of a larger constant, it reads them when the network runs.
  private static let largestSource = 1 << 24

  public static func run(on graph: inout Graph) throws {
    var remaining: [Graph.Node] = []
    for node in graph.nodes {
      if node.outputs.allSatisfy({ graph[$0].constant != nil }), !node.outputs.isEmpty { continue }
      let constants = node.inputs.compactMap { graph[$0].constant }
      guard constants.count == node.inputs.count, isSmall(node, in: graph),
        type(of: node.operation).isDeterministic
      else {
        remaining.append(node)
        continue
      }
      do {
        let outputs: [ReferenceTensor] = try outputs(
          of: node, constants, node.outputs.compactMap { graph[$0].type })
        for (value, tensor) in zip(node.outputs, outputs) {
          graph[value].constant = Constant(tensor.stored)
          graph[value].type = graph[value].type ?? tensor.type
        }
      } catch let error as EngineError {
        throw error.naming(node)
      }
    }
    graph.nodes = remaining
  }

  private static func outputs(
    of node: Graph.Node, _ inputs: [Constant], _ types: [TensorType]
  ) throws -> [ReferenceTensor] {
    if types.count == 1, let view = Graph.view(node, of: inputs, types[0]) {
      return [try view.tensor()]
    }
    return try node.operation.define(inputs.map { try $0.tensor() }, types: types)
  }

  private static func isSmall(_ node: Graph.Node, in graph: Graph) -> Bool {
    node.outputs.allSatisfy { output in
      guard let type = graph[output].type else { return false }
      return type.shape.count <= largestFold
    } && node.inputs.allSatisfy { graph[$0].constant?.count ?? 0 <= largestSource }
  }
}
