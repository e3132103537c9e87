import Graph

/// Applies an activation function to every element: `y = f(x)`.
///
/// - Input: any shape. Output: the input's shape.
///
/// **Source:** `ActivationParams` in NeuralNetwork.proto; for the formulas see ``ActivationFunction``.
public struct ActivationOperator: PointwiseOperator {
  /// The activation function.
  public var function: ActivationFunction

  public static let declaration = OperatorDeclaration(
    "Activation",
    summary: "an activation function of each element: ReLU, tanh, sigmoid and ten others")

  /// Creates an operator that applies an activation function.
  public init(_ function: ActivationFunction) { self.function = function }

  public func evaluate(_ operands: [Double]) -> Double { function(operands[0]) }

  public var program: PointwiseProgram {
    var program = PointwiseProgram(inputCount: 1)
    function.append(to: &program, input: 0)
    return program
  }
}

extension ActivationOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    function.pullback(dy, x: x[0], y: y)
  }
}
