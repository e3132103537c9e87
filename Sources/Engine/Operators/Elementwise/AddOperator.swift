import CPointwise
import Graph
import ModelFormat

/// Adds its inputs, or a number to its only input: `y = x₁ + x₂ + …`, or `y = x + alpha`.
///
/// - Inputs: one or more, of shapes that broadcast against each other. Output: the joint shape.
/// - Defaults: alpha is 0, and ignored where there are several inputs.
///
/// **Source:** `AddLayerParams` in NeuralNetwork.proto.
public struct AddOperator: FoldingOperator {
  /// What is added to a single input.
  public var alpha: Float
  /// The number of inputs.
  public var inputCount: Int

  public static let declaration = OperatorDeclaration(
    "Add", specification: "add", summary: "the sum of the inputs, or of one and a number")

  /// A sum of inputs, or of one input and a number.
  public init(inputCount: Int, alpha: Float = 0) {
    self.inputCount = inputCount
    self.alpha = alpha
  }

  public init(decoding decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...Int.max)
    guard case .add(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    self.init(inputCount: decoder.inputCount, alpha: message.alpha)
  }

  public static var operation: cpw_operation_kind { CPW_ADD }
  public static func combine(_ left: Double, _ right: Double) -> Double { left + right }
  public func finish(_ value: Double) -> Double { inputCount == 1 ? value + Double(alpha) : value }
  public func finish(_ program: inout PointwiseProgram) {
    if inputCount == 1 { program.append(CPW_AFFINE, 0, alpha: 1, beta: alpha) }
  }

  public static var samples: [OperatorSample] {
    func add(_ alpha: Float = 0) -> Spec.NeuralNetworkLayer {
      var message = Spec.AddLayerParams()
      message.alpha = alpha
      return Spec.NeuralNetworkLayer(.add(message))
    }
    return foldingSamples(add(), of: [1, 2, 3], and: [10, 20, 30], give: [11, 22, 33])
      + broadcastingSamples(add()) + [
        OperatorSample(
          "a number", add(0.5), inputs: [([3], .values([1, 2, 3]))],
          expected: [ReferenceTensor([3], [1.5, 2.5, 3.5])]),
        OperatorSample(
          "alpha is ignored with two inputs", add(0.5),
          inputs: [([1], .values([1])), ([1], .values([2]))],
          expected: [ReferenceTensor([1], [3])]),
      ]
  }
}
