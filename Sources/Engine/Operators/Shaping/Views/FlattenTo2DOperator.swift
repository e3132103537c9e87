import Graph

/// Turns a tensor into a matrix: the axes before ``axis`` become rows, and the axes from ``axis`` on become columns.
///
/// - Input: any tensor of rank one or more.
/// - Output: two extents: the product of the extents before ``axis``, and the product of the extents from ``axis`` on.
///   If ``axis`` is the input's rank, the output has one column. A negative axis counts from the end.
///
/// **Source:** `FlattenTo2DLayerParams`.
public struct FlattenTo2DOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "FlattenTo2D", summary: "makes a matrix, split at an axis")

  /// The first axis that belongs to the columns.
  public let axis: Int

  /// Creates a flattening whose columns begin at this axis.
  public init(axis: Int) { self.axis = axis }

  private func shape(_ input: Shape) throws -> Shape {
    let index: Int = axis < 0 ? axis + input.rank : axis
    guard (0...input.rank).contains(index) else {
      throw EngineError(
        .invalidInput,
        "axis is \(axis), expected \(-input.rank) to \(input.rank) for an input of \(input.rank) dimensions."
      )
    }
    return [input.product(0..<index), input.product(index..<input.rank)]
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [inputs[0].type.reshaped(to: try shape(inputs[0].shape))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [inputs[0].reshaped(to: try shape(inputs[0].shape))]
  }
}
