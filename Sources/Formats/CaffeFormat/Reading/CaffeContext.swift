import Graph
import Operators

/// A layer that is being read: its inputs, and the graph to which its operators are added.
struct CaffeContext {
  let layer: CaffeLayer
  let inputs: [Graph.ValueID]
  let builder: GraphBuilder

  /// Returns the input at an index, by default the first.
  func input(_ index: Int = 0) throws -> Graph.ValueID {
    guard inputs.indices.contains(index) else {
      throw invalid("the layer has \(inputs.count) inputs, expected \(index + 1) or more.")
    }
    return inputs[index]
  }

  /// Returns an error for a file that contradicts the format. `sentence` says how.
  func invalid(_ sentence: String) -> EngineError { EngineError(.invalidModel, sentence) }

  /// Returns an error for a file that needs something a graph cannot express. `sentence` says what.
  func unsupported(_ sentence: String) -> EngineError { EngineError(.unsupported, sentence) }

  // MARK: - Shapes

  /// Returns the extents of a value. A dynamic extent is nil.
  func extents(_ value: Graph.ValueID) throws -> [Int?] {
    guard let extents = builder.extents(of: value) else {
      throw unsupported("the number of dimensions of its input is not known.")
    }
    return extents
  }

  /// Returns the number of dimensions of a value.
  func rank(_ value: Graph.ValueID) throws -> Int { try extents(value).count }

  /// Returns the number of channels of a value: the extent of its second axis.
  func channels(_ value: Graph.ValueID) throws -> Int {
    let extents: [Int?] = try extents(value)
    guard extents.count >= 2, let channels = extents[1] else {
      throw invalid("the number of the input's channels is not known.")
    }
    return channels
  }

  /// Returns a non-negative index of an axis. A negative `axis` counts back from the last axis. `endsAllowed` also
  /// allows the index `rank`, after the last axis.
  func axis(_ axis: Int, rank: Int, endsAllowed: Bool = false) throws -> Int {
    let resolved: Int = axis < 0 ? axis + rank : axis
    guard (0..<(endsAllowed ? rank + 1 : rank)).contains(resolved) else {
      throw invalid("the axis \(axis) does not exist, the input has \(rank) axes.")
    }
    return resolved
  }

  // MARK: - Making

  /// Adds an operator with one output, and returns the output.
  func add(_ operation: any Operator, _ inputs: Graph.ValueID...) throws -> Graph.ValueID {
    try builder.add(operation, inputs, name: layer.name)[0]
  }

  /// Adds an operator with one output, and returns the output.
  func add(_ operation: any Operator, _ inputs: [Graph.ValueID]) throws -> Graph.ValueID {
    try builder.add(operation, inputs, name: layer.name)[0]
  }

  /// Adds a constant to the graph.
  func constant(_ constant: Constant, _ what: String) -> Graph.ValueID {
    builder.addConstant(constant, name: "\(layer.name)/\(what)")
  }

  /// Adds a constant vector, with a shape that broadcasts along the second axis of a value of this rank.
  func perChannel(_ vector: Constant, rank: Int, _ what: String) -> Graph.ValueID {
    let shape = Shape([vector.count] + [Int](repeating: 1, count: max(0, rank - 2)))
    return constant(vector.reshaped(to: shape), what)
  }

  /// Computes `function(element, number)` for each element of a value.
  func number(_ function: BinaryFunction, _ value: Graph.ValueID, _ number: Float) throws
    -> Graph.ValueID
  {
    try add(BinaryFunctionOperator(function, number: number), value)
  }
}

extension GraphBuilder {
  /// Adds an operator with one or more outputs, and returns the outputs.
  func add(_ operation: any Operator, _ inputs: [Graph.ValueID], name: String) throws
    -> [Graph.ValueID]
  {
    try add(operation, inputs, outputs: 1, name: name)
  }
}
