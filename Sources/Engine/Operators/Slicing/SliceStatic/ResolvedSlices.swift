import Graph

/// The slices of all axes of an input whose shape is known.
package struct ResolvedSlices: Sendable {
  /// The indices that the slices take from each axis of the input.
  package let ranges: [SliceRange]
  /// The stride of each axis of the input.
  package let strides: [Int]
  /// The input's axes that are not squeezed, in order.
  package let kept: [Int]
  /// The shape of the output.
  package let shape: Shape

  package init(_ slices: [AxisSlice], of input: Shape) throws {
    guard slices.count == input.rank else {
      throw EngineError(
        .invalidInput,
        "\(slices.count) axes are sliced, but the input has \(input.rank) dimensions (\(input)).")
    }
    if let axis = slices.firstIndex(where: { $0.stride == 0 }) {
      throw AxisSlice.withoutStride(axis)
    }
    ranges = try slices.enumerated().map { axis, slice in
      try slice.range(input[axis], axis: axis)
    }
    strides = slices.map { $0.isSqueezed ? 1 : $0.stride }
    kept = slices.indices.filter { !slices[$0].isSqueezed }
    let sizes: [Int] = kept.map { [ranges] in ranges[$0].count }
    shape = sizes.isEmpty ? [1] : Shape(sizes)
  }

  /// Slices a tensor, for reference implementations.
  package func apply(_ input: ReferenceTensor) -> ReferenceTensor {
    ReferenceTensor(shape) { input[source(of: $0)] }
  }

  /// Returns the index in the input of the element at an index of the output.
  package func source(of index: [Int]) -> [Int] {
    var source: [Int] = ranges.map(\.first)
    for (position, axis) in kept.enumerated() { source[axis] += index[position] * strides[axis] }
    return source
  }
}
