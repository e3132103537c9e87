import CPointwise
import Foundation

/// Arithmetic on the elements at one place of several tensors, written down once and computed twice:
/// in `Double` as the definition, and as a program of the fast kernel.
///
/// Gradient rules are made of it: `dy * (1 - y * y)`.
public indirect enum Formula: Sendable, Hashable {
  /// The operand of that number.
  case operand(Int)
  /// The same number everywhere.
  case number(Float)
  /// scale · x + shift
  case affine(Formula, scale: Float, shift: Float)
  /// x to a constant power
  case power(Formula, Float)
  /// A function of one value.
  case function(Function, Formula)
  /// Two values joined.
  case operation(Operation, Formula, Formula)

  /// Functions of one value.
  public enum Function: Sendable, Hashable {
    case magnitude, sign, exponential, logarithm, squareRoot, inverse
    case tanh, sigmoid, sine, cosine, hyperbolicSine, hyperbolicCosine, errorFunction, floor
  }

  /// Ways to join two values.
  public enum Operation: Sendable, Hashable {
    case add, subtract, multiply, divide, maximum, minimum, power
    /// 1 where it holds, 0 elsewhere.
    case isGreater, isAtLeast, isEqual
    /// The left one where the right one is above zero, 0 elsewhere.
    case gate
  }
}

extension Formula: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
  public init(floatLiteral value: Float) { self = .number(value) }
  public init(integerLiteral value: Int) { self = .number(Float(value)) }

  public static func + (left: Formula, right: Formula) -> Formula {
    switch (left, right) {
    case (.number(let a), .number(let b)): return .number(a + b)
    case (.number(0), let x), (let x, .number(0)): return x
    case (.number(let shift), let x), (let x, .number(let shift)):
      return .affine(x, scale: 1, shift: shift)
    default: return .operation(.add, left, right)
    }
  }

  public static func - (left: Formula, right: Formula) -> Formula {
    switch (left, right) {
    case (.number(let a), .number(let b)): return .number(a - b)
    case (let x, .number(0)): return x
    case (.number(let shift), let x): return .affine(x, scale: -1, shift: shift)
    case (let x, .number(let shift)): return .affine(x, scale: 1, shift: -shift)
    default: return .operation(.subtract, left, right)
    }
  }

  public static func * (left: Formula, right: Formula) -> Formula {
    switch (left, right) {
    case (.number(let a), .number(let b)): return .number(a * b)
    case (.number(1), let x), (let x, .number(1)): return x
    case (.number(let scale), let x), (let x, .number(let scale)):
      return .affine(x, scale: scale, shift: 0)
    default: return .operation(.multiply, left, right)
    }
  }

  public static func / (left: Formula, right: Formula) -> Formula {
    switch (left, right) {
    case (let x, .number(let divisor)): return x * .number(1 / divisor)
    case (.number(1), let x): return .function(.inverse, x)
    default: return .operation(.divide, left, right)
    }
  }

  public static prefix func - (value: Formula) -> Formula { .number(-1) * value }

  /// Itself where the other is above zero, 0 elsewhere.
  public func gated(by other: Formula) -> Formula { .operation(.gate, self, other) }

  /// 1 where it is above the other, 0 elsewhere.
  public func isAbove(_ other: Formula) -> Formula { .operation(.isGreater, self, other) }

  /// 1 where it is not below the other, 0 elsewhere.
  public func isAtLeast(_ other: Formula) -> Formula { .operation(.isAtLeast, self, other) }

  /// One where the condition is 1, the other where it is 0.
  public static func select(_ condition: Formula, _ yes: Formula, _ no: Formula) -> Formula {
    no + condition * (yes - no)
  }
}

extension Formula {
  /// The operands that it reads.
  public var operands: Set<Int> {
    switch self {
    case .operand(let number): return [number]
    case .number: return []
    case .affine(let x, _, _), .power(let x, _), .function(_, let x): return x.operands
    case .operation(_, let left, let right): return left.operands.union(right.operands)
    }
  }

