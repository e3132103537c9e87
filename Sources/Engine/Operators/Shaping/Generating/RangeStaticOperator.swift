import Graph

/// Makes a vector of evenly spaced numbers: `start + i · step`, up to the exclusive end.
///
/// - Inputs: none.
/// - Output: a vector of ⌈(end − start) / step⌉ numbers; the step may be negative.
///
/// **Source:** `RangeStaticLayerParams`.
public struct RangeStaticOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "RangeStatic", summary: "makes evenly spaced numbers")

  /// The first number.
  public let start: Float
  /// The exclusive end.
  public let end: Float
  /// The difference between neighbouring numbers.
  public let step: Float

  /// Creates an operator that makes numbers from the start up to the exclusive end.
  public init(start: Float, end: Float, step: Float) {
    self.start = start
    self.end = end
    self.step = step
  }

  package func range() throws -> ArithmeticRange {
    try ArithmeticRange(start: start, end: end, step: step)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [try range().type]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [try range().values]
  }
}
