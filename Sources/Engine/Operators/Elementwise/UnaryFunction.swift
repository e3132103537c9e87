/// A function of one real number: a row of the table of such functions.
///
/// A row says everything of a function once: its name, its definition in `Double`, what programs of fast
/// kernels call it, and its gradient rule. Where the argument lies outside of the domain the result is
/// NaN, as in the C library.
public struct UnaryFunction: Sendable {
  /// The gradient of the argument by that of the result (`dy`), the argument and the result; nil where
  /// it is zero everywhere. Rules prefer the result: then the argument need not be kept.
  public typealias Pullback = @Sendable (_ dy: Formula, _ x: Formula, _ y: Formula) -> Formula?

  /// The name in messages and listings: “Sin”.
  public let name: String
  /// One line: what it computes.
  public let summary: String
  /// The step of a program that computes it.
  public let operation: PointwiseOperation
  /// The definition.
  package let definition: @Sendable (Double) -> Double
  /// The gradient rule.
  package let pullback: Pullback

  /// A row.
  init(
    _ name: String, _ summary: String, _ operation: PointwiseOperation,
    _ definition: @escaping @Sendable (Double) -> Double, pullback: @escaping Pullback
  ) {
    self.name = name
    self.summary = summary
    self.operation = operation
    self.definition = definition
    self.pullback = pullback
  }

  /// A row of a function that moves in steps, whose gradient is zero wherever it has one.
  init(
    steps name: String, _ summary: String, _ operation: PointwiseOperation,
    _ definition: @escaping @Sendable (Double) -> Double
  ) {
    self.init(name, summary, operation, definition) { _, _, _ in nil }
  }

  /// The definition.
  public func callAsFunction(_ x: Double) -> Double { definition(x) }
}

extension UnaryFunction: Hashable {
  public static func == (left: UnaryFunction, right: UnaryFunction) -> Bool {
    left.operation == right.operation
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(operation) }
}
