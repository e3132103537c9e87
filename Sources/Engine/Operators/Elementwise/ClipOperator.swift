import Graph

/// Clips each element to two bounds: `y = min(max(x, minimum), maximum)`.
///
/// **Source:** `ClipLayerParams` in NeuralNetwork.proto.
public struct ClipOperator: PointwiseOperator {
  /// The lower bound.
  public var minimum: Float
  /// The upper bound.
  public var maximum: Float

  public static let declaration = OperatorDeclaration(
    "Clip", summary: "each element clipped to two bounds")

  /// Creates an operator that clips to these bounds. The lower bound must not exceed the upper bound.
  public init(minimum: Float, maximum: Float) {
    self.minimum = minimum
    self.maximum = maximum
  }

  public func evaluate(_ operands: [Double]) -> Double {
    min(max(operands[0], Double(minimum)), Double(maximum))
  }

  public var program: PointwiseProgram {
    var program = PointwiseProgram(inputCount: 1)
    program.append(.clip, 0, alpha: minimum, beta: maximum)
    return program
  }
}

/// A leaky ReLU with a ceiling: `y = min(x, beta)` where x ≥ 0, `min(alpha · x, beta)` elsewhere.
///
/// **Source:** `ClampedReLULayerParams` in NeuralNetwork.proto.
public struct ClampedReLUOperator: PointwiseOperator {
  /// The slope below zero.
  public var alpha: Float
  /// The upper bound.
  public var beta: Float

  public static let declaration = OperatorDeclaration(
    "ClampedReLU", summary: "a leaky ReLU with a greatest value")

  /// Creates a leaky ReLU with the slope `alpha` below zero and the upper bound `beta`.
  public init(alpha: Float, beta: Float) {
    self.alpha = alpha
    self.beta = beta
  }

  public func evaluate(_ operands: [Double]) -> Double {
    let x: Double = operands[0]
    return min(x >= 0 ? x : Double(alpha) * x, Double(beta))
  }

  public var program: PointwiseProgram {
    var program = PointwiseProgram(inputCount: 1)
    let leaky = program.append(.leakyReLU, 0, alpha: alpha)
    program.append(.clip, leaky, alpha: -.infinity, beta: beta)
    return program
  }
}
