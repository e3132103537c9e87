import Graph

/// Returns the type of a pointwise operator's output. Its shape is the one to which the inputs broadcast, as in NumPy.
/// Its element type is that of the first input.
package func broadcastType(_ inputs: [OperatorInput]) throws -> [TensorType] {
  var result = inputs[0].shape
  for (position, input) in inputs.enumerated().dropFirst() {
    guard let joined = Shape.broadcast(result, input.shape) else {
      throw EngineError(
        .invalidInput,
        "input \(position + 1) has the shape \(input.shape), which cannot be broadcast against \(result): aligned at the last dimension, extents must be equal or 1."
      )
    }
    result = joined
  }
  return [TensorType(result, inputs[0].type.element)]
}

/// Broadcasts tensors against each other and calls `combine` for each element of the result, with one operand per
/// input.
package func broadcastReference(
  _ inputs: [ReferenceTensor], _ combine: ([Double]) -> Double
) -> ReferenceTensor {
  let (shape, values) = broadcast(inputs.map(\.shape), inputs.map(\.values), combine)
  return ReferenceTensor(shape, values)
}

/// Broadcasts integer tensors against each other and calls `combine` for each element of the result, with one operand
/// per input. The result has the first input's element type.
package func broadcastIntegers(
  _ inputs: [ReferenceTensor], _ overflow: IntegerOverflow = .wraps,
  _ combine: ([Int64]) -> Int64
) -> ReferenceTensor {
  let (shape, integerValues) = broadcast(inputs.map(\.shape), inputs.map(\.integerValues), combine)
  let element: ElementType = inputs[0].element
  return ReferenceTensor(
    shape, integerValues: integerValues.map { element.converted($0, overflow) }, element)
}

private func broadcast<Value: Numeric>(
  _ shapes: [Shape], _ values: [[Value]], _ combine: ([Value]) -> Value
) -> (Shape, [Value]) {
  let shape: Shape = shapes.dropFirst().reduce(shapes[0]) { Shape.broadcast($0, $1) ?? $0 }
  var result = [Value](repeating: 0, count: shape.count)
  var operands = [Value](repeating: 0, count: shapes.count)
  shape.forEachIndex { index, position in
    for (number, inputShape) in shapes.enumerated() {
      let skipped = shape.rank - inputShape.rank
      var offset = 0
      for (axis, extent) in inputShape.dimensions.enumerated() {
        offset = offset * extent + (extent == 1 ? 0 : index[skipped + axis])
      }
      operands[number] = values[number][offset]
    }
    result[position] = combine(operands)
  }
  return (shape, result)
}
