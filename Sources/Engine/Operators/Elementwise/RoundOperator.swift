import Graph

/// Rounds each element to the nearest value that a smaller type can hold: `y = float32(type(x))`.
///
/// - Input: any shape, a floating-point type. Output: the same shape and type.
/// - Rules: those of IEEE 754. Ties round to even, overflow becomes infinity, subnormal numbers of the smaller type
///   stay subnormal, NaN stays NaN.
///
/// A graph stores float16 values as float32. Where a model computes in float16, this operator follows each operator
/// that computes new numbers, and rounds these numbers to values that float16 can hold.
public struct RoundOperator: PointwiseOperator, Hashable {
  /// The smaller type: float16 or bfloat16.
  public var element: ElementType

  public static let declaration = OperatorDeclaration(
    "RoundToType", summary: "each element as float16 or bfloat16 would hold it")

  /// Creates a rounding to float16 or bfloat16.
  public init(to element: ElementType) {
    precondition(element == .float16 || element == .bfloat16, "rounding to \(element)")
    self.element = element
  }

  public func evaluate(_ operands: [Double]) -> Double { element.rounded(operands[0]) }

  public var program: PointwiseProgram {
    var program = PointwiseProgram(inputCount: 1)
    program.append(element == .float16 ? .roundToFloat16 : .roundToBFloat16, 0)
    return program
  }
}
