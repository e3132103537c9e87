import Graph

/// The place that an index names on an axis: negative ones count from the end. Throws for a place
/// that does not exist.
package func place(_ value: Double, of extent: Int, axis: Int) throws -> Int {
  let index: Int = ReferenceTensor.integer(value)
  let place: Int = index < 0 ? index + extent : index
  guard place >= 0, place < extent else {
    throw EngineError(
      .invalidInput,
      "index \(index) does not exist on axis \(axis), expected \(-extent) to \(extent - 1).")
  }
  return place
}

extension Double {
  /// An index that came as a number, for errors: whole ones without a point.
  package var indexText: String { Int(exactly: self).map(String.init) ?? "\(self)" }
}

/// The indices of tensors that gather or scatter whole slices: `[leading, depth]`, where the last axis
/// names the place on the first `depth` axes of the data.
package struct SliceIndices: Sendable {
  /// The axes of the data that an index fixes.
  package let depth: Int
  /// The shape of the indices without their last axis.
  package let leading: Shape
  /// The shape of the slice that an index names.
  package let slice: Shape

  package init(data: Shape, indices: Shape) throws {
    try indices.requireRank(atLeast: 1, "the second input")
    depth = indices[-1]
    guard depth <= data.rank else {
      throw EngineError(
        .invalidInput,
        "the indices (\(indices)) name \(depth) axes, but the first input (\(data)) has \(data.rank)."
      )
    }
    leading = Shape(Array(indices.dimensions.dropLast()))
    slice = Shape(Array(data.dimensions[depth...]))
  }

  /// The shape of all slices together; one axis of one element where nothing is left.
  package var gathered: Shape {
    let dimensions: [Int] = leading.dimensions + slice.dimensions
    return dimensions.isEmpty ? [1] : Shape(dimensions)
  }

  /// Where each slice starts in the data, in elements.
  package func starts(_ indices: ReferenceTensor, in data: Shape) throws -> [Int] {
    let (numbers, strides) = (indices.reals, data.strides)
    return try (0..<leading.count).map { position in
      var start = 0
      for axis in 0..<depth {
        let value: Double = numbers[position * depth + axis]
        start += try place(value, of: data[axis], axis: axis) * strides[axis]
      }
      return start
    }
  }
}
