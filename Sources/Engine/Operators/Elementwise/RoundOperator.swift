import Graph

/// Rounds each element to the nearest value that a smaller type can hold: `y = float32(type(x))`.
///
/// - Input: any shape, a type with fractions. Output: the same, the type too.
/// - Rules: those of IEEE 754: ties to even, what is too large becomes infinite, subnormal numbers of
///   the smaller type stay such, NaN stays NaN.
///
/// Values of float16 are held as float32 in a graph; this node after a computing operator says what float16 would
/// have kept of its results.
public struct RoundOperator: PointwiseOperator, Hashable {
  /// The type whose values are kept: float16 or bfloat16.
  public var element: ElementType

  public static let declaration = OperatorDeclaration(
    "RoundToType", summary: "each element as float16 or bfloat16 would hold it")

  /// A rounding to float16 or bfloat16.
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
