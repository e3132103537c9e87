import Graph

extension Double {
  /// An index that came as a number, for errors: whole ones without a point.
  package var indexText: String { Int(exactly: self).map(String.init) ?? "\(self)" }
}

/// The indices of tensors that gather or scatter whole slices: `[leading, depth]`, where the last axis
/// names the place on `depth` axes of the data. Leading axes that both have in common, a batch, are each
/// indexed by themselves.
package struct SliceIndices: Sendable {
  /// The axes of the data that an index fixes.
  package let depth: Int
  /// The leading axes that indices and data have in common.
  package let batchAxes: Int
  /// The shape of the indices without their last axis.
  package let leading: Shape
  /// The shape of the slice that an index names.
  package let slice: Shape

  package init(data: Shape, indices: Shape, batchAxes: Int = 0) throws {
    try indices.requireRank(atLeast: batchAxes + 1, "the second input")
    try requireBatch(batchAxes, data: data, indices: indices)
    depth = indices[-1]
    self.batchAxes = batchAxes
    guard batchAxes + depth <= data.rank else {
      throw EngineError(
        .invalidInput,
        "the indices (\(indices)) name \(depth) axes, but the first input (\(data)) has \(data.rank - batchAxes)."
      )
    }
    leading = Shape(Array(indices.dimensions.dropLast()))
    slice = Shape(Array(data.dimensions[(batchAxes + depth)...]))
  }

  /// The shape of all slices together; one axis of one element where nothing is left.
  package var gathered: Shape {
    let dimensions: [Int] = leading.dimensions + slice.dimensions
    return dimensions.isEmpty ? [1] : Shape(dimensions)
  }

  /// Where each slice starts in the data, in elements; nil for an index that names none.
  package func starts(
    _ indices: ReferenceTensor, in data: Shape, _ rule: IndexRule = .fromEnd
  ) throws -> [Int?] {
    let (numbers, strides) = (indices.reals, data.strides)
    let inBatch: Int = leading.product(batchAxes..<leading.rank)
    let batchSize: Int = data.product(batchAxes..<data.rank)
    return try (0..<leading.count).map { position in
      var start: Int? = position / max(inBatch, 1) * batchSize
      for axis in 0..<depth {
        let value: Double = numbers[position * depth + axis]
        let named: Int? = try rule.place(value, of: data[batchAxes + axis], axis: batchAxes + axis)
        start = start.flatMap { start in named.map { start + $0 * strides[batchAxes + axis] } }
      }
      return start
    }
  }
}

/// Checks the leading axes that indices and data shall have in common.
package func requireBatch(_ axes: Int, data: Shape, indices: Shape) throws {
  guard (0...min(data.rank, indices.rank)).contains(axes),
    data.dimensions.prefix(axes) == indices.dimensions.prefix(axes)
  else {
    throw EngineError(
      .invalidInput,
      "the first \(axes) axes are those of a batch, but the inputs are \(data) and \(indices).")
  }
}
