import Graph

/// Applies one function of the table of ``UnaryFunction`` to each element.
///
/// - Input: any shape. Output: the same.
/// - Edge rules: those of the C library; NaN outside of the function's domain.
public struct UnaryFunctionOperator: PointwiseOperator {
  /// What is applied.
  public var function: UnaryFunction

  public static let declaration = OperatorDeclaration(
    "UnaryFunction", summary: "a function of each element")

  /// An operator that applies a function.
  public init(_ function: UnaryFunction) { self.function = function }

  /// The function's name.
  public var name: String { function.name }

  public func evaluate(_ operands: [Double]) -> Double { function(operands[0]) }

  public var program: PointwiseProgram {
    var program = PointwiseProgram(inputCount: 1)
    program.append(function.operation, 0)
    return program
  }
}

extension UnaryFunctionOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    function.pullback(dy, x[0], y)
  }
}
