import Graph
import Operators

/// An instance norm with an epilogue. The convolution before the norm may compute the statistics that it reads.
///
/// - Inputs: those of the norm; those of the epilogue's steps; if ``readsStatistics`` is set, the statistics of the
///   first input's blocks (``BlockStatistics``).
/// - Output: the first input's shape.
/// - Errors: those of ``BatchNormOperator``; an input of the epilogue or the statistics have another shape.
///
/// Only passes add this operator to a graph. No model file contains it.
public struct FusedNorm: Operator {
  public static let declaration = OperatorDeclaration(
    "FusedNorm", summary: "an instance norm with an epilogue")

  /// The norm itself.
  public var core: BatchNormOperator
  /// The steps that are applied to the result.
  public var epilogue: [Epilogue]
  /// Whether the last input holds the statistics of the first input's blocks. Only for instance norms.
  public var readsStatistics: Bool

  /// Creates a norm with an epilogue.
  public init(
    _ core: BatchNormOperator, epilogue: [Epilogue] = [], readsStatistics: Bool = false
  ) {
    self.core = core
    self.epilogue = epilogue
    self.readsStatistics = readsStatistics
  }

  /// The name of the norm.
  public var name: String { core.name }

  /// The position of the epilogue's first input in the list of inputs.
  private var firstEpilogueInput: Int { core.parameterInputs.upperBound }

  /// The position of the block statistics in the list of inputs; nil if no input holds them.
  var statisticsInput: Int? { readsStatistics ? firstEpilogueInput + epilogue.inputCount : nil }

  /// The steps as kernels apply them; nil if they have another order.
  var steps: ImageEpilogue? { ImageEpilogue(epilogue, inputsFrom: firstEpilogueInput) }

  /// Whether the norm is followed by nothing or by a ReLU. A convolution can apply such a norm while reading its input.
  var hasAtMostReLU: Bool { epilogue.isEmpty || epilogue == [.activation(.reLU)] }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let expected: Int = firstEpilogueInput + epilogue.inputCount + (readsStatistics ? 1 : 0)
    guard inputs.count == expected else {
      throw EngineError(
        .invalidModel, "the layer has \(inputs.count) inputs, expected \(expected).")
    }
    let types = try core.outputTypes(for: Array(inputs[..<firstEpilogueInput]))
    try epilogue.require(inputs[firstEpilogueInput...], fit: inputs[0].shape)
    if let statisticsInput {
      let found: Shape = inputs[statisticsInput].shape
      let blocks: Shape = try BlockStatistics.shape(of: inputs[0].shape)
      guard core.isInstanceNormalization, found == blocks else {
        throw EngineError(
          .invalidModel, "the statistics are \(found), expected \(blocks) of an instance norm.")
      }
    }
    return types
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let parameters: [ReferenceTensor] = Array(inputs[..<firstEpilogueInput])
    let map = try FeatureMap(inputs[0].shape)
    let result: ReferenceTensor =
      try statisticsInput.map { position in
        try core.normalized(parameters) { sample, channel in
          BlockStatistics.moments(inputs[position], of: map, sample: sample, channel: channel)
        }
      } ?? core.reference(parameters)[0]
    return [try epilogue.reference(result, inputs[firstEpilogueInput...])]
  }
}
