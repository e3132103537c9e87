import CPointwise
import Graph

/// Computes a formula of the elements at each place of its inputs.
///
/// - Inputs: one or more, broadcast against each other as NumPy does. Inputs that the formula does not
///   read only tell the shape.
/// - Output: the joint shape.
///
/// Made by differentiation only; no model holds it. ``JoinPointwise`` joins it with its neighbours.
public struct FormulaOperator: PointwiseOperator, DerivedOperator {
  public static let declaration = OperatorDeclaration(
    "Formula", specification: nil,
    summary: "arithmetic on the elements at each place, as gradients need it")

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
    if result < inputCount { writer.program.append(CPW_AFFINE, result, alpha: 1) }
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
      case .number(let value): return program.append(CPW_CONSTANT, 0, alpha: value)
      case .affine(let x, let scale, let shift):
        let argument: Int = register(of: x)
        return program.append(CPW_AFFINE, argument, alpha: scale, beta: shift)
      case .power(let x, let exponent):
        let argument: Int = register(of: x)
        return program.append(CPW_POWER, argument, alpha: exponent)
      case .function(let function, let x):
        let argument: Int = register(of: x)
        return program.append(function.kernelKind, argument)
      case .operation(let operation, let left, let right):
        let (first, second) = (register(of: left), register(of: right))
        return program.append(operation.kernelKind, first, second)
      }
    }
  }
}

extension FormulaOperator {
  public static var samples: [OperatorSample] {
    let (a, b): (Formula, Formula) = (.operand(0), .operand(1))
    let polynomial: Formula = a * (1 - b * b) + .power(a, 3) / 2
    func sample(_ name: String, _ formula: Formula, _ shapes: Shape...) -> OperatorSample {
      OperatorSample(
        name, derived: FormulaOperator(formula, inputCount: shapes.count),
        inputs: shapes.map { ($0, .uniform(0.25...2)) }, tolerance: .accumulation)
    }
    let functions: [Formula.Function] = [
      .magnitude, .sign, .exponential, .logarithm, .squareRoot, .inverse, .tanh, .sigmoid, .sine,
      .cosine, .hyperbolicSine, .hyperbolicCosine, .errorFunction, .floor,
    ]
    let sums: [Formula] = functions.map { Formula.function($0, a) }
    return [
      // By hand: 2 · (1 − 9) + 8 / 2 = −12; −1 · (1 − 4) − 1 / 2 = 2.5.
      OperatorSample(
        "a polynomial", derived: FormulaOperator(polynomial, inputCount: 2),
        inputs: [([2], .values([2, -1])), ([2], .values([3, 2]))],
        expected: [ReferenceTensor([2], [-12, 2.5])]),
      // By hand.
      OperatorSample(
        "a gate", derived: FormulaOperator(a.gated(by: b), inputCount: 2),
        inputs: [([3], .values([5, 6, 7])), ([3], .values([1, 0, -1]))],
        expected: [ReferenceTensor([3], [5, 0, 0])], tolerance: .exact),
      OperatorSample(
        "a number a channel stretched over a picture", derived: FormulaOperator(a, inputCount: 2),
        inputs: [([2, 1, 1], .values([1, 2])), ([1, 2, 1, 2], .uniform(-1...1))],
        expected: [ReferenceTensor([1, 2, 1, 2], [1, 1, 2, 2])], tolerance: .exact),
      sample("a polynomial of pictures", polynomial, [2, 5, 7, 9], [2, 5, 7, 9]),
      sample("joined with a number a channel", polynomial, [2, 5, 7, 9], [5, 1, 1]),
      sample(
        "comparisons",
        Formula.select(a.isAbove(b), a, b.isAtLeast(1)) + .operation(.isEqual, a, b)
          + .operation(.maximum, a, b) * .operation(.minimum, a, b) + .operation(.power, a, b),
        [1, 3, 4, 5], [1, 3, 4, 5]),
      sample(
        "the first functions", sums[0..<7].dropFirst().reduce(sums[0]) { $0 + $1 }, [1, 3, 4, 5]),
      sample(
        "the other functions", sums[7...].dropFirst().reduce(sums[7]) { $0 + $1 }, [1, 3, 4, 5]),
      OperatorSample(
        "one input too few", derived: FormulaOperator(a, inputCount: 2),
        inputs: [([2], .uniform(0...1))], failure: "has 1 inputs, expected 2"),
    ]
  }
}
