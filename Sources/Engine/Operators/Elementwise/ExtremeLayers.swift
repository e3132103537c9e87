import CPointwise
import Graph
import ModelFormat

/// The largest of its inputs, element by element; NaN where one of them is NaN.
///
/// - Inputs: one or more, of shapes that broadcast against each other. Output: the joint shape.
///
/// **Source:** `MaxLayerParams` in NeuralNetwork.proto.
public struct MaxOperator: FoldingOperator {
  /// The number of inputs.
  public var inputCount: Int

  public static let declaration = OperatorDeclaration(
    "Max", specification: "max", summary: "the largest of the inputs")

  public init(decoding decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...Int.max)
    inputCount = decoder.inputCount
  }

  public static var operation: cpw_operation_kind { CPW_MAXIMUM }
  public static func combine(_ left: Double, _ right: Double) -> Double {
    left < right || right.isNaN ? right : left
  }

  public static var samples: [OperatorSample] {
    let layer = Spec.NeuralNetworkLayer(.max(.init()))
    return foldingSamples(layer, of: [1, 2, 3], and: [3, 1, 3], give: [3, 2, 3])
      + broadcastingSamples(layer) + [oneIsNaN(layer, gives: 4)]
  }
}

/// The smallest of its inputs, element by element; NaN where one of them is NaN.
///
/// - Inputs: one or more, of shapes that broadcast against each other. Output: the joint shape.
///
/// **Source:** `MinLayerParams` in NeuralNetwork.proto.
public struct MinOperator: FoldingOperator {
  /// The number of inputs.
  public var inputCount: Int

  public static let declaration = OperatorDeclaration(
    "Min", specification: "min", summary: "the smallest of the inputs")

  public init(decoding decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...Int.max)
    inputCount = decoder.inputCount
  }

  public static var operation: cpw_operation_kind { CPW_MINIMUM }
  public static func combine(_ left: Double, _ right: Double) -> Double {
    left > right || right.isNaN ? right : left
  }

  public static var samples: [OperatorSample] {
    let layer = Spec.NeuralNetworkLayer(.min(.init()))
    return foldingSamples(layer, of: [1, 2, 3], and: [3, 1, 3], give: [1, 1, 3])
      + broadcastingSamples(layer) + [oneIsNaN(layer, gives: 3)]
  }
}

/// NaN on either side, and numbers beside it.
private func oneIsNaN(_ layer: Spec.NeuralNetworkLayer, gives number: Double) -> OperatorSample {
  OperatorSample(
    "one is NaN", layer,
    inputs: [([3], .values([.nan, 1, 3])), ([3], .values([1, .nan, 4]))],
    expected: [ReferenceTensor([3], [.nan, .nan, number])], tolerance: .exact)
}