  /// The same with other numbers for its operands.
  public func renumbered(_ numbers: [Int: Int]) -> Formula {
    switch self {
    case .operand(let number): return .operand(numbers[number] ?? number)
    case .number: return self
    case .affine(let x, let scale, let shift):
      return .affine(x.renumbered(numbers), scale: scale, shift: shift)
    case .power(let x, let exponent): return .power(x.renumbered(numbers), exponent)
    case .function(let function, let x): return .function(function, x.renumbered(numbers))
    case .operation(let operation, let left, let right):
      return .operation(operation, left.renumbered(numbers), right.renumbered(numbers))
    }
  }

  /// The definition.
  public func callAsFunction(_ operands: [Double]) -> Double {
    switch self {
    case .operand(let number): return operands[number]
    case .number(let value): return Double(value)
    case .affine(let x, let scale, let shift): return Double(scale) * x(operands) + Double(shift)
    case .power(let x, let exponent): return pow(x(operands), Double(exponent))
    case .function(let function, let x): return function(x(operands))
    case .operation(let operation, let left, let right):
      return operation(left(operands), right(operands))
    }
  }
}

extension Formula.Function {
  /// The definition.
  public func callAsFunction(_ x: Double) -> Double {
    switch self {
    case .magnitude: return abs(x)
    case .sign: return x > 0 ? 1 : x < 0 ? -1 : 0
    case .exponential: return exp(x)
    case .logarithm: return log(x)
    case .squareRoot: return x.squareRoot()
    case .inverse: return 1 / x
    case .tanh: return Foundation.tanh(x)
    case .sigmoid: return 1 / (1 + exp(-x))
    case .sine: return sin(x)
    case .cosine: return cos(x)
    case .hyperbolicSine: return sinh(x)
    case .hyperbolicCosine: return cosh(x)
    case .errorFunction: return erf(x)
    case .floor: return x.rounded(.down)
    }
  }

  package var kernelKind: cpw_operation_kind {
    switch self {
    case .magnitude: return CPW_ABS
    case .sign: return CPW_SIGN
    case .exponential: return CPW_EXP
    case .logarithm: return CPW_LOG
    case .squareRoot: return CPW_SQRT
    case .inverse: return CPW_INVERSE
    case .tanh: return CPW_TANH
    case .sigmoid: return CPW_SIGMOID
    case .sine: return CPW_SIN
    case .cosine: return CPW_COS
    case .hyperbolicSine: return CPW_SINH
    case .hyperbolicCosine: return CPW_COSH
    case .errorFunction: return CPW_ERF
    case .floor: return CPW_FLOOR
    }
  }
}

extension Formula.Operation {
  /// The definition.
  public func callAsFunction(_ left: Double, _ right: Double) -> Double {
    switch self {
    case .add: return left + right
    case .subtract: return left - right
    case .multiply: return left * right
    case .divide: return left / right
    case .maximum: return left < right ? right : left
    case .minimum: return left > right ? right : left
    case .power: return pow(left, right)
    case .isGreater: return left > right ? 1 : 0
    case .isAtLeast: return left >= right ? 1 : 0
    case .isEqual: return left == right ? 1 : 0
    case .gate: return right > 0 ? left : 0
    }
  }

  package var kernelKind: cpw_operation_kind {
    switch self {
    case .add: return CPW_ADD
    case .subtract: return CPW_SUBTRACT
    case .multiply: return CPW_MULTIPLY
    case .divide: return CPW_DIVIDE
    case .maximum: return CPW_MAXIMUM
    case .minimum: return CPW_MINIMUM
    case .power: return CPW_POW
    case .isGreater: return CPW_GREATER
    case .isAtLeast: return CPW_GREATER_EQUAL
    case .isEqual: return CPW_EQUAL
    case .gate: return CPW_GATE
    }
  }
}
