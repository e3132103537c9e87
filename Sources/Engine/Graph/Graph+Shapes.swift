extension Graph {
  /// Infers the type of every value from the types of the inputs. Also computes small values that do not depend on the
  /// network's inputs, such as shapes that one layer computes for another.
  ///
  /// Types that depend on data stay nil. A graph with such types is planned in several segments (groups of adjacent
  /// nodes), while it runs. Errors name the layer.
  ///
  /// - Parameter inputTypes: One type per input of the graph, in the order of ``inputs``; nil if a type is unknown.
  public mutating func inferTypes(from inputTypes: [TensorType?]) throws {
    precondition(inputTypes.count == inputs.count, "one type per input")
    for (value, type) in zip(inputs, inputTypes) {
      guard type?.shape.isMeasurable ?? true else {
        throw EngineError(
          .invalidInput,
          "Input '\(self[value].name)' is \(type?.shape ?? []), more than any machine can compute.")
      }
      self[value].type = type
    }
    for node in nodes {
      if try !infer(node) {
        for output in node.outputs { self[output].type = nil }
      }
    }
  }

  /// Whether the whole graph can be planned before it runs. This requires that the types of all values are known, that
  /// no value is empty, and that there is no control flow.
  public var isStatic: Bool {
    nodes.allSatisfy { node in
      !(node.operation is any ControlOperator)
        && (node.inputs + node.outputs).allSatisfy { value in
          guard let type = self[value].type else { return false }
          return type.shape.count > 0
        }
    }
  }

  /// Shape inference computes no value with more elements than this, and none from an input with more elements. Shapes
  /// have far fewer elements.
  private static let largestKnown = 4096

  /// Infers the types of one node's outputs, as ``inferTypes(from:)`` does for all nodes. Returns false if the types
  /// depend on data.
  public mutating func inferTypes(of node: Node) throws -> Bool { try infer(node) }

  /// Infers the types of a node's outputs, and their values if they are known. Returns false if the types depend on
  /// data.
  package mutating func infer(_ node: Node) throws -> Bool {
    guard let known = layerInputs(of: node), let made = try Self.inferred(node, from: known) else {
      return false
    }
    for (output, fact) in zip(node.outputs, made) {
      self[output].type = fact.type
      if let constant = fact.constant { self[output].constant = constant }
    }
    return true
  }

  /// Returns the types of a node's outputs, and the outputs' values if they are known, for inputs with the types and
  /// values in `known`. Nil if the output types depend on data. Errors name the layer.
  static func inferred(_ node: Node, from known: [OperatorInput]) throws -> [(
    type: TensorType, constant: Constant?
  )]? {
    guard !(node.operation is any ControlOperator) else { return nil }
    do {
      try node.operation.requireTypes(known)
      guard let types = try node.operation.outputTypes(for: known) else { return nil }
      guard types.count == node.outputs.count else {
        throw EngineError(
          .invalidModel,
          "the layer makes \(types.count) outputs but the model names \(node.outputs.count).")
      }
      for type in types where !type.shape.isMeasurable {
        throw EngineError(
          .outOfMemory,
          "the output would be \(type.shape), more than any machine can compute. The file may be"
            + " corrupt.")
      }
      guard let values = try knownOutputs(of: node, known, types) else {
        return types.map { ($0, nil) }
      }
      return zip(types, values).map { ($0, Constant($1.stored)) }
    } catch let error as EngineError {
      throw error.naming(node)
    }
  }

  private static func knownOutputs(
    of node: Node, _ inputs: [OperatorInput], _ types: [TensorType]
  ) throws -> [ReferenceTensor]? {
    if let values = try node.operation.constantOutputs(for: inputs) { return values }
    // If all outputs are empty, no reference implementation is called, because it need not handle such outputs.
    if inputs.allSatisfy({ $0.constant != nil }), type(of: node.operation).isDeterministic,
      types.allSatisfy({ $0.shape.count == 0 })
    {
      return types.map { ReferenceTensor($0.shape, repeating: 0, $0.element) }
    }
    guard type(of: node.operation).isDeterministic,
      types.allSatisfy({ $0.shape.count <= largestKnown })
    else { return nil }
    // A large constant holds weights and not a shape, so shape inference computes nothing from it.
    guard inputs.allSatisfy({ $0.constant != nil && $0.shape.count <= largestKnown }) else {
      return nil
    }
    let values = inputs.compactMap(\.value)
    guard values.count == inputs.count else { return nil }
    return try node.operation.define(values, types: types)
  }

  private func layerInputs(of node: Node) -> [OperatorInput]? {
    var result: [OperatorInput] = []
    for input in node.inputs {
      guard let type = self[input].type else { return nil }
      result.append(OperatorInput(type, constant: self[input].constant))
    }
    return result
  }
}
