import CPointwise
import Graph
import ModelFormat

/// The mean of its inputs, element by element: `y = (x₁ + … + xₙ) / n`.
///
/// - Inputs: one or more, of shapes that broadcast against each other. Output: the joint shape.
///
/// **Source:** `AverageLayerParams` in NeuralNetwork.proto.
public struct AverageOperator: FoldingOperator {
  /// The number of inputs.
  public var inputCount: Int

  public static let declaration = OperatorDeclaration(
    "Average", specification: "average", summary: "the mean of the inputs")

  public init(decoding decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...Int.max)
    inputCount = decoder.inputCount
  }

  public static var operation: cpw_operation_kind { CPW_ADD }
  public static func combine(_ left: Double, _ right: Double) -> Double { left + right }
  public func finish(_ value: Double) -> Double { value / Double(inputCount) }
  public func finish(_ program: inout PointwiseProgram) {
    program.append(
      CPW_AFFINE, inputCount == 1 ? 0 : program.result, alpha: 1 / Float(inputCount))
  }

  public static var samples: [OperatorSample] {
    let layer = Spec.NeuralNetworkLayer(.average(.init()))
    return foldingSamples(layer, of: [1, 2, 3], and: [3, 6, -3], give: [2, 4, 0])
      + broadcastingSamples(layer)
  }
}
