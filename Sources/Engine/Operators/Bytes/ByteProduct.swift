import Graph

/// Multiplies rows of bytes by an 8-bit matrix `W`. Sums over `i` in integers: `Σ W[column, i] · (row[i] − zero)`. Then
/// adds a bias to the sum, multiplies by a factor and applies the ``ByteEpilogue``.
///
/// - Inputs: integers from 0 to 255, as rows `[…, inner]` or, if ``joinsPlanes`` is set, as images `[…, C, H, W]` with
///   `C · H · W = inner`; the matrix `[columns, inner]`, integers from −128 to 127; the factors `[columns]` and the
///   biases `[columns]`, one of each per column of the output.
/// - Output: `[…, columns]`, or `[…, columns, 1, 1]` if ``joinsPlanes`` is set. The values are bytes if the epilogue
///   quantises the results, otherwise real numbers.
/// - Edge rules: the operator rounds inputs to integers and clips them to the ranges above.
/// - Errors: the length of the rows is not the matrix's second extent.
///
/// The pass ``MultiplyBytes`` adds this operator to a graph. No model file contains it.
///
/// **Source:** Jacob et al., arXiv:1712.05877.
public struct ByteProductOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "ByteProduct", summary: "quantised rows times an 8-bit matrix with integer sums")

  /// Whether the first input holds images. The last three axes of an image together form one row.
  public var joinsPlanes: Bool
  /// The byte that represents the real number 0: the zero point.
  public var zero: Int
  /// The operations that follow the bias and the factor.
  public var epilogue: ByteEpilogue

  /// Creates a matrix product of bytes.
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
    let outputShape: [Int] = leading + [columns] + (joinsPlanes ? [1, 1] : [])
    return [TensorType(Shape(outputShape))]
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
