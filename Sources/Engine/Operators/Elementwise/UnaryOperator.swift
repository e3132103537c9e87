import CPointwise
import Graph
import Foundation
import ModelFormat

/// Applies one of eight functions to each element after scaling and shifting it:
/// `y = f(scale · x + shift)`.
///
/// - Input: any shape. Output: the same.
/// - Defaults: scale 0 or unset means 1; epsilon 0 or unset means 1e−6, for logarithms 0.
/// - Edge rules: those of the C library (√ of negative numbers is NaN, log 0 is −∞).
/// - Errors: a function that the specification does not know.
///
/// **Source:** `UnaryFunctionLayerParams` in NeuralNetwork.proto.
public struct UnaryOperator: PointwiseOperator {
  /// The function after the scale and the shift.
  public enum Function: Sendable, Equatable {
    /// √x
    case squareRoot
    /// 1 / √(x + epsilon)
    case reciprocalSquareRoot(epsilon: Float)
    /// 1 / (x + epsilon)
    case inverse(epsilon: Float)
    /// x^alpha
    case power(alpha: Float)
    /// e^x
    case exponential
    /// log(x + epsilon)
    case logarithm(epsilon: Float)
    /// |x|
    case magnitude
    /// max(alpha, x)
    case threshold(alpha: Float)
  }

  /// The function after the scale and the shift.
  public var function: Function
  /// What each element is multiplied by first.
  public var scale: Float
  /// What is added then.
  public var shift: Float

  public static let declaration = OperatorDeclaration(
    "Unary", specification: "unary",
    summary: "a function of each element, scaled and shifted: root, inverse, power, exp, log, abs")

  /// A layer with a function.
  public init(_ function: Function, scale: Float = 1, shift: Float = 0) {
    self.function = function
    self.scale = scale
    self.shift = shift
  }

  public init(decoding decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...1)
    guard case .unary(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    let epsilon: Float = message.epsilon == 0 ? 1e-6 : message.epsilon
    scale = message.scale == 0 ? 1 : message.scale
    shift = message.shift
    switch message.type {
    case .sqrt: function = .squareRoot
    case .rsqrt: function = .reciprocalSquareRoot(epsilon: epsilon)
    case .inverse: function = .inverse(epsilon: epsilon)
    case .power: function = .power(alpha: message.alpha)
    case .exp: function = .exponential
    case .log: function = .logarithm(epsilon: message.epsilon)
    case .abs: function = .magnitude
    case .threshold: function = .threshold(alpha: message.alpha)
    case .unrecognized(let number):
      throw decoder.invalid(
        "the function has the number \(number), expected 0 to 7. The model may be newer than version 10."
      )
    }
  }

  public func evaluate(_ operands: [Double]) -> Double {
    let x: Double = Double(scale) * operands[0] + Double(shift)
    switch function {
    case .squareRoot: return x.squareRoot()
    case .reciprocalSquareRoot(let epsilon): return 1 / (x + Double(epsilon)).squareRoot()
    case .inverse(let epsilon): return 1 / (x + Double(epsilon))
    case .power(let alpha): return pow(x, Double(alpha))
    case .exponential: return exp(x)
    case .logarithm(let epsilon): return log(x + Double(epsilon))
    case .magnitude: return abs(x)
    case .threshold(let alpha): return x < Double(alpha) ? Double(alpha) : x
    }
  }

  public var program: PointwiseProgram {
    var program = PointwiseProgram(inputCount: 1)
    var x = 0
    // Epsilon is added apart, so that a small one is not lost in a large shift.
    if scale != 1 || shift != 0 { x = program.append(CPW_AFFINE, x, alpha: scale, beta: shift) }
    switch function {
    case .squareRoot: program.append(CPW_SQRT, x)
    case .reciprocalSquareRoot(let epsilon):
      x = program.append(CPW_AFFINE, x, alpha: 1, beta: epsilon)
      program.append(CPW_RSQRT, x)
    case .inverse(let epsilon):
      x = program.append(CPW_AFFINE, x, alpha: 1, beta: epsilon)
      program.append(CPW_INVERSE, x)
    case .power(let alpha):
      // 1, ½, −1 and −½ have faster names.
      switch alpha {
      case 1: program.append(CPW_AFFINE, x, alpha: 1)
      case 0.5: program.append(CPW_SQRT, x)
      case -1: program.append(CPW_INVERSE, x)
      case -0.5: program.append(CPW_RSQRT, x)
      default: program.append(CPW_POWER, x, alpha: alpha)
      }
    case .exponential: program.append(CPW_EXP, x)
    case .logarithm(let epsilon):
      if epsilon != 0 { x = program.append(CPW_AFFINE, x, alpha: 1, beta: epsilon) }
      program.append(CPW_LOG, x)
    case .magnitude: program.append(CPW_ABS, x)
    case .threshold(let alpha): program.append(CPW_CLIP, x, alpha: alpha, beta: .infinity)
    }
    return program
  }
}
