/// A function of one real number. The static constants of this type form a table of functions, with one row per
/// function.
///
/// A row holds everything about a function: its name, its reference implementation in `Double`, the pointwise operation
/// that fast kernels apply, and its gradient rule. Outside the function's domain the result is NaN, as in the C
/// library.
public struct UnaryFunction: Sendable {
  /// Returns a formula for the gradient of the argument from the gradient of the result (`dy`), the argument (`x`) and
  /// the result (`y`). Returns nil if the gradient is zero everywhere. Where possible, the formula reads `y` instead of
  /// `x`: then `x` need not be stored for the backward pass.
  public typealias Pullback = @Sendable (_ dy: Formula, _ x: Formula, _ y: Formula) -> Formula?

  /// The name in messages and listings, for example “Sin”.
  public let name: String
  /// A description of the function, in one line.
  public let summary: String
  /// The operation of a pointwise program that computes the function.
  public let operation: PointwiseOperation
  /// The reference implementation in `Double`.
  package let definition: @Sendable (Double) -> Double
  /// The rule for the gradient of the argument.
  package let pullback: Pullback

  /// Creates a row of the table.
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

  /// Creates a row for a piecewise constant function. Its gradient is zero.
  init(
    steps name: String, _ summary: String, _ operation: PointwiseOperation,
    _ definition: @escaping @Sendable (Double) -> Double
  ) {
    self.init(name, summary, operation, definition) { _, _, _ in nil }
  }

  /// Computes the function in `Double`.
  public func callAsFunction(_ x: Double) -> Double { definition(x) }
}

extension UnaryFunction: Hashable {
  public static func == (left: UnaryFunction, right: UnaryFunction) -> Bool {
    left.operation == right.operation
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(operation) }
}
