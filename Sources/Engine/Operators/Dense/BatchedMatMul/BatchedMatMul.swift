import Graph

/// Matrix products, of two inputs or of an input and a constant matrix.
///
///     y = a × b          (two inputs)
///     y = a × W + bias   (one input)
///
/// - Two inputs: the matrices lie in the last two dimensions, each transposed first when the model
///   says so; the other dimensions are broadcast. A vector on the left is a row, on the right a
///   column, and stays one in the output: its rank is `max(2, rank a, rank b)`.
/// - One input: `[…, X1]` gives `[…, X2]`; transposition is ignored.
/// - Parameters: `W` of shape `[X1, X2]`, kept transposed as `[X2, X1]`, the way that the file has
///   it; `bias` of shape `[X2]`.
/// - Errors: inner sizes that differ, dimensions that cannot be broadcast.
///
/// Models that ask for dynamic quantisation to 8 bits get their weights widened: exacter than asked.
///
/// **Source:** `BatchedMatMulLayerParams`.
public struct BatchedMatMulOperator: Layer {
  public static let declaration = OperatorDeclaration(
    "BatchedMatMul", specification: "batchedMatmul",
    summary: "a × b with broadcasting, or a × W + bias")

  /// What stands on the right.
  public enum Right: Sendable {
    /// The second input.
    case input
    /// A matrix that is kept as `[columns, inner]`, and shifts of the columns.
    case constant(transposed: Weights, bias: Weights?)
  }

  /// Whether the left matrix is transposed first.
  public var transposesLeft: Bool
  /// Whether the right matrix is transposed first.
  public var transposesRight: Bool
  /// What stands on the right.
  public var right: Right

  /// A product.
  public init(transposesLeft: Bool = false, transposesRight: Bool = false, right: Right = .input) {
    self.transposesLeft = transposesLeft
    self.transposesRight = transposesRight
    self.right = right
  }

  public init(decoding decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...2)
    guard case .batchedMatmul(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    guard decoder.inputCount == 1 else {
      self.init(transposesLeft: message.transposeA, transposesRight: message.transposeB)
      return
    }
    let inner: Int = try decoder.size(
      message.weightMatrixFirstDimension, "weightMatrixFirstDimension")
    let columns: Int = try decoder.size(
      message.weightMatrixSecondDimension, "weightMatrixSecondDimension")
    guard inner > 0, columns > 0 else {
      throw decoder.invalid(
        "the weight matrix is \(inner) × \(columns), expected at least one row and one column.")
    }
    let weights = try decoder.weights(message.weights, shape: [columns, inner], field: "weights")
    let bias: Weights? =
      message.hasBias
      ? try decoder.weights(message.bias, shape: [columns], field: "bias") : nil
    self.init(right: .constant(transposed: weights, bias: bias))
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    switch right {
    case .constant(let weights, _):
      var shape: Shape = try OperatorInput.only(inputs).shape
      guard shape.rank >= 1, shape[-1] == weights.shape[1] else {
        throw EngineError(
          .invalidInput,
          "the input has the shape \(shape), expected its last dimension to be \(weights.shape[1])."
        )
      }
      shape[-1] = weights.shape[0]
      return [TensorType(shape)]
    case .input:
      guard inputs.count == 2 else {
        throw EngineError(.invalidModel, "the layer has \(inputs.count) inputs, expected 2.")
      }
      return [TensorType(try product(inputs[0].shape, inputs[1].shape).output)]
    }
  }

  /// How two inputs are multiplied.
  package struct Product {
    /// Leading dimensions of the output and of the inputs, padded with ones to its length.
    package let batch: Shape, leftBatch: Shape, rightBatch: Shape
    package let rows: Int, inner: Int, columns: Int
    package var output: Shape { Shape(batch.dimensions + [rows, columns]) }
  }

  /// Checks and names the extents of a product of two inputs.
  package func product(_ first: Shape, _ second: Shape) throws -> Product {
    guard first.rank >= 1, second.rank >= 1 else {
      throw EngineError(
        .invalidInput, "the inputs have the shapes \(first) and \(second), expected no scalars.")
    }
    let left: Shape = first.rank == 1 ? [1, first[0]] : first
    let right: Shape = second.rank == 1 ? [second[0], 1] : second
    let rows: Int = left[transposesLeft ? -1 : -2]
    let inner: Int = left[transposesLeft ? -2 : -1]
    let columns: Int = right[transposesRight ? -2 : -1]
    guard right[transposesRight ? -1 : -2] == inner else {
      throw EngineError(
        .invalidInput,
        "the inputs have the shapes \(first) and \(second): the left matrix has \(inner) columns, "
          + "the right one \(right[transposesRight ? -1 : -2]) rows, expected the same.")
    }
    let leftBatch = Shape(Array(left.dimensions.dropLast(2)))
    let rightBatch = Shape(Array(right.dimensions.dropLast(2)))
    guard let batch = Shape.broadcast(leftBatch, rightBatch) else {
      throw EngineError(
        .invalidInput,
        "the inputs have the shapes \(first) and \(second), which cannot be broadcast "
          + "over the leading dimensions.")
    }
    return Product(
      batch: batch, leftBatch: leftBatch.padded(toRank: batch.rank),
      rightBatch: rightBatch.padded(toRank: batch.rank), rows: rows, inner: inner,
      columns: columns)
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    switch right {
    case .constant(let weights, let bias):
      let (columns, inner) = (weights.shape[0], weights.shape[1])
      let matrix: [Double] = try weights.doubles()
      let shifts: [Double]? = try bias?.doubles()
      var shape: Shape = inputs[0].shape
      shape[-1] = columns
      var result: [Double] = []
      for start in stride(from: 0, to: inputs[0].values.count, by: inner) {
        for column in 0..<columns {
          var sum: Double = shifts?[column] ?? 0
          for place in 0..<inner {
            sum += inputs[0].values[start + place] * matrix[column * inner + place]
          }
          result.append(sum)
        }
      }
      return [ReferenceTensor(shape, result)]
    case .input:
      let product = try product(inputs[0].shape, inputs[1].shape)
      var result: [Double] = []
      result.reserveCapacity(product.output.count)
      product.batch.forEachIndex { (index: [Int], _: Int) in
        let left: Int = product.leftBatch.stretchedOffset(index) * product.rows * product.inner
        let right: Int =
          product.rightBatch.stretchedOffset(index) * product.inner * product.columns
        for row in 0..<product.rows {
          for column in 0..<product.columns {
            var sum: Double = 0
            for place in 0..<product.inner {
              let leftAt: Int =
                transposesLeft ? place * product.rows + row : row * product.inner + place
              let rightAt: Int =
                transposesRight
                ? column * product.inner + place : place * product.columns + column
              sum += inputs[0].values[left + leftAt] * inputs[1].values[right + rightAt]
            }
            result.append(sum)
          }
        }
      }
      return [ReferenceTensor(product.output, result)]
    }
  }
}

extension Shape {
  /// The row-major position of an index where extents of one repeat.
  package func stretchedOffset(_ index: [Int]) -> Int {
    var position: Int = 0
    for (axis, extent) in dimensions.enumerated() {
      position = position * extent + (extent == 1 ? 0 : index[axis])
    }
    return position
  }
}
