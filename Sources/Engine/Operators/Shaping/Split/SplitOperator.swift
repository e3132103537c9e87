import Backends
import Graph
import ModelFormat

/// Cuts the channels into equal parts.
///
/// - Input: `[…, C, H, W]`; the number of outputs must divide C.
/// - Outputs: that many `[…, C / outputs, H, W]`.
///
/// **Source:** `SplitLayerParams`; for other axes and unequal parts see ``SplitNDOperator``.
public struct SplitOperator: Layer {
  public static let declaration = OperatorDeclaration(
    "Split", specification: "split", summary: "cuts the channels into equal parts")

  /// The number of parts.
  public let outputCount: Int

  /// A cut into that many parts.
  public init(outputCount: Int) { self.outputCount = outputCount }

  public init(decoding decoder: LayerDecoder) throws {
    guard case .split(let message)? = decoder.message.layer else {
      throw decoder.notA("split")
    }
    try decoder.requireInputs(1...1)
    let count: Int = try decoder.size(message.nOutputs, "nOutputs")
    guard count > 0 else { throw decoder.invalid("nOutputs is 0, expected at least 1.") }
    try decoder.requireOutputs(count)
    self.init(outputCount: count)
  }

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

  public var kernels: [KernelCandidate] {
    [
      .moves("native split") { inputs, outputs in
        Move.splitting(outputs, axis: inputs[0].rank - 3)
      }
    ]
  }
}
