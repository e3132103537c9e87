import CPointwise
import Graph
import ModelFormat

/// Keeps each element within two bounds: `y = min(max(x, minVal), maxVal)`.
///
/// - Errors: a lower bound above the upper one.
///
/// **Source:** `ClipLayerParams` in NeuralNetwork.proto.
public struct ClipOperator: PointwiseOperator {
  /// The least value.
  public var minimum: Float
  /// The greatest value.
  public var maximum: Float

  public static let declaration = OperatorDeclaration(
    "Clip", specification: "clip", summary: "each element kept within two bounds")

  public init(decoding decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...1)
    guard case .clip(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    (minimum, maximum) = (message.minVal, message.maxVal)
    guard minimum <= maximum else {
      throw decoder.invalid(
        "the least value is \(minimum) and the greatest \(maximum), expected the least to be no greater."
      )
    }
  }

  public func evaluate(_ operands: [Double]) -> Double {
    min(max(operands[0], Double(minimum)), Double(maximum))
  }

  public var program: PointwiseProgram {
    var program = PointwiseProgram(inputCount: 1)
    program.append(CPW_CLIP, 0, alpha: minimum, beta: maximum)
    return program
  }

  public static var samples: [OperatorSample] {
    func clip(_ minimum: Float, _ maximum: Float) -> Spec.NeuralNetworkLayer {
      var message = Spec.ClipLayerParams()
      (message.minVal, message.maxVal) = (minimum, maximum)
      return Spec.NeuralNetworkLayer(.clip(message))
    }
    return [
      OperatorSample(
        "known values", clip(0, 5), inputs: [([2, 3], .values([-1.5, 2, -3, 4.5, -5, 7]))],
        expected: [ReferenceTensor([2, 3], [0, 2, 0, 4.5, 0, 5])], tolerance: .exact),
      OperatorSample("a picture", clip(-0.5, 0.25), inputs: [[1, 7, 9, 11]], tolerance: .exact),
      OperatorSample(
        "bounds the wrong way round", clip(1, 0), inputs: [[2]],
        failure: "the least value is 1.0 and the greatest 0.0"),
    ]
  }
}

/// A leaky ReLU with a ceiling: `y = min(x, beta)` where x ≥ 0, `min(alpha · x, beta)` elsewhere.
///
/// **Source:** `ClampedReLULayerParams` in NeuralNetwork.proto.
public struct ClampedReLUOperator: PointwiseOperator {
  /// The slope below zero.
  public var alpha: Float
  /// The greatest value.
  public var beta: Float

  public static let declaration = OperatorDeclaration(
    "ClampedReLU", specification: "clampedReLU", summary: "a leaky ReLU with a greatest value")

  public init(decoding decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...1)
    guard case .clampedReLU(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    (alpha, beta) = (message.alpha, message.beta)
  }

  public func evaluate(_ operands: [Double]) -> Double {
    let x: Double = operands[0]
    return min(x >= 0 ? x : Double(alpha) * x, Double(beta))
  }

  public var program: PointwiseProgram {
    var program = PointwiseProgram(inputCount: 1)
    let leaky = program.append(CPW_LEAKY_RELU, 0, alpha: alpha)
    program.append(CPW_CLIP, leaky, alpha: -.infinity, beta: beta)
    return program
  }

  public static var samples: [OperatorSample] {
    func clamped(_ alpha: Float, _ beta: Float) -> Spec.NeuralNetworkLayer {
      var message = Spec.ClampedReLULayerParams()
      (message.alpha, message.beta) = (alpha, beta)
      return Spec.NeuralNetworkLayer(.clampedReLU(message))
    }
    return [
      OperatorSample(
        "known values", clamped(0.5, 4), inputs: [([5], .values([-2, -1, 0, 3, 6]))],
        expected: [ReferenceTensor([5], [-1, -0.5, 0, 3, 4])]),
      OperatorSample(
        "ReLU6 on a picture", clamped(0, 6), inputs: [([1, 7, 9, 11], .uniform(-10...10))],
        tolerance: .exact),
    ]
  }
}
