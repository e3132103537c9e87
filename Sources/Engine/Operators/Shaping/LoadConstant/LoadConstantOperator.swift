import Backends
import Graph
import ModelFormat

/// Makes a constant from the model's weights.
///
/// - Inputs: none.
/// - Output: `[1, 1, C, H, W]`.
///
/// **Source:** `LoadConstantLayerParams`; for other ranks see ``LoadConstantNDOperator``.
public struct LoadConstantOperator: Layer {
  public static let declaration = OperatorDeclaration(
    "LoadConstant", specification: "loadConstant", summary: "makes a constant of rank five")

  /// The values, with the extents `[C, H, W]`.
  public let data: Weights

  /// A constant with the extents `[C, H, W]`.
  public init(data: Weights) { self.data = data }

  public init(decoding decoder: LayerDecoder) throws {
    guard case .loadConstant(let message)? = decoder.message.layer else {
      throw decoder.notA("loadConstant")
    }
    try decoder.requireInputs(0...0)
    let sizes: [Int] = try decoder.sizes(message.shape, "shape")
    guard sizes.count == 3 else {
      throw decoder.invalid("shape holds \(sizes.count) sizes, expected 3 (C, H, W).")
    }
    self.init(
      data: try decoder.weights(message.data, shape: try Shape.checked(sizes), field: "data"))
  }

  private var shape: Shape { Shape([1, 1] + data.shape.dimensions) }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [TensorType(shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [ReferenceTensor(shape, try data.doubles())]
  }

  public var kernels: [KernelCandidate] { [.constant(data)] }
}
