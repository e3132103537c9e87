import Graph

/// Gives the extents of its input as numbers.
///
/// - Input: any tensor of rank one or more; its values are not read.
/// - Output: a vector of as many numbers as the input has dimensions. It is known as soon as the input's
///   shape is; see ``value(for:)``.
///
/// **Source:** `GetShapeLayerParams`.
public struct GetShapeOperator: RowOperator {
  public static let declaration = OperatorDeclaration(
    "GetShape", summary: "gives the extents of its input")

  /// The extents of the input.
  public init() {}

  /// The output for an input of the given shape.
  public static func value(for shape: Shape) -> ReferenceTensor {
    ReferenceTensor([shape.rank], shape.dimensions.map(Double.init))
  }

  package func rowAction(ofRank rank: Int) -> RowAction? { .measure }

  /// Values are not read.
  public static let elementTypes: ElementTypes = .all

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [TensorType([inputs[0].shape.rank])]
  }

  public func constantOutputs(for inputs: [OperatorInput]) throws -> [ReferenceTensor]? {
    [GetShapeOperator.value(for: inputs[0].shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [GetShapeOperator.value(for: inputs[0].shape)]
  }
}
