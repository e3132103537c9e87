import Graph

/// Returns the shape of its input as a vector.
///
/// - Input: any tensor of rank one or more; its values are not read.
/// - Output: a vector with the extent of each axis of the input. The vector is known as soon as the input's shape is
///   known; see ``value(for:)``.
///
/// **Source:** `GetShapeLayerParams`.
public struct GetShapeOperator: RowOperator {
  public static let declaration = OperatorDeclaration(
    "GetShape", summary: "returns the extents of its input")

  /// Creates an operator that returns the extents of its input.
  public init() {}

  /// Returns the output for an input of this shape.
  public static func value(for shape: Shape) -> ReferenceTensor {
    ReferenceTensor([shape.rank], shape.dimensions.map(Double.init))
  }

  package func rowAction(ofRank rank: Int) -> RowAction? { .measure }

  /// The input may have any element type, because its values are not read.
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
