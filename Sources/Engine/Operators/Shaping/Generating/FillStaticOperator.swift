import Backends
import Graph
import ModelFormat

/// Makes a tensor of a given shape that holds one value.
///
/// - Inputs: none.
///
/// **Source:** `FillStaticLayerParams`.
public struct FillStaticOperator: Layer {
  public static let declaration = OperatorDeclaration(
    "FillStatic", specification: "fillStatic", summary: "makes a tensor that holds one value")

  /// The value everywhere.
  public let value: Float
  /// The sizes of the output.
  public let targetShape: [Int]

  /// A tensor of the given sizes.
  public init(value: Float, targetShape: [Int]) {
    self.value = value
    self.targetShape = targetShape
  }

  public init(decoding decoder: LayerDecoder) throws {
    guard case .fillStatic(let message)? = decoder.message.layer else {
      throw decoder.notA("fillStatic")
    }
    try decoder.requireInputs(0...0)
    self.init(
      value: message.value, targetShape: try decoder.sizes(message.targetShape, "targetShape"))
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [TensorType(try Shape.checked(targetShape))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [ReferenceTensor(try Shape.checked(targetShape), repeating: Double(value))]
  }

  public var kernels: [KernelCandidate] { [.filled(value)] }
}
