import Graph
import Operators

/// A layer that is being read: its inputs, its weights, and the graph to which its operators are added.
struct NCNNContext {
  let layer: NCNNLayer
  let inputs: [Graph.ValueID]
  let builder: GraphBuilder
  let weights: NCNNWeights

  /// The layer's parameters.
  var parameters: NCNNParameters { layer.parameters }

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

  /// Returns the extents of a value. A free extent is nil.
  func extents(_ value: Graph.ValueID) throws -> [Int?] {
    guard let extents = builder.extents(of: value) else {
      throw unsupported("the number of dimensions of its input is not known.")
    }
    return extents
  }

  /// Returns the number of dimensions of a value, with the batch axis.
  func rank(_ value: Graph.ValueID) throws -> Int { try extents(value).count }

  /// Returns an input of channels, rows and columns.
  func featureMap(_ index: Int = 0) throws -> Graph.ValueID {
    let value: Graph.ValueID = try input(index)
    let rank: Int = try rank(value)
    guard rank == 4 else {
      throw unsupported(
        "its input has \(rank - 1) dimensions, expected channels, rows and columns.")
    }
    return value
  }

  /// Returns the number of channels of a value: the extent of its second axis.
  func channels(_ value: Graph.ValueID) throws -> Int {
    let extents: [Int?] = try extents(value)
    guard extents.count >= 2, let channels = extents[1] else {
      throw invalid("the number of the input's channels is not known.")
    }
    return channels
  }

  /// Returns the axis of the graph for one of ncnn's axes, which do not count the batch.
  func axis(_ axis: Int, rank: Int) throws -> Int {
    let resolved: Int = axis < 0 ? axis + rank : axis + 1
    guard (1..<rank).contains(resolved) else {
      throw invalid("the axis \(axis) does not exist, the input has \(rank - 1) axes.")
    }
    return resolved
  }

  /// Reads a parameter that must be a number in a range.
  func size(_ id: Int, or standard: Int, _ what: String, from lower: Int = 1) throws -> Int {
    let size: Int = try parameters.int(id, or: standard)
    guard (lower...1 << 20).contains(size) else {
      throw invalid("\(what) is \(size), expected \(lower) to \(1 << 20).")
    }
    return size
  }

  // MARK: - Making

  /// Adds an operator with one output, and returns the output.
  func add(_ operation: any Operator, _ inputs: Graph.ValueID...) throws -> Graph.ValueID {
    try add(operation, inputs)
  }

  /// Adds an operator with one output, and returns the output.
  func add(_ operation: any Operator, _ inputs: [Graph.ValueID]) throws -> Graph.ValueID {
    try builder.add(operation, inputs, outputs: 1, name: layer.name)[0]
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

  /// Adds the activation function that a layer applies to its own result.
  ///
  /// - Parameters:
  ///   - kind: The parameter with the number of the function.
  ///   - numbers: The parameter with the function's own numbers.
  func activated(_ value: Graph.ValueID, kind: Int, numbers: Int) throws -> Graph.ValueID {
    let numbers: [Float] = try parameters.floats(numbers)
    func number(_ index: Int) throws -> Float {
      guard numbers.indices.contains(index) else {
        throw invalid(
          "its activation function has \(numbers.count) numbers, expected \(index + 1).")
      }
      return numbers[index]
    }
    switch try parameters.int(kind, or: 0) {
    case 0: return value
    case 1: return try add(ActivationOperator(.reLU), value)
    case 2: return try add(ActivationOperator(.leakyReLU(alpha: number(0))), value)
    case 3: return try add(ClipOperator(minimum: number(0), maximum: number(1)), value)
    case 4: return try add(ActivationOperator(.sigmoid), value)
    case 5: return try add(FormulaOperator(.mish, inputCount: 1), value)
    case 6:
      return try add(
        FormulaOperator(.hardSwish(alpha: number(0), beta: number(1)), inputCount: 1), value)
    case let other:
      throw unsupported("its activation function has the number \(other), expected 0 to 6.")
    }
  }
}

extension Formula {
  /// x · tanh(log(1 + e^x))
  static let mish: Formula =
    .operand(0) * .function(.tanh, .function(.softplus, .operand(0)))

  /// x · min(max(alpha · x + beta, 0), 1)
  static func hardSwish(alpha: Float, beta: Float) -> Formula {
    let gate: Formula = .operand(0) * .number(alpha) + .number(beta)
    return .operand(0) * .operation(.minimum, .operation(.maximum, gate, 0), 1)
  }
}
