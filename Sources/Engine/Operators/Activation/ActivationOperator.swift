import Graph

/// Applies a nonlinearity to every element: `y = f(x)`.
///
/// - Input: any shape. Output: the same.
///
/// **Source:** `ActivationParams` in NeuralNetwork.proto; the formulas stand at
/// ``ActivationFunction``.
public struct ActivationOperator: PointwiseOperator {
  /// The nonlinearity.
  public var function: ActivationFunction

  public static let declaration = OperatorDeclaration(
    "Activation", summary: "a nonlinearity of each element: ReLU, tanh, sigmoid and ten others")

  /// An operator that applies a nonlinearity.
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
