import Graph

/// Whole numbers counted from the least one, so that a byte holds them: `y = min(max(round(x) − least, 0), 255)`.
///
/// - Input: any shape, whole numbers of `least` to `least + 255`; others are rounded, halves to the even one, and
///   kept to that range; NaN counts as `least`. Output: the same shape.
///
/// The graph states `float32`; plans keep the result as bytes. ``MultiplyBytes`` puts it where codes of a quantised
/// network are made.
public struct ByteOperator: PointwiseOperator {
  /// The number that becomes 0.
  public var least: Int

  public static let declaration = OperatorDeclaration(
    "Byte", summary: "whole numbers counted from the least one, as bytes hold them")

  /// Bytes that count from a whole number.
  public init(from least: Int) { self.least = least }

  public func evaluate(_ operands: [Double]) -> Double {
    let code: Double = operands[0].rounded(.toNearestOrEven) - Double(least)
    return code > 0 ? min(code, 255) : 0
  }

  public var program: PointwiseProgram {
    var program = PointwiseProgram(inputCount: 1)
    let whole: Int = program.append(.round, 0)
    program.append(.affine, whole, alpha: 1, beta: Float(-least))
    program.makesBytes = true
    return program
  }
}
