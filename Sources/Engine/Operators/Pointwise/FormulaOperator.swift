import Graph

/// Computes a formula of the elements at each place of its inputs.
///
/// - Inputs: one or more, broadcast against each other as NumPy does. Inputs that the formula does not
///   read only tell the shape.
/// - Output: the joint shape.
///
/// Made by differentiation only; no model holds it. ``JoinPointwise`` joins it with its neighbours.
public struct FormulaOperator: PointwiseOperator {
  public static let declaration = OperatorDeclaration(
    "Formula", summary: "arithmetic on the elements at each place, as gradients need it")

  /// What is computed.
  public let formula: Formula
  /// The number of inputs.
  public let inputCount: Int

  /// A formula over that many inputs.
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
    // A program must do something, and its last register is the output.
    if result < inputCount { writer.program.append(.affine, result, alpha: 1) }
    return writer.program
  }

  /// Writes a program; what occurs twice is computed once.
  private struct Writer {
    var program: PointwiseProgram
    var known: [Formula: Int] = [:]

    mutating func register(of formula: Formula) -> Int {
      if case .operand(let number) = formula { return number }
      if let register = known[formula] { return register }
      let made: Int = append(formula)
      known[formula] = made
      return made
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
