import Foundation

// If both operands of a maximum or minimum are equal, only the first operand receives the gradient.

extension BinaryFunction {
  /// All binary functions.
  public static let all: [BinaryFunction] =
    arithmetic + comparisons + logic + [.gate]

  /// The arithmetic functions: sum, difference, product, quotient, maximum, minimum, remainder and power.
  public static let arithmetic: [BinaryFunction] = [
    .add, .subtract, .multiply, .divide, .maximum, .minimum, .modulo, .floorDivide, .power,
  ]

  /// The comparisons.
  public static let comparisons: [BinaryFunction] = [
    .isEqual, .isNotEqual, .isLess, .isAtMost, .isGreater, .isAtLeast,
  ]

  /// Operations on truth values.
  public static let logic: [BinaryFunction] = [.logicalAnd, .logicalOr, .logicalXor]

  public static let add: BinaryFunction = .init(
    "AddBroadcastable", "the sum of two inputs, broadcast", .add, { $0 + $1 },
    integer: { $0 &+ $1 },
    saturating: { .saturating($0.addingReportingOverflow($1), isNegative: $0 < 0) }
  ) { dy, _, _, _ in dy }

  public static let subtract: BinaryFunction = .init(
    "SubtractBroadcastable", "the difference of two inputs, broadcast", .subtract, { $0 - $1 },
    integer: { $0 &- $1 },
    saturating: { .saturating($0.subtractingReportingOverflow($1), isNegative: $0 < 0) }
  ) { dy, input, _, _ in input == 0 ? dy : -dy }

  public static let multiply: BinaryFunction = .init(
    "MultiplyBroadcastable", "the product of two inputs, broadcast", .multiply, { $0 * $1 },
    integer: { $0 &* $1 },
    saturating: {
      .saturating($0.multipliedReportingOverflow(by: $1), isNegative: ($0 < 0) != ($1 < 0))
    }
  ) { dy, input, x, _ in dy * x[1 - input] }

  /// The quotient of integers is truncated to an integer. An integer divided by 0 gives 0.
  public static let divide: BinaryFunction = .init(
    "DivideBroadcastable", "the quotient of two inputs, broadcast", .divide, { $0 / $1 },
    integer: { $0.truncatedQuotient(by: $1) },
    saturating: { $0 == .min && $1 == -1 ? .max : $0.truncatedQuotient(by: $1) }
  ) { dy, input, x, y in input == 0 ? dy / x[1] : -(dy * y / x[1]) }

  /// NaN if either operand is NaN.
  public static let maximum: BinaryFunction = .init(
    "MaxBroadcastable", "the larger of two inputs, broadcast", .maximum,
    { $0 < $1 || $1.isNaN ? $1 : $0 }, integer: { max($0, $1) }
  ) { dy, input, x, _ in
    input == 0 ? dy * x[0].isAtLeast(x[1]) : dy * x[1].isAbove(x[0])
  }

  /// NaN if either operand is NaN.
  public static let minimum: BinaryFunction = .init(
    "MinBroadcastable", "the smaller of two inputs, broadcast", .minimum,
    { $0 > $1 || $1.isNaN ? $1 : $0 }, integer: { min($0, $1) }
  ) { dy, input, x, _ in
    input == 0 ? dy * x[1].isAtLeast(x[0]) : dy * x[0].isAbove(x[1])
  }

  /// `x₁ − ⌊x₁ / x₂⌋ · x₂`
  public static let modulo: BinaryFunction = .init(
    "ModBroadcastable", "the remainder of a division, with the sign of the divisor, broadcast",
    .modulo, { $0 - ($0 / $1).rounded(.down) * $1 },
    integer: { $0 &- $0.flooredQuotient(by: $1) &* $1 }
  ) { dy, input, x, _ in input == 0 ? dy : -(dy * .function(.floor, x[0] / x[1])) }

  public static let floorDivide: BinaryFunction = .init(
    "FloorDivBroadcastable", "the quotient of two inputs, rounded down, broadcast", .floorDivide,
    { ($0 / $1).rounded(.down) }, integer: { $0.flooredQuotient(by: $1) },
    saturating: { $0 == .min && $1 == -1 ? .max : $0.flooredQuotient(by: $1) }
  ) { _, _, _, _ in nil }

  /// The power of integers is truncated to an integer. A negative power of the integer 0 is 0.
  public static let power: BinaryFunction = .init(
    "PowBroadcastable", "one input to the power of the other, broadcast", .raise, { pow($0, $1) },
    integer: { $0.raised(to: $1) }, saturating: { $0.raisedSaturating(to: $1) }
  ) { dy, input, x, y in
    input == 0
      ? dy * x[1] * .operation(.power, x[0], x[1] - 1)
      : dy * y * .function(.logarithm, x[0])
  }

  public static let isEqual: BinaryFunction = .init(
    "Equal", "whether one input equals the other or a number", .isEqual, holds: { $0 == $1 },
    integer: { $0 == $1 })

  public static let isNotEqual: BinaryFunction = .init(
    "NotEqual", "whether one input differs from the other or a number", .isNotEqual,
    holds: { $0 != $1 },
    integer: { $0 != $1 })

  public static let isLess: BinaryFunction = .init(
    "LessThan", "whether one input is less than the other or a number", .isLess,
    holds: { $0 < $1 },
    integer: { $0 < $1 })

  public static let isAtMost: BinaryFunction = .init(
    "LessEqual", "whether one input is at most the other or a number", .isAtMost,
    holds: { $0 <= $1 },
    integer: { $0 <= $1 })

  public static let isGreater: BinaryFunction = .init(
    "GreaterThan", "whether one input is greater than the other or a number", .isGreater,
    holds: { $0 > $1 },
    integer: { $0 > $1 })

  public static let isAtLeast: BinaryFunction = .init(
    "GreaterEqual", "whether one input is at least the other or a number", .isAtLeast,
    holds: { $0 >= $1 },
    integer: { $0 >= $1 })

  /// For the three logical functions, every value except 0 is true.
  public static let logicalAnd: BinaryFunction = .init(
    "LogicalAnd", "1 where both inputs are not 0, broadcast", .logicalAnd,
    holds: { $0 != 0 && $1 != 0 }, integer: { $0 != 0 && $1 != 0 })

  public static let logicalOr: BinaryFunction = .init(
    "LogicalOr", "1 where an input is not 0, broadcast", .logicalOr,
    holds: { $0 != 0 || $1 != 0 }, integer: { $0 != 0 || $1 != 0 })

  public static let logicalXor: BinaryFunction = .init(
    "LogicalXor", "1 where exactly one input is not 0, broadcast", .logicalXor,
    holds: { ($0 != 0) != ($1 != 0) }, integer: { ($0 != 0) != ($1 != 0) })

  public static let gate: BinaryFunction = .init(
    "Gate", "one input where the other is above 0, 0 elsewhere", .gate, { $1 > 0 ? $0 : 0 },
    integer: { $1 > 0 ? $0 : 0 }
  ) { dy, input, x, _ in input == 0 ? dy.gated(by: x[1]) : nil }
}
