import Graph

/// Matrix products of two inputs, or of rows with one matrix.
///
///     y = a × b
///     y = a × Wᵀ + bias   (multipliesRows)
///
/// - Two inputs: the last two dimensions of each input are its matrices. The left matrices are transposed first if
///   ``transposesLeft`` is set, the right matrices if ``transposesRight`` is set. The other dimensions are broadcast. A
///   vector on the left is a matrix of one row, and a vector on the right is a matrix of one column. The output keeps
///   the extent 1 of this row or column, so the output's rank is `max(2, rank a, rank b)`.
/// - Rows with one matrix: `[…, X1]` gives `[…, X2]`. `W` has the shape `[X2, X1]`, as model files store it, and
///   `bias`, an optional input, has the shape `[X2]`. ``transposesLeft`` and ``transposesRight`` are ignored.
/// - Errors: the number of columns of the left matrix differs from the number of rows of the right matrix; the leading
///   dimensions cannot be broadcast.
///
/// If a model asks for dynamic quantisation to 8 bits, the weights are converted to float32 instead. The result is then
/// more precise than with quantisation.
///
/// **Source:** `BatchedMatMulLayerParams`.
public struct BatchedMatMulOperator: IntegerOperator, Hashable {
  public static let declaration = OperatorDeclaration(
    "BatchedMatMul", summary: "a × b with broadcasting, or a × W + bias")

  /// Whether the left matrix is transposed first.
  public var transposesLeft: Bool
  /// Whether the right matrix is transposed first.
  public var transposesRight: Bool
  /// Whether every row of the first input is multiplied by one matrix. The second input is this matrix, stored
  /// transposed. A third input, if there is one, is added to each row of the result.
  public var multipliesRows: Bool
  /// Whether an integer result that overflows the element type wraps around or saturates.
  public var overflow = IntegerOverflow.wraps

  /// Creates a matrix product of two inputs.
  public init(
    transposesLeft: Bool = false, transposesRight: Bool = false,
    overflow: IntegerOverflow = .wraps
  ) {
    self.overflow = overflow
    self.transposesLeft = transposesLeft
    self.transposesRight = transposesRight
    multipliesRows = false
  }

  /// A matrix product of the first input's rows and one matrix, which is stored transposed. The bias is optional.
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

  /// The extents of a matrix product of two inputs.
  package struct Product {
    /// The leading dimensions of the output, the left input and the right input. The leading dimensions of the inputs
    /// are padded with ones to the output's rank.
    package let batch: Shape, leftBatch: Shape, rightBatch: Shape
    /// The left matrix has `rows` rows and `inner` columns. The right matrix has `inner` rows and `columns` columns.
    package let rows: Int, inner: Int, columns: Int
    /// The shape of the output.
    package var output: Shape { Shape(batch.dimensions + [rows, columns]) }
  }

  /// Returns the extents of the matrix product of two inputs. Throws if the shapes of the inputs do not match.
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
    return [ReferenceTensor(shape, values)]
  }

  public func integerReference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let element: ElementType = inputs[0].element
    if overflow == .saturates {
      let wide: [[Int128]] = inputs.map { $0.integerValues.map { Int128($0) } }
      // The product of two 64-bit integers fits into 128 bits. A sum of products that does not fit is clamped to the
      // range of 128-bit integers.
      let (shape, sums) = try multiplied(inputs, wide) { sum, left, right in
        let (next, overflows) = sum.addingReportingOverflow(left * right)
        return overflows ? (sum < 0 ? .min : .max) : next
      }
      return [ReferenceTensor(shape, integerValues: sums.map(element.saturated), element)]
    }
    let (shape, integerValues) = try multiplied(inputs, inputs.map(\.integerValues)) {
      $0 &+ $1 &* $2
    }
    return [ReferenceTensor(shape, integerValues: integerValues.map(element.wrapped), element)]
  }

  /// Computes the matrix product for any numeric type. `fused(sum, a, b)` returns `sum + a · b`.
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
          for step in 0..<product.inner {
            let leftAt: Int =
              transposesLeft ? step * product.rows + row : row * product.inner + step
            let rightAt: Int =
              transposesRight ? column * product.inner + step : step * product.columns + column
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
  /// Returns the offset, in elements, at which a tensor of this shape stores element `index` of a broadcast result.
  /// Along axes of extent one the tensor's index is always 0.
  package func stretchedOffset(_ index: [Int]) -> Int {
    var position: Int = 0
    for (axis, extent) in dimensions.enumerated() {
      position = position * extent + (extent == 1 ? 0 : index[axis])
    }
    return position
  }
}
