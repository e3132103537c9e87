import Graph

/// Splits the channels into equal parts.
///
/// - Input: `[…, C, H, W]`. C must be a multiple of ``outputCount``.
/// - Outputs: ``outputCount`` tensors `[…, C / outputCount, H, W]`.
///
/// **Source:** `SplitLayerParams`; for other axes and unequal parts see ``SplitNDOperator``.
public struct SplitOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "Split", summary: "splits the channels into equal parts")

  /// The number of parts.
  public let outputCount: Int

  /// Creates a split into this many parts.
  public init(outputCount: Int) { self.outputCount = outputCount }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    var shape: Shape = inputs[0].shape
    try shape.requireRank(atLeast: 3)
    guard shape[-3] % outputCount == 0 else {
      throw EngineError(
        .invalidInput,
        "the input (\(shape)) has \(shape[-3]) channels, which do not divide into \(outputCount) equal parts."
      )
    }
    shape[-3] /= outputCount
    return [TensorType](repeating: inputs[0].type.reshaped(to: shape), count: outputCount)
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let input = inputs[0]
    let axis: Int = input.shape.rank - 3
    var shape: Shape = input.shape
    shape[axis] /= outputCount
    return (0..<outputCount).map { part -> ReferenceTensor in
      ReferenceTensor(shape) { index in
        var source = index
        source[axis] += part * shape[axis]
        return input[source]
      }
    }
  }
}
