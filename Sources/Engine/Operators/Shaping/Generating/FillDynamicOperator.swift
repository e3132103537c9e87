import Backends
import Graph
import ModelFormat

/// Makes a tensor of a computed shape that holds one value.
///
/// - Input: the sizes as a vector.
///
/// **Source:** `FillDynamicLayerParams`.
public struct FillDynamicOperator: Layer {
  public static let declaration = OperatorDeclaration(
    "FillDynamic", specification: "fillDynamic",
    summary: "makes a tensor of a computed shape that holds one value")

  /// The value everywhere.
  public let value: Float

  /// A tensor that holds one value.
  public init(value: Float) { self.value = value }

  public init(decoding decoder: LayerDecoder) throws {
    guard case .fillDynamic(let message)? = decoder.message.layer else {
      throw decoder.notA("fillDynamic")
    }
    try decoder.requireInputs(1...1)
    self.init(value: message.value)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard let sizes = inputs[0].integers else { return nil }
    return [TensorType(try Shape.checked(sizes))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [ReferenceTensor(try Shape.checked(inputs[0].integers), repeating: Double(value))]
  }

  public var kernels: [KernelCandidate] { [.filled(value)] }
}
