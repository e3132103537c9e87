import Graph

/// Rounds each element to the nearest value that a smaller type can hold: `y = float32(type(x))`.
///
/// - Input: any shape, a type with fractions. Output: the same, the type too.
/// - Rules: those of IEEE 754: ties to even, what is too large becomes infinite, subnormal numbers of
///   the smaller type stay such, NaN stays NaN. Where the digits are kept, only what is too large changes.
///
/// Values of float16 are held as float32 in a graph; this node after a computing operator says what float16 would
/// have kept of its results.
public struct RoundOperator: PointwiseOperator {
  /// The type whose values are kept: float16 or bfloat16.
  public var element: ElementType
  /// Whether values within the range of the type stay as they are.
  public let keepsDigits: Bool

  public static let declaration = OperatorDeclaration(
    "RoundToType", summary: "each element as float16 or bfloat16 would hold it")

  /// A rounding to float16 or bfloat16, or to their range alone.
  public init(to element: ElementType, keepsDigits: Bool = false) {
    precondition(element == .float16 || element == .bfloat16, "rounding to \(element)")
    self.element = element
    self.keepsDigits = keepsDigits
  }

  public func evaluate(_ operands: [Double]) -> Double {
    let rounded: Double = element.rounded(operands[0])
    return keepsDigits && rounded.isFinite ? Double(Float(operands[0])) : rounded
  }

  public var program: PointwiseProgram {
    var program = PointwiseProgram(inputCount: 1)
    guard keepsDigits else {
      program.append(element == .float16 ? .roundToFloat16 : .roundToBFloat16, 0)
      return program
    }
    // The least magnitude that becomes infinite: half a step above the largest value, a tie.
    let bound: Float = element == .float16 ? 65_520 : 0x1.FFp127
    let limit: Int = program.append(.constant, 0, alpha: bound)
    let isTooLarge: Int = program.append(
      .isAtLeast, program.append(.magnitude, 0), limit)
    let infinite: Int = program.append(
      .multiply, program.append(.sign, 0), program.append(.constant, 0, alpha: .infinity))
    program.append(
      .unite, program.append(.keep, infinite, isTooLarge), program.append(.drop, 0, isTooLarge))
    return program
  }
}
