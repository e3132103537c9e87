import CPointwise
import Graph
import ModelFormat

/// Multiplies its inputs, or its only input by a number: `y = x₁ · x₂ · …`, or `y = alpha · x`.
///
/// - Inputs: one or more, of shapes that broadcast against each other. Output: the joint shape.
/// - Defaults: alpha is 0 where the file omits it, and ignored where there are several inputs.
///
/// **Source:** `MultiplyLayerParams` in NeuralNetwork.proto.
public struct MultiplyOperator: FoldingOperator {
  /// What a single input is multiplied by.
  public var alpha: Float
  /// The number of inputs.
  public var inputCount: Int

  public static let declaration = OperatorDeclaration(
    "Multiply", specification: "multiply",
    summary: "the product of the inputs, or of one and a number")

  /// A product of inputs, or of one input and a number.
  public init(inputCount: Int, alpha: Float = 0) {
    self.inputCount = inputCount
    self.alpha = alpha
  }

  public init(decoding decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...Int.max)
    guard case .multiply(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    self.init(inputCount: decoder.inputCount, alpha: message.alpha)
  }

  public static var operation: cpw_operation_kind { CPW_MULTIPLY }
  public static func combine(_ left: Double, _ right: Double) -> Double { left * right }
  public func finish(_ value: Double) -> Double { inputCount == 1 ? value * Double(alpha) : value }
  public func finish(_ program: inout PointwiseProgram) {
    if inputCount == 1 { program.append(CPW_AFFINE, 0, alpha: alpha) }
  }

  public static var samples: [OperatorSample] {
    func multiply(_ alpha: Float = 0) -> Spec.NeuralNetworkLayer {
      var message = Spec.MultiplyLayerParams()
      message.alpha = alpha
      return Spec.NeuralNetworkLayer(.multiply(message))
    }
    return foldingSamples(multiply(), of: [1, 2, 3], and: [2, 4, -1], give: [2, 8, -3])
      + broadcastingSamples(multiply()) + [
        OperatorSample(
          "a number", multiply(0.5), inputs: [([3], .values([1, 2, 3]))],
          expected: [ReferenceTensor([3], [0.5, 1, 1.5])]),
        OperatorSample(
          "weights of many styles", multiply(), mapping: .rank5,
          inputs: [[5, 1, 1, 1, 1], [5, 1, 9, 1, 1]]),
      ]
  }
}
