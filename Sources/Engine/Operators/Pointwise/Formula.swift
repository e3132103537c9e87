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
  case function(UnaryFunction, Formula)
  /// Two values joined.
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
