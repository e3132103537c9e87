import Graph

extension Double {
  /// This index as text for error messages. If the index is an integer, the text has no decimal point.
  package var indexText: String { Int(exactly: self).map(String.init) ?? "\(self)" }
}

/// Shapes for operators that gather or scatter slices of a tensor, the data. The indices are a tensor `[leading…,
/// depth]`: its last axis is an index vector, which selects one slice. The vector holds one index for each of the first
/// `depth` axes of the data, after the batch axes. The indices and the data may share leading batch axes. An index
/// vector then selects a slice only from the data of its own batch entry.
package struct SliceIndices: Sendable {
  /// The length of an index vector: the number of axes of the data that the vector indexes.
  package let depth: Int
  /// The number of batch axes: the leading axes that indices and data share.
  package let batchAxes: Int
  /// The shape of the indices without their last axis.
  package let leading: Shape
  /// The shape of the slice that an index vector selects.
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

  /// The shape of all selected slices together; `[1]` if both ``leading`` and ``slice`` have no axes.
  package var gathered: Shape {
    let dimensions: [Int] = leading.dimensions + slice.dimensions
    return dimensions.isEmpty ? [1] : Shape(dimensions)
  }

  /// Returns one entry per index vector: the offset, in elements, of the selected slice in the data. The entry is nil
  /// if the index vector is invalid.
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
        let named: Int? = try rule.resolved(
          value, of: data[batchAxes + axis], axis: batchAxes + axis)
        start = start.flatMap { start in named.map { start + $0 * strides[batchAxes + axis] } }
      }
      return start
    }
  }
}

/// Throws unless indices and data have the same extents on the first `axes` axes.
package func requireBatch(_ axes: Int, data: Shape, indices: Shape) throws {
  guard (0...min(data.rank, indices.rank)).contains(axes),
    data.dimensions.prefix(axes) == indices.dimensions.prefix(axes)
  else {
    throw EngineError(
      .invalidInput,
      "the first \(axes) axes are those of a batch, but the inputs are \(data) and \(indices).")
  }
}
