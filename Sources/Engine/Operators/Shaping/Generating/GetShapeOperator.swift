import Backends
import Graph
import ModelFormat

/// Gives the extents of its input as numbers.
///
/// - Input: any tensor of rank one or more; its values are not read.
/// - Output: a vector of as many numbers as the input has dimensions. It is known as soon as the input's
///   shape is; see ``value(for:)``.
///
/// **Source:** `GetShapeLayerParams`.
public struct GetShapeOperator: Layer {
  public static let declaration = OperatorDeclaration(
    "GetShape", specification: "getShape", summary: "gives the extents of its input")

  /// The extents of the input.
  public init() {}

  public init(decoding decoder: LayerDecoder) throws {
    guard case .getShape? = decoder.message.layer else { throw decoder.notA("getShape") }
    try decoder.requireInputs(1...1)
  }

  /// The output for an input of the given shape.
  public static func value(for shape: Shape) -> ReferenceTensor {
    ReferenceTensor([shape.rank], shape.dimensions.map(Double.init))
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [TensorType([inputs[0].shape.rank])]
  }

  public func constantOutputs(for inputs: [OperatorInput]) throws -> [ReferenceTensor]? {
    [GetShapeOperator.value(for: inputs[0].shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [GetShapeOperator.value(for: inputs[0].shape)]
  }

  public var kernels: [KernelCandidate] {
    [.constant { request in request.inputs[0].shape.dimensions.map(Float.init) }]
  }
}
