import Backends
import Graph
import ModelFormat

/// Makes a tensor of the input's shape that holds one value.
///
/// - Input: any tensor, whose values are not read.
///
/// **Source:** `FillLikeLayerParams`.
public struct FillLikeOperator: Layer {
  public static let declaration = OperatorDeclaration(
    "FillLike", specification: "fillLike",
    summary: "makes a tensor of the input's shape that holds one value")

  /// The value everywhere.
  public let value: Float

  /// A tensor that holds one value.
  public init(value: Float) { self.value = value }

  public init(decoding decoder: LayerDecoder) throws {
    guard case .fillLike(let message)? = decoder.message.layer else {
      throw decoder.notA("fillLike")
    }
    try decoder.requireInputs(1...1)
    self.init(value: message.value)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [TensorType(inputs[0].shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [ReferenceTensor(inputs[0].shape, repeating: Double(value))]
  }

  public var kernels: [KernelCandidate] { [.filled(value)] }
}
