import Graph
import Foundation

/// Scales and shifts each element, then applies one of eight functions: `y = f(scale · x + shift)`.
///
/// - Input: any shape. Output: the input's shape.
/// - Edge rules: those of the C library (√ of negative numbers is NaN, log 0 is −∞).
///
/// **Source:** `UnaryFunctionLayerParams` in NeuralNetwork.proto.
public struct UnaryOperator: PointwiseOperator, Hashable {
  /// The function that the operator applies after the scale and the shift.
  public enum Function: Sendable, Hashable {
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

  /// The function that the operator applies after the scale and the shift.
  public var function: Function
  /// The factor by which each element is multiplied.
  public var scale: Float
  /// The number that is added after scaling.
  public var shift: Float

  public static let declaration = OperatorDeclaration(
    "Unary",
    summary: "a function of each element, scaled and shifted: root, inverse, power, exp, log, abs")

  /// Creates an operator that applies a function after a scale and a shift.
  public init(_ function: Function, scale: Float = 1, shift: Float = 0) {
    self.function = function
    self.scale = scale
    self.shift = shift
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
    case .magnitude: return x.magnitude
    case .threshold(let alpha): return x < Double(alpha) ? Double(alpha) : x
    }
  }

  /// The operator's function for integer elements; nil if results may have fractions, or if there is a scale or a
  /// shift.
  package var integer: (@Sendable (Int64) -> Int64)? {
    guard scale == 1, shift == 0 else { return nil }
    switch function {
    case .magnitude: return UnaryFunction.magnitude.integer
    case .power(alpha: 2): return { $0 &* $0 }
    case .threshold(let alpha):
      guard let least = alpha.integerValue else { return nil }
      return { max($0, least) }
    default: return nil
    }
  }

  public var program: PointwiseProgram {
    var program = PointwiseProgram(inputCount: 1)
    var x = 0
    // Epsilon is added in a separate step. If a small epsilon were added to a large shift beforehand, rounding could
    // remove the epsilon.
    if scale != 1 || shift != 0 { x = program.append(.affine, x, alpha: scale, beta: shift) }
    switch function {
    case .squareRoot: program.append(.squareRoot, x)
    case .reciprocalSquareRoot(let epsilon):
      x = program.append(.affine, x, alpha: 1, beta: epsilon)
      program.append(.reciprocalSquareRoot, x)
    case .inverse(let epsilon):
      x = program.append(.affine, x, alpha: 1, beta: epsilon)
      program.append(.inverse, x)
    case .power(let alpha):
      // The exponents 1, ½, −1 and −½ have faster operations.
      switch alpha {
      case 1: program.append(.affine, x, alpha: 1)
      case 0.5: program.append(.squareRoot, x)
      case -1: program.append(.inverse, x)
      case -0.5: program.append(.reciprocalSquareRoot, x)
      default: program.append(.power, x, alpha: alpha)
      }
    case .exponential: program.append(.exponential, x)
    case .logarithm(let epsilon):
      if epsilon != 0 { x = program.append(.affine, x, alpha: 1, beta: epsilon) }
      program.append(.logarithm, x)
    case .magnitude: program.append(.magnitude, x)
    case .threshold(let alpha): program.append(.clip, x, alpha: alpha, beta: .infinity)
    }
    return program
  }
}

extension UnaryOperator: IntegerOperator {
  /// Returns whether an element type is supported. Integers are supported for magnitudes, squares and integer
  /// thresholds, provided that there is neither a scale nor a shift.
  public func takes(_ element: ElementType, at input: Int) -> Bool {
    (integer == nil ? ElementTypes.floatingPoint : .numbers).contains(element)
  }

  public func integerReference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    guard let integer else { return try reference(inputs.map { $0.converted(to: .float64) }) }
    return [broadcastIntegers(inputs) { integer($0[0]) }]
  }
}
