import Graph

/// Converts quantised values to bytes: `y = min(max(round(x) − least, 0), 255)`. `least` is the smallest quantised
/// value.
///
/// - Input: any shape, integers from `least` to `least + 255`. Other numbers are rounded, ties to even, and clipped to
///   that range. NaN becomes `least`.
/// - Output: the same shape.
///
/// In the graph the result has the type `float32`, but plans store it as bytes. The pass ``MultiplyBytes`` adds this
/// operator after the clip that bounds quantised values.
public struct ByteOperator: PointwiseOperator {
  /// The smallest quantised value, which becomes the byte 0.
  public var least: Int

  public static let declaration = OperatorDeclaration(
    "Byte", summary: "integers as bytes that count from the smallest")

  /// Creates a conversion of the integers from `least` to `least + 255`.
  public init(from least: Int) { self.least = least }

  public func evaluate(_ operands: [Double]) -> Double {
    let integer: Double = operands[0].rounded(.toNearestOrEven) - Double(least)
    return integer > 0 ? min(integer, 255) : 0
  }

  public var program: PointwiseProgram {
    var program = PointwiseProgram(inputCount: 1)
    let rounded: Int = program.append(.round, 0)
    program.append(.affine, rounded, alpha: 1, beta: Float(-least))
    program.makesBytes = true
    return program
  }
}
