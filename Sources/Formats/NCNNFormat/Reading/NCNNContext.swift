import Graph
import Operators

/// A layer that is being read: its inputs, its weights, and the graph to which its operators are added.
struct NCNNContext: LayerContext {
  let layer: NCNNLayer
  let inputs: [Graph.ValueID]
  let builder: GraphBuilder
  let weights: NCNNWeights

  var layerName: String { layer.name }

  /// The layer's parameters.
  var parameters: NCNNParameters { layer.parameters }

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
