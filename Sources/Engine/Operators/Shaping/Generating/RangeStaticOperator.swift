import Graph

/// Makes a vector of numbers in equal steps: `start + i · step`, up to before the end.
///
/// - Inputs: none.
/// - Output: a vector of ⌈(end − start) / step⌉ numbers; the step may be negative.
///
/// **Source:** `RangeStaticLayerParams`.
public struct RangeStaticOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "RangeStatic", summary: "makes numbers in equal steps")

  /// The first number.
  public let start: Float
  /// The number before which to stop.
  public let end: Float
  /// From one number to the next.
  public let step: Float

  /// Numbers from the start to before the end.
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
