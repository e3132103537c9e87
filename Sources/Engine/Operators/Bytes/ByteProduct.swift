import Graph

/// Rows of bytes times a matrix of 8 bits, summed up in whole numbers: `Σ W[column, i] · (row[i] − zero)`, then a bias and a
/// factor, and ``ByteEpilogue``.
///
/// - Inputs: `[…, inner]`, whole numbers of 0 to 255, or with ``joinsPlanes`` `[…, C, H, W]` with
///   `C · H · W = inner`; the matrix `[columns, inner]`, whole numbers of −128 to 127; a factor and a bias a column,
///   `[columns]` each.
/// - Output: `[…, columns]`, or `[…, columns, 1, 1]`: bytes where the epilogue makes codes, else real numbers.
/// - Edge rules: what is no whole number of the range is rounded and kept to it.
/// - Errors: another number of inputs than the matrix has.
///
/// Made by ``MultiplyBytes``; no model holds it.
///
/// **Source:** Jacob et al., arXiv:1712.05877.
public struct ByteProductOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "ByteProduct", summary: "rows of codes times a matrix of 8 bits, summed up in whole numbers")

  /// Whether the last three axes are one row.
  public var joinsPlanes: Bool
  /// The byte that stands for 0.
  public var zero: Int
  /// What happens to the sums.
  public var epilogue: ByteEpilogue

  /// A product.
  public init(joinsPlanes: Bool = false, zero: Int, epilogue: ByteEpilogue) {
    (self.joinsPlanes, self.zero, self.epilogue) = (joinsPlanes, zero, epilogue)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard inputs.count > 1, inputs[1].shape.rank == 2, inputs[1].shape.count > 0 else {
      throw EngineError(.invalidModel, "the layer has no matrix.")
    }
    let (columns, inner) = (inputs[1].shape[0], inputs[1].shape[1])
    try OperatorInput.requireFactors(inputs, channels: columns)
    let (shape, joined): (Shape, Int) = (inputs[0].shape, joinsPlanes ? 3 : 1)
    guard shape.rank >= joined, shape.dimensions.suffix(joined).product == inner else {
      throw EngineError(
        .invalidInput, "the rows are \(shape), expected \(inner) values each.")
    }
    let leading: [Int] = Array(shape.dimensions.dropLast(joined))
    let made: [Int] = leading + [columns] + (joinsPlanes ? [1, 1] : [])
    return [TensorType(Shape(made))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let known: [OperatorInput] = inputs.map { OperatorInput(TensorType($0.shape)) }
    guard let type = try outputTypes(for: known)?.first else { return [] }
    let columns: Int = inputs[1].shape[0]
    let rows: [[Double]] = [inputs[0].bytes(less: zero).values, inputs[1].values]
    var values: [Double] = rows.productOfRows(inner: inputs[1].shape[1]) { $0 + $1 * $2 }
    for index in values.indices {
      let column: Int = index % columns
      values[index] = epilogue(
        inputs[2].values[column] * (values[index] + inputs[3].values[column]))
    }
    return [ReferenceTensor(type.shape, values)]
  }
}
