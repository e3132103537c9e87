import Graph
import Operators

/// A hard swish: `y = x · gate` with `gate = min(max(alpha · x + beta, 0), 1)`, and 0 where the gate is 0.
///
/// - Input: one, of any shape. Output: the same shape.
///
/// Only passes add this operator to a graph. No model file contains it.
///
/// **Source:** Howard and others, “Searching for MobileNetV3”, arXiv:1905.02244, with alpha 1/6 and beta 1/2.
public struct HardSwish: PointwiseOperator, Hashable {
  public static let declaration = OperatorDeclaration(
    "HardSwish", summary: "each element multiplied by its hard sigmoid")

  /// The slope of the gate. Must be above zero.
  public var alpha: Float
  /// The gate at 0.
  public var beta: Float
  /// Whether the gate is rounded to float16 before the product.
  public var roundsGate: Bool

  /// The function with a slope of 1/6 and a gate of 1/2 at 0, without rounding.
  public static let standard = HardSwish(alpha: 1 / 6, beta: 0.5)

  /// Creates a hard swish with this gate.
  public init(alpha: Float, beta: Float, roundsGate: Bool = false) {
    self.alpha = alpha
    self.beta = beta
    self.roundsGate = roundsGate
  }

  public func evaluate(_ operands: [Double]) -> Double {
    let line: Double = Double(alpha) * operands[0] + Double(beta)
    let gate: Double = line.isNaN ? line : min(max(line, 0), 1)
    let rounded: Double = roundsGate ? ElementType.float16.rounded(gate) : gate
    return rounded == 0 ? 0 : operands[0] * rounded
  }

  public var program: PointwiseProgram {
    var program = PointwiseProgram(inputCount: 1)
    // Below this number the gate is 0. So −∞ · 0 does not occur.
    let bounded = program.append(.clip, 0, alpha: -beta / alpha, beta: .infinity)
    let line = program.append(.affine, bounded, alpha: alpha, beta: beta)
    var gate = program.append(.clip, line, alpha: 0, beta: 1)
    if roundsGate { gate = program.append(.roundToFloat16, gate) }
    program.append(.multiply, bounded, gate)
    return program
  }
}

extension HardSwish: CustomStringConvertible {
  /// The function in a few words, for example `hard swish`.
  public var description: String {
    (self == .standard ? "hard swish" : "hard swish \(alpha) \(beta)")
      + (roundsGate ? ", gate rounded" : "")
  }
}
