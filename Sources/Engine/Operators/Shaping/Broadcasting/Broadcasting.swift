import Graph

/// Checks that a tensor of shape `input` broadcasts to the shape `target`, as in NumPy, and returns `target` as a
/// shape. The two shapes are aligned at the last axis. Only axes of extent one are repeated.
package func broadcastShape(_ input: Shape, to target: [Int]) throws -> Shape {
  let shape: Shape = try Shape.checked(target)
  guard Shape.broadcast(input, shape) == shape else {
    throw EngineError(
      .invalidInput,
      "the input (\(input)) does not broadcast to \(shape): sizes must be equal or 1, counted from the last."
    )
  }
  return shape
}

/// Broadcasts a tensor to a shape, for reference implementations.
package func stretched(_ input: ReferenceTensor, to shape: Shape) -> ReferenceTensor {
  let source: ReferenceTensor = input.reshaped(to: input.shape.padded(toRank: shape.rank))
  return ReferenceTensor(shape) { index in
    source[zip(index, source.shape.dimensions).map { $1 == 1 ? 0 : $0 }]
  }
}
