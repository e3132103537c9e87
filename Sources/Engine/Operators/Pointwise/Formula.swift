import Foundation

/// An arithmetic expression of the elements at the same index of several tensors. A formula is written once and used
/// twice. The reference implementation evaluates it in `Double`, and the fast kernel runs a program that is compiled
/// from it.
///
/// Gradient rules are formulas, for example `dy * (1 - y * y)`.
public indirect enum Formula: Sendable, Hashable {
  /// The operand with this index.
  case operand(Int)
  /// A constant.
  case number(Float)
  /// scale · x + shift
  case affine(Formula, scale: Float, shift: Float)
  /// x to a constant power
  case power(Formula, Float)
  /// A function of one value.
  case function(UnaryFunction, Formula)
  /// A function of two values.
  case operation(BinaryFunction, Formula, Formula)
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

  /// Returns a formula that equals this formula where `other` is above zero, and 0 elsewhere.
  public func gated(by other: Formula) -> Formula { .operation(.gate, self, other) }

  /// Returns a formula that is 1 where this formula is above `other`, and 0 elsewhere.
  public func isAbove(_ other: Formula) -> Formula { .operation(.isGreater, self, other) }

  /// Returns a formula that is 1 where this formula is at least `other`, and 0 elsewhere.
  public func isAtLeast(_ other: Formula) -> Formula { .operation(.isAtLeast, self, other) }

  /// Returns a formula that equals `yes` where the condition is 1, and `no` where the condition is 0.
  public static func select(_ condition: Formula, _ yes: Formula, _ no: Formula) -> Formula {
    no + condition * (yes - no)
  }
}

extension Formula {
  /// The indices of the operands that the formula reads.
  public var operands: Set<Int> {
    switch self {
    case .operand(let number): return [number]
    case .number: return []
    case .affine(let x, _, _), .power(let x, _), .function(_, let x): return x.operands
    case .operation(_, let left, let right): return left.operands.union(right.operands)
    }
  }

  /// Returns the formula with the index of every operand replaced by `numbers[index]`. An index for which `numbers` has
  /// no entry does not change.
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

  /// Evaluates the formula in `Double`.
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

extension Formula {
  /// The formula `x · sigmoid(x)` of the first operand.
  public static let swish: Formula = .operand(0) * .function(.sigmoid, .operand(0))
}
