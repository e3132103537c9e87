/// A function of two real numbers. The static constants of this type form a table of functions, with one row per
/// function.
///
/// A row holds everything about a function: its name, its reference implementation in `Double`, the pointwise operation
/// that fast kernels apply, and its gradient rule.
public struct BinaryFunction: Sendable {
  /// Returns a formula for the gradient of the operand with the index `input`, 0 or 1. The formula may read the
  /// gradient of the result (`dy`), the operands (`x`) and the result (`y`). Returns nil if the gradient is zero
  /// everywhere.
  public typealias Pullback =
    @Sendable (
      _ dy: Formula, _ input: Int, _ x: [Formula], _ y: Formula
    ) -> Formula?

  /// The name in messages and listings, for example “AddBroadcastable”.
  public let name: String
  /// A description of the function, in one line.
  public let summary: String
  /// The operation of a pointwise program that computes the function.
  public let operation: PointwiseOperation
  /// The reference implementation in `Double`.
  package let definition: @Sendable (Double, Double) -> Double
  /// The reference implementation in integers, which wrap around on overflow; nil if the function has no such
  /// implementation.
  package let integer: (@Sendable (Int64, Int64) -> Int64)?
  /// The reference implementation in integers, clamped to the range of `Int64` on overflow; nil if no overflow is
  /// possible.
  private let saturating: (@Sendable (Int64, Int64) -> Int64)?
  /// The rule for the gradients of both operands.
  package let pullback: Pullback

  /// Creates a row of the table.
  init(
    _ name: String, _ summary: String, _ operation: PointwiseOperation,
    _ definition: @escaping @Sendable (Double, Double) -> Double,
    integer: (@Sendable (Int64, Int64) -> Int64)? = nil,
    saturating: (@Sendable (Int64, Int64) -> Int64)? = nil, pullback: @escaping Pullback
  ) {
    self.name = name
    self.summary = summary
    self.operation = operation
    self.definition = definition
    self.integer = integer
    self.saturating = saturating
    self.pullback = pullback
  }

  /// Creates a row for a comparison or a logical operation. The function returns 1 for true and 0 for false. Such a
  /// function is piecewise constant, so its gradient is zero.
  init(
    _ name: String, _ summary: String, _ operation: PointwiseOperation,
    holds: @escaping @Sendable (Double, Double) -> Bool,
    integer: @escaping @Sendable (Int64, Int64) -> Bool
  ) {
    self.init(
      name, summary, operation, { holds($0, $1) ? 1 : 0 }, integer: { integer($0, $1) ? 1 : 0 }
    ) { _, _, _, _ in nil }
  }

  /// Computes the function in `Double`.
  public func callAsFunction(_ left: Double, _ right: Double) -> Double { definition(left, right) }

  /// Returns the reference implementation in integers that wraps around or saturates, as `overflow` states. Nil if the
  /// function has no implementation in integers.
  package func integer(_ overflow: IntegerOverflow) -> (@Sendable (Int64, Int64) -> Int64)? {
    overflow == .saturates ? saturating ?? integer : integer
  }
}

extension BinaryFunction: Hashable {
  public static func == (left: BinaryFunction, right: BinaryFunction) -> Bool {
    left.operation == right.operation
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(operation) }
}
