/// A function of two real numbers: a row of the table of such functions.
///
/// A row says everything of a function once: its name, its definition in `Double`, what programs of fast
/// kernels call it, and its gradient rule.
public struct BinaryFunction: Sendable {
  /// The gradient of an operand (0 or 1) by that of the result (`dy`), the operands and the result; nil
  /// where it is zero everywhere.
  public typealias Pullback =
    @Sendable (
      _ dy: Formula, _ input: Int, _ x: [Formula], _ y: Formula
    ) -> Formula?

  /// The name in messages and listings: “AddBroadcastable”.
  public let name: String
  /// One line: what it computes.
  public let summary: String
  /// The step of a program that computes it.
  public let operation: PointwiseOperation
  /// The definition.
  package let definition: @Sendable (Double, Double) -> Double
  /// The definition in integers, which wrap around; nil where there is none.
  package let whole: (@Sendable (Int64, Int64) -> Int64)?
  /// The same, kept to the range of `Int64`; nil where nothing overflows.
  private let saturating: (@Sendable (Int64, Int64) -> Int64)?
  /// The gradient rule.
  package let pullback: Pullback

  /// A row.
  init(
    _ name: String, _ summary: String, _ operation: PointwiseOperation,
    _ definition: @escaping @Sendable (Double, Double) -> Double,
    whole: (@Sendable (Int64, Int64) -> Int64)? = nil,
    saturating: (@Sendable (Int64, Int64) -> Int64)? = nil, pullback: @escaping Pullback
  ) {
    self.name = name
    self.summary = summary
    self.operation = operation
    self.definition = definition
    self.whole = whole
    self.saturating = saturating
    self.pullback = pullback
  }

  /// A row of a comparison or of logic: 1 where it holds, 0 elsewhere. It moves in steps.
  init(
    _ name: String, _ summary: String, _ operation: PointwiseOperation,
    holds: @escaping @Sendable (Double, Double) -> Bool,
    whole: @escaping @Sendable (Int64, Int64) -> Bool
  ) {
    self.init(
      name, summary, operation, { holds($0, $1) ? 1 : 0 }, whole: { whole($0, $1) ? 1 : 0 }
    ) { _, _, _, _ in nil }
  }

  /// The definition.
  public func callAsFunction(_ left: Double, _ right: Double) -> Double { definition(left, right) }

  /// The definition in integers; nil where there is none.
  package func whole(_ overflow: IntegerOverflow) -> (@Sendable (Int64, Int64) -> Int64)? {
    overflow == .saturates ? saturating ?? whole : whole
  }
}

extension BinaryFunction: Hashable {
  public static func == (left: BinaryFunction, right: BinaryFunction) -> Bool {
    left.operation == right.operation
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(operation) }
}
