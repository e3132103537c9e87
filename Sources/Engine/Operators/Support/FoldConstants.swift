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
  private static func view(_ node: Node, of inputs: [Constant], _ type: TensorType) -> Constant? {
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
      try source.withFloats { floats in view.indices.map { floats[$0] } }
    }
  }
}
