import Backends
import Graph
import ModelFormat

/// Repeats a tensor along axes of extent one until it has the shape of a second one.
///
/// - Inputs: any tensor, and one of the output's shape, whose values are not read.
/// - Sizes are aligned at the last axis and must agree or be one in the input.
///
/// **Source:** `BroadcastToLikeLayerParams`.
public struct BroadcastToLikeOperator: Layer {
  public static let declaration = OperatorDeclaration(
    "BroadcastToLike", specification: "broadcastToLike",
    summary: "repeats a tensor along axes of extent one to another's shape")

  /// A stretching to the second input's shape.
  public init() {}

  public init(decoding decoder: LayerDecoder) throws {
    guard case .broadcastToLike? = decoder.message.layer else {
      throw decoder.notA("broadcastToLike")
    }
    try decoder.requireInputs(2...2)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [
      inputs[0].type.reshaped(
        to: try stretchedShape(inputs[0].shape, to: inputs[1].shape.dimensions))
    ]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [stretched(inputs[0], to: try stretchedShape(inputs[0].shape, to: inputs[1].shape.dimensions))]
  }

  public var kernels: [KernelCandidate] { [.stretch] }
}
