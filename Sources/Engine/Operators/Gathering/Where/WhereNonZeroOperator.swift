import Graph

/// Lists the indices of all elements that are not zero, in row-major order, like `numpy.transpose(numpy.nonzero(x))`.
///
/// - Input: any tensor.
/// - Output: floats, `[number of nonzero elements, rank]`. The output's shape depends on the input's values.
///
/// **Source:** `WhereNonZeroLayerParams`.
public struct WhereNonZeroOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "WhereNonZero", summary: "lists the indices of elements that are not zero")

  /// Creates an operator that lists the indices of nonzero elements.
  public init() {}

  /// All types, because the operator only compares elements with 0.
  public static let elementTypes: ElementTypes = .all

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard let value = inputs[0].value else { return nil }
    return [TensorType([value.reals.filter { $0 != 0 }.count, inputs[0].shape.rank])]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let input = inputs[0]
    var indices: [Double] = []
    var count = 0
    input.shape.forEachIndex { index, position in
      guard input.values[position] != 0 else { return }
      count += 1
      indices += index.map(Double.init)
    }
    return [ReferenceTensor([count, input.shape.rank], indices)]
  }
}
