import Graph
import Operators

/// A layer while it is read: its inputs, and the graph that its operators go to.
struct CaffeContext {
  let layer: CaffeLayer
  let inputs: [Graph.ValueID]
  let builder: GraphBuilder

  /// The only or first input.
  func input(_ index: Int = 0) throws -> Graph.ValueID {
    guard inputs.indices.contains(index) else {
      throw invalid("the layer has \(inputs.count) inputs, expected \(index + 1) or more.")
    }
    return inputs[index]
  }

  /// An error that the file contradicts the format.
  func invalid(_ sentence: String) -> EngineError { EngineError(.invalidModel, sentence) }

  /// An error that the file asks for what cannot be expressed.
  func unsupported(_ sentence: String) -> EngineError { EngineError(.unsupported, sentence) }

  // MARK: - Shapes

  /// The extents of a value, nil for those that are free.
  func extents(_ value: Graph.ValueID) throws -> [Int?] {
    guard let extents = builder.extents(of: value) else {
      throw unsupported("the number of dimensions of its input is not known.")
    }
    return extents
  }

  /// The number of dimensions of a value.
  func rank(_ value: Graph.ValueID) throws -> Int { try extents(value).count }

  /// The number of channels of a value: the extent of the second axis.
  func channels(_ value: Graph.ValueID) throws -> Int {
    let extents: [Int?] = try extents(value)
    guard extents.count >= 2, let channels = extents[1] else {
      throw invalid("its input has no known number of channels.")
    }
    return channels
  }

  /// An axis, which may count from the end.
  func axis(_ axis: Int, rank: Int, endsAllowed: Bool = false) throws -> Int {
    let place: Int = axis < 0 ? axis + rank : axis
    guard (0..<(endsAllowed ? rank + 1 : rank)).contains(place) else {
      throw invalid("the axis \(axis) does not exist, its input has \(rank).")
    }
    return place
  }

  // MARK: - Making

  /// Adds an operator that makes one value.
  func add(_ operation: any Operator, _ inputs: Graph.ValueID...) throws -> Graph.ValueID {
    try builder.add(operation, inputs, name: layer.name)[0]
  }

  /// Adds an operator that makes one value.
  func add(_ operation: any Operator, _ inputs: [Graph.ValueID]) throws -> Graph.ValueID {
    try builder.add(operation, inputs, name: layer.name)[0]
  }

  /// A value that does not change.
  func constant(_ constant: Constant, _ what: String) -> Graph.ValueID {
    builder.addConstant(constant, name: "\(layer.name)/\(what)")
  }

  /// A constant vector shaped so that it is broadcast along the second axis of a value of a rank.
  func perChannel(_ vector: Constant, rank: Int, _ what: String) -> Graph.ValueID {
    let shape = Shape([vector.count] + [Int](repeating: 1, count: max(0, rank - 2)))
    return constant(vector.reshaped(to: shape), what)
  }

  /// `function(value, number)` of each element.
  func number(_ function: BinaryFunction, _ value: Graph.ValueID, _ number: Float) throws
    -> Graph.ValueID
  {
    try add(BinaryFunctionOperator(function, number: number), value)
  }
}

extension GraphBuilder {
  /// Adds an operator that makes one value or more.
  func add(_ operation: any Operator, _ inputs: [Graph.ValueID], name: String) throws
    -> [Graph.ValueID]
  {
    try add(operation, inputs, outputs: 1, name: name)
  }
}
