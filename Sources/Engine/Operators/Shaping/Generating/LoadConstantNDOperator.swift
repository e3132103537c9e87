import Backends
import Graph
import ModelFormat

/// Makes a constant of any rank from the model's weights.
///
/// - Inputs: none.
/// - Output: the shape that the model names.
///
/// **Source:** `LoadConstantNDLayerParams`.
public struct LoadConstantNDOperator: Layer {
  public static let declaration = OperatorDeclaration(
    "LoadConstantND", specification: "loadConstantND", summary: "makes a constant of any rank")

  /// The values.
  public let data: Weights

  /// A constant.
  public init(data: Weights) { self.data = data }

  public init(decoding decoder: LayerDecoder) throws {
    guard case .loadConstantND(let message)? = decoder.message.layer else {
      throw decoder.notA("loadConstantND")
    }
    try decoder.requireInputs(0...0)
    let shape: Shape = try Shape.checked(try decoder.sizes(message.shape, "shape"))
    self.init(data: try decoder.weights(message.data, shape: shape, field: "data"))
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [TensorType(data.shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [ReferenceTensor(data.shape, try data.doubles())]
  }

  public var kernels: [KernelCandidate] { [.constant(data)] }
}
