import Graph

/// Joins two inputs, or one and a number, element by element by a function of the table of
/// ``BinaryFunction``.
///
/// - Inputs: two, or one where the right operand is a number; shapes are broadcast as NumPy does, whatever
///   their ranks. Output: the joint shape.
public struct BinaryFunctionOperator: PointwiseOperator {
  /// What joins them.
  public var function: BinaryFunction
  /// The right operand of a single input; nil with two inputs.
  public var number: Float?

  public static let declaration = OperatorDeclaration(
    "BinaryFunction", summary: "a function of two inputs, or of one and a number, broadcast")

  /// An operator that joins two inputs, or one and a number.
  public init(_ function: BinaryFunction, number: Float? = nil) {
    self.function = function
    self.number = number
  }

  /// The function's name.
  public var name: String { function.name }

  public func evaluate(_ operands: [Double]) -> Double {
    function(operands[0], number.map(Double.init) ?? operands[1])
  }

  public var program: PointwiseProgram {
    var program = PointwiseProgram(inputCount: number == nil ? 2 : 1)
    var right = 1
    if let number { right = program.append(.constant, 0, alpha: number) }
    program.append(function.operation, 0, right)
    return program
  }
}

extension BinaryFunctionOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    function.pullback(dy, input, number.map { x + [.number($0)] } ?? x, y)
  }
}
