import Graph
import Foundation

/// The Gaussian error linear unit, exact or approximated.
///
/// - exact: `y = x / 2 · (1 + erf(x / √2))`
/// - by tanh: `y = x / 2 · (1 + tanh(√(2 / π) · (x + 0.044715 · x³)))`
/// - by sigmoid: `y = x · sigmoid(1.702 · x)`
///
/// Each formula multiplies `x` by a gate. At `x` = −∞ the product would be −∞ · 0, which is NaN. So the factor `x` is
/// clipped to at least −100. For every `x` ≤ −100, the gate is 0 in `float32` in all three formulas, and the result is
/// the limit, 0.
///
/// **Source:** `GeluLayerParams` in NeuralNetwork.proto; Hendrycks and Gimpel (arXiv:1606.08415).
public struct GeluOperator: PointwiseOperator {
  /// The formula of a GELU: exact, or one of two approximations.
  public enum Mode: Sendable { case exact, tanhApproximation, sigmoidApproximation }

  /// The formula that the operator computes.
  public var mode: Mode

  public static let declaration = OperatorDeclaration(
    "Gelu", summary: "the Gaussian error linear unit, in three forms")

  /// Creates a GELU with one of the formulas.
  public init(_ mode: Mode) { self.mode = mode }

  public func evaluate(_ operands: [Double]) -> Double {
    let x: Double = operands[0] < Double(Self.lowest) ? Double(Self.lowest) : operands[0]
    switch mode {
    case .exact: return 0.5 * x * (1 + erf(x / 2.0.squareRoot()))
    case .tanhApproximation:
      let inner: Double = (2 / Double.pi).squareRoot() * (x + 0.044715 * x * x * x)
      return 0.5 * x * (1 + tanh(inner))
    case .sigmoidApproximation: return x / (1 + exp(-1.702 * x))
    }
  }

  public var program: PointwiseProgram {
    var program = PointwiseProgram(inputCount: 1)
    var gate: Int
    switch mode {
    case .exact:
      gate = program.append(.affine, 0, alpha: Float(0.5.squareRoot()))
      gate = program.append(.errorFunction, gate)
      gate = program.append(.affine, gate, alpha: 0.5, beta: 0.5)
    case .tanhApproximation:
      // √(2 / π) · x · (1 + 0.044715 · x²)
      let root = Float((2 / Double.pi).squareRoot())
      gate = program.append(.multiply, 0, 0)
      gate = program.append(.affine, gate, alpha: root * 0.044715, beta: root)
      gate = program.append(.multiply, gate, 0)
      gate = program.append(.tanh, gate)
      gate = program.append(.affine, gate, alpha: 0.5, beta: 0.5)
    case .sigmoidApproximation:
      gate = program.append(.affine, 0, alpha: 1.702)
      gate = program.append(.sigmoid, gate)
    }
    let factor: Int = program.append(.clip, 0, alpha: Self.lowest, beta: .infinity)
    program.append(.multiply, factor, gate)
    return program
  }

  private static let lowest: Float = -100
}
