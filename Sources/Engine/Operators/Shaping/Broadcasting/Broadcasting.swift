import Graph

/// The shape of a tensor stretched to a target, as NumPy broadcasts: axes are aligned at the last,
/// and only an extent of one stretches.
package func stretchedShape(_ input: Shape, to target: [Int]) throws -> Shape {
  let shape: Shape = try Shape.checked(target)
  guard Shape.broadcast(input, shape) == shape else {
    throw EngineError(
      .invalidInput,
      "the input (\(input)) does not stretch to \(shape): sizes must agree or be 1, counted from the last."
    )
  }
  return shape
}

/// A tensor stretched to a shape, in plain loops.
package func stretched(_ input: ReferenceTensor, to shape: Shape) -> ReferenceTensor {
  let source: ReferenceTensor = input.reshaped(to: input.shape.padded(toRank: shape.rank))
  return ReferenceTensor(shape) { index in
    source[zip(index, source.shape.dimensions).map { $1 == 1 ? 0 : $0 }]
  }
}
