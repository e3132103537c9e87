import CPointwise
import Graph
import Foundation
import ModelFormat

/// The Gaussian error linear unit, exact or approximated.
///
/// - exact: `y = x / 2 · (1 + erf(x / √2))`
/// - by tanh: `y = x / 2 · (1 + tanh(√(2 / π) · (x + 0.044715 · x³)))`
/// - by sigmoid: `y = x · sigmoid(1.702 · x)`
///
/// **Source:** `GeluLayerParams` in NeuralNetwork.proto; Hendrycks and Gimpel (arXiv:1606.08415).
public struct GeluOperator: PointwiseOperator {
  /// Which of the three formulas.
  public enum Mode: Sendable { case exact, tanhApproximation, sigmoidApproximation }

  /// Which of the three formulas.
  public var mode: Mode

  public static let declaration = OperatorDeclaration(
    "Gelu", specification: "gelu", summary: "the Gaussian error linear unit, in three forms")

  public init(decoding decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...1)
    guard case .gelu(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    switch message.mode {
    case .exact: mode = .exact
    case .tanhApproximation: mode = .tanhApproximation
    case .sigmoidApproximation: mode = .sigmoidApproximation
    case .unrecognized(let number):
      throw decoder.invalid("the mode has the number \(number), expected 0 to 2.")
    }
  }

  public func evaluate(_ operands: [Double]) -> Double {
    let x: Double = operands[0]
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
      gate = program.append(CPW_AFFINE, 0, alpha: Float(0.5.squareRoot()))
      gate = program.append(CPW_ERF, gate)
      gate = program.append(CPW_AFFINE, gate, alpha: 0.5, beta: 0.5)
    case .tanhApproximation:
      // √(2 / π) · x · (1 + 0.044715 · x²)
      let root = Float((2 / Double.pi).squareRoot())
      gate = program.append(CPW_MULTIPLY, 0, 0)
      gate = program.append(CPW_AFFINE, gate, alpha: root * 0.044715, beta: root)
      gate = program.append(CPW_MULTIPLY, gate, 0)
      gate = program.append(CPW_TANH, gate)
      gate = program.append(CPW_AFFINE, gate, alpha: 0.5, beta: 0.5)
    case .sigmoidApproximation:
      gate = program.append(CPW_AFFINE, 0, alpha: 1.702)
      gate = program.append(CPW_SIGMOID, gate)
    }
    program.append(CPW_MULTIPLY, 0, gate)
    return program
  }

  public static var samples: [OperatorSample] {
    func gelu(_ mode: Spec.GeluLayerParams.GeluMode) -> Spec.NeuralNetworkLayer {
      var message = Spec.GeluLayerParams()
      message.mode = mode
      return Spec.NeuralNetworkLayer(.gelu(message))
    }
    // By Python’s math module in float64, for −1, 0.5 and 2.
    let answers: [(String, Spec.GeluLayerParams.GeluMode, [Double])] = [
      ("exact", .exact, [-0.158655253931457, 0.345731230635337, 1.954499736103642]),
      (
        "by tanh", .tanhApproximation,
        [-0.158808009391733, 0.345714009825144, 1.954597694087775]
      ),
      (
        "by sigmoid", .sigmoidApproximation,
        [-0.154204234067179, 0.350388436606380, 1.935658623144208]
      ),
    ]
    return answers.flatMap { name, mode, values in
      [
        OperatorSample(
          name, gelu(mode), inputs: [([3], .values([-1, 0.5, 2]))],
          expected: [ReferenceTensor([3], values)], tolerance: .accumulation),
        OperatorSample(
          "\(name) on a picture", gelu(mode), inputs: [([1, 5, 9, 7], .uniform(-4...4))],
          tolerance: .accumulation),
      ]
    } + [
      OperatorSample(
        "a mode of the future", gelu(.unrecognized(3)), inputs: [[2]],
        failure: "the mode has the number 3")
    ]
  }
}
