import Graph

extension Graph {
  /// Makes constants of what is computed of constants alone, for formats whose layers hold their weights.
  ///
  /// Small results are computed at once, larger ones when somebody asks for them. Results of more than
  /// ``largestFolded`` elements stay as they are: their definition would take eight bytes for each.
  package mutating func foldConstants() throws {
    var kept: [Node] = []
    for node in nodes {
      var node: Node = node
      for position in node.regions.indices {
        try node.regions[position].graph.foldConstants()
      }
      guard isFoldable(node), try inferTypes(of: node) else {
        kept.append(node)
        continue
      }
      let types: [TensorType] = node.outputs.compactMap { self[$0].type }
      let inputs: [Constant] = node.inputs.compactMap { self[$0].constant }
      guard types.count == node.outputs.count,
        types.allSatisfy({ (1...Self.largestFolded).contains($0.shape.count) })
      else {
        kept.append(node)
        continue
      }
      for (position, output) in node.outputs.enumerated() where self[output].constant == nil {
        self[output].constant = Self.folded(node, position, of: inputs, types)
      }
    }
    nodes = kept
  }

  /// The most elements of a constant that is computed.
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
    // What has the same elements in the same order is the same constant under another shape.
    switch node.operation {
    case is ReshapeStaticOperator, is ExpandDimsOperator, is SqueezeOperator, is CopyOperator:
      return inputs[0].reshaped(to: type.shape)
    default: break
    }
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
}
