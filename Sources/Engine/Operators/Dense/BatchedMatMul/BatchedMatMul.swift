import Graph

/// Matrix products of two inputs, or of rows with one matrix.
///
///     y = a × b
///     y = a × Wᵀ + bias   (multipliesRows)
///
/// - Two inputs: the matrices lie in the last two dimensions, each transposed first when the model
///   says so; the other dimensions are broadcast. A vector on the left is a row, on the right a
///   column, and stays one in the output: its rank is `max(2, rank a, rank b)`.
/// - Rows with one matrix: `[…, X1]` gives `[…, X2]`; `W` has the shape `[X2, X1]`, the way that files
///   have it, and `bias`, an input where there is one, the shape `[X2]`. Nothing is transposed first.
/// - Errors: inner sizes that differ, dimensions that cannot be broadcast.
///
/// Models that ask for dynamic quantisation to 8 bits get their weights widened: exacter than asked.
///
/// **Source:** `BatchedMatMulLayerParams`.
public struct BatchedMatMulOperator: WholeNumberOperator, Hashable {
  public static let declaration = OperatorDeclaration(
    "BatchedMatMul", summary: "a × b with broadcasting, or a × W + bias")

  /// Whether the left matrix is transposed first.
  public var transposesLeft: Bool
  /// Whether the right matrix is transposed first.
  public var transposesRight: Bool
  /// Whether the second input is one matrix, stored transposed, that every row of the first is multiplied
  /// by; a third one is then added to each row.
  public var multipliesRows: Bool
  /// Applied to each element of a product of rows; set by passes.
  public var epilogue: ProductEpilogue?
  /// What becomes of integers that the type cannot hold.
  public var overflow = IntegerOverflow.wraps

  /// A product of two inputs.
  public init(
    transposesLeft: Bool = false, transposesRight: Bool = false,
    overflow: IntegerOverflow = .wraps
  ) {
    self.overflow = overflow
    self.transposesLeft = transposesLeft
    self.transposesRight = transposesRight
    multipliesRows = false
  }

  /// A product of rows with one matrix, which is stored transposed, and perhaps a bias.
  public static let ofRows: BatchedMatMulOperator = {
    var product = BatchedMatMulOperator()
    product.multipliesRows = true
    return product
  }()

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    if multipliesRows {
      let matrix: Shape = try OperatorInput.matrix(of: inputs)
      var shape: Shape = inputs[0].shape
      guard shape.rank >= 1, shape[-1] == matrix[1] else {
        throw EngineError(
          .invalidInput,
          "the input has the shape \(shape), expected its last dimension to be \(matrix[1]).")
      }
      shape[-1] = matrix[0]
      return [TensorType(shape, inputs[0].type.element)]
    }
    guard inputs.count == 2 else {
      throw EngineError(.invalidModel, "the layer has \(inputs.count) inputs, expected 2.")
    }
    let product = try product(inputs[0].shape, inputs[1].shape)
    return [TensorType(product.output, inputs[0].type.element)]
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
    let (shape, values) = try multiplied(inputs, inputs.map(\.values)) { $0 + $1 * $2 }
    return [ReferenceTensor(shape, epilogue.map { values.map($0.callAsFunction) } ?? values)]
  }

  public func wholeReference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let element: ElementType = inputs[0].element
    if overflow == .saturates {
      let wide: [[Int128]] = inputs.map { $0.wholes.map { Int128($0) } }
      // Products of 64 bits fit 128; a sum of them that does not stays at the end of that range.
      let (shape, sums) = try multiplied(inputs, wide) { sum, left, right in
        let (next, overflows) = sum.addingReportingOverflow(left * right)
        return overflows ? (sum < 0 ? .min : .max) : next
      }
      return [ReferenceTensor(shape, wholes: sums.map(element.saturated), element)]
    }
    let (shape, wholes) = try multiplied(inputs, inputs.map(\.wholes)) { $0 &+ $1 &* $2 }
    return [ReferenceTensor(shape, wholes: wholes.map(element.wrapped), element)]
  }

  /// The products of numbers of any kind; `fused` adds the product of two to a sum.
  private func multiplied<Value: Numeric>(
    _ inputs: [ReferenceTensor], _ values: [[Value]], _ fused: (Value, Value, Value) -> Value
  ) throws -> (Shape, [Value]) {
    if multipliesRows {
      var shape: Shape = inputs[0].shape
      shape[-1] = inputs[1].shape[0]
      return (shape, values.productOfRows(inner: inputs[1].shape[1], fused))
    }
    let product = try product(inputs[0].shape, inputs[1].shape)
    var result: [Value] = []
    result.reserveCapacity(product.output.count)
    product.batch.forEachIndex { (index: [Int], _: Int) in
      let left: Int = product.leftBatch.stretchedOffset(index) * product.rows * product.inner
      let right: Int = product.rightBatch.stretchedOffset(index) * product.inner * product.columns
      for row in 0..<product.rows {
        for column in 0..<product.columns {
          var sum: Value = 0
          for place in 0..<product.inner {
            let leftAt: Int =
              transposesLeft ? place * product.rows + row : row * product.inner + place
            let rightAt: Int =
              transposesRight ? column * product.inner + place : place * product.columns + column
            sum = fused(sum, values[0][left + leftAt], values[1][right + rightAt])
          }
          result.append(sum)
        }
      }
    }
    return (product.output, result)
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
