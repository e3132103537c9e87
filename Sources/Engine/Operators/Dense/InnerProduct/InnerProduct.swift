import Graph

/// Inner product: a fully connected layer.
///
///     y = W x + b
///
/// - Input of rank 1 to 3: `[…, Cin]`, multiplied along the last dimension. Input of rank 4 or 5: `[…, C, H, W]` with
///   `C · H · W = Cin`, flattened in that order.
/// - Parameters: `W` of shape `[Cout, Cin]`, then optionally the bias `b` of shape `[Cout]`.
/// - Output: `[…, Cout]`, or `[…, Cout, 1, 1]` for rank 4 and 5.
/// - Errors: a vector of the input does not have `Cin` values; the rank of the input is 0 or above 5.
///
/// If a model asks for dynamic quantisation to 8 bits, the weights are converted to float32 instead. The result is then
/// more precise than with quantisation.
///
/// **Source:** `InnerProductLayerParams`.
public struct InnerProductOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "InnerProduct", summary: "W x + b: a fully connected layer")

  /// Creates an operator whose inputs are `x`, `W` and optionally `b`.
  public init() {}

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let matrix: Shape = try OperatorInput.matrix(of: inputs)
    let shape: Shape = inputs[0].shape
    guard (1...5).contains(shape.rank) else {
      throw EngineError(
        .invalidInput, "the input has \(shape.rank) dimensions (\(shape)), expected 1 to 5.")
    }
    let joined: Int = shape.rank >= 4 ? 3 : 1
    let length: Int = shape.dimensions.suffix(joined).product
    guard length == matrix[1] else {
      throw EngineError(
        .invalidInput,
        "the input has \(length) values per sample (\(shape)), expected \(matrix[1]).")
    }
    let leading: [Int] = Array(shape.dimensions.dropLast(joined))
    let outputShape = Shape(leading + [matrix[0]] + (joined == 3 ? [1, 1] : []))
    return [TensorType(outputShape, inputs[0].type.element)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let known: [OperatorInput] = inputs.map { OperatorInput(TensorType($0.shape)) }
    guard let type = try outputTypes(for: known)?.first else { return [] }
    let values = inputs.map(\.values).productOfRows(inner: inputs[1].shape[1]) { $0 + $1 * $2 }
    return [ReferenceTensor(type.shape, values)]
  }
}

extension OperatorInput {
  /// Returns the shape `[columns, inner]` of the matrix, which is the second input. The inputs are a tensor, the
  /// matrix, and optionally a bias with one number per column. Throws if the shapes of the inputs do not match.
  package static func matrix(of inputs: [OperatorInput]) throws -> Shape {
    guard inputs.count == 2 || inputs.count == 3 else {
      throw EngineError(
        .invalidModel,
        "the layer has \(inputs.count) inputs, expected a tensor, a matrix and optionally a bias.")
    }
    let matrix: Shape = inputs[1].shape
    guard matrix.rank == 2, matrix[0] > 0, matrix[1] > 0 else {
      throw EngineError(
        .invalidInput, "the matrix is \(matrix), expected at least one row and one column.")
    }
    if inputs.count == 3, inputs[2].shape.count != matrix[0] {
      throw EngineError(
        .invalidInput, "the bias is \(inputs[2].shape), expected \(matrix[0]) numbers.")
    }
    return matrix
  }
}

extension Array {
  /// Computes the matrix product of rows and a transposed matrix. The first array holds rows of `inner` values. The
  /// second array holds the matrix `[columns, inner]`. The third array, if there is one, holds a bias per column.
  /// `fused(sum, a, b)` returns `sum + a · b`.
  package func productOfRows<Value: Numeric>(
    inner: Int, _ fused: (Value, Value, Value) -> Value
  ) -> [Value] where Element == [Value] {
    let (rows, matrix): ([Value], [Value]) = (self[0], self[1])
    let shifts: [Value]? = count > 2 ? self[2] : nil
    let columns: Int = matrix.count / inner
    var result: [Value] = []
    result.reserveCapacity(rows.count / inner * columns)
    for start in stride(from: 0, to: rows.count, by: inner) {
      for column in 0..<columns {
        var sum: Value = shifts?[column] ?? 0
        for step in 0..<inner {
          sum = fused(sum, matrix[column * inner + step], rows[start + step])
        }
        result.append(sum)
      }
    }
    return result
  }
}
