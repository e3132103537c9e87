/// A layer of a file that is being read: its inputs, and the graph to which its operators are added. Readers of formats
/// that list layers conform to it.
package protocol LayerContext {
  /// The layer's name.
  var layerName: String { get }
  /// The values that the layer reads.
  var inputs: [Graph.ValueID] { get }
  /// The builder of the graph.
  var builder: GraphBuilder { get }
}

extension LayerContext {
  /// Returns the input at an index, by default the first.
  package func input(_ index: Int = 0) throws -> Graph.ValueID {
    guard inputs.indices.contains(index) else {
      throw invalid("the layer has \(inputs.count) inputs, expected \(index + 1) or more.")
    }
    return inputs[index]
  }

  /// Returns an error for a file that contradicts the format. `sentence` says how.
  package func invalid(_ sentence: String) -> EngineError { EngineError(.invalidModel, sentence) }

  /// Returns an error for a file that needs something a graph cannot express. `sentence` says what.
  package func unsupported(_ sentence: String) -> EngineError {
    EngineError(.unsupported, sentence)
  }

  // MARK: - Shapes

  /// Returns the extents of a value. A free extent is nil.
  package func extents(_ value: Graph.ValueID) throws -> [Int?] {
    guard let extents = builder.extents(of: value) else {
      throw unsupported("the number of dimensions of its input is not known.")
    }
    return extents
  }

  /// Returns the number of dimensions of a value.
  package func rank(_ value: Graph.ValueID) throws -> Int { try extents(value).count }

  /// Returns the number of channels of a value: the extent of its second axis.
  package func channels(_ value: Graph.ValueID) throws -> Int {
    let extents: [Int?] = try extents(value)
    guard extents.count >= 2, let channels = extents[1] else {
      throw invalid("the number of the input's channels is not known.")
    }
    return channels
  }

  // MARK: - Making

  /// Adds an operator with one output, and returns the output.
  package func add(_ operation: any Operator, _ inputs: Graph.ValueID...) throws -> Graph.ValueID {
    try add(operation, inputs)
  }

  /// Adds an operator with one output, and returns the output.
  package func add(_ operation: any Operator, _ inputs: [Graph.ValueID]) throws -> Graph.ValueID {
    try builder.add(operation, inputs, outputs: 1, name: layerName)[0]
  }

  /// Adds a constant to the graph.
  package func constant(_ constant: Constant, _ what: String) -> Graph.ValueID {
    builder.addConstant(constant, name: "\(layerName)/\(what)")
  }

  /// Adds a constant vector, with a shape that broadcasts along the second axis of a value of this rank.
  package func perChannel(_ vector: Constant, rank: Int, _ what: String) -> Graph.ValueID {
    let shape = Shape([vector.count] + [Int](repeating: 1, count: max(0, rank - 2)))
    return constant(vector.reshaped(to: shape), what)
  }
}
