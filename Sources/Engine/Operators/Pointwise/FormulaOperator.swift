import Graph

/// Computes a formula of the elements at the same index of its inputs.
///
/// - Inputs: one or more, broadcast against each other as in NumPy. An input that the formula does not read affects
///   only the output's shape.
/// - Output: the shape to which the inputs broadcast.
///
/// Only differentiation adds this operator to a graph. No model file contains it. ``JoinPointwise`` fuses it with
/// adjacent pointwise operators.
public struct FormulaOperator: PointwiseOperator {
  public static let declaration = OperatorDeclaration(
    "Formula", summary: "elementwise arithmetic for gradients")

  /// The formula to compute.
  public let formula: Formula
  /// The number of inputs.
  public let inputCount: Int

  /// Creates an operator that computes a formula of this many inputs.
  public init(_ formula: Formula, inputCount: Int) {
    precondition(formula.operands.allSatisfy { $0 < inputCount }, "an operand without an input")
    self.formula = formula
    self.inputCount = inputCount
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard inputs.count == inputCount, inputCount > 0 else {
      throw EngineError(
        .invalidModel, "the layer has \(inputs.count) inputs, expected \(max(inputCount, 1)).")
    }
    return try broadcastType(inputs)
  }

  public func evaluate(_ operands: [Double]) -> Double { formula(operands) }

  public var program: PointwiseProgram {
    var writer = Writer(program: PointwiseProgram(inputCount: inputCount))
    let result: Int = writer.register(of: formula)
    // A program needs at least one operation, and the last register is the output. So if the formula is a single
    // operand, the program copies this operand.
    if result < inputCount { writer.program.append(.affine, result, alpha: 1) }
    return writer.program
  }

  /// Compiles a formula to a program that computes each common subexpression once.
  private struct Writer {
    var program: PointwiseProgram
    var known: [Formula: Int] = [:]

    mutating func register(of formula: Formula) -> Int {
      if case .operand(let number) = formula { return number }
      if let register = known[formula] { return register }
      let result: Int = append(formula)
      known[formula] = result
      return result
    }

    private mutating func append(_ formula: Formula) -> Int {
      switch formula {
      case .operand(let number): return number
      case .number(let value): return program.append(.constant, 0, alpha: value)
      case .affine(let x, let scale, let shift):
        let argument: Int = register(of: x)
        return program.append(.affine, argument, alpha: scale, beta: shift)
      case .power(let x, let exponent):
        let argument: Int = register(of: x)
        return program.append(.power, argument, alpha: exponent)
      case .function(let function, let x):
        let argument: Int = register(of: x)
        return program.append(function.operation, argument)
      case .operation(let function, let left, let right):
        let (first, second) = (register(of: left), register(of: right))
        return program.append(function.operation, first, second)
      }
    }
  }
}
