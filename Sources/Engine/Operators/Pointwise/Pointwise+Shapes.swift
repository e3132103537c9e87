import Graph

/// The type of several inputs broadcast against each other as NumPy does; a `float32` tensor.
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
  return [TensorType(result)]
}

/// Combines values of tensors that are broadcast to a shape, one list of operands an element.
package func broadcastReference(
  _ inputs: [ReferenceTensor], _ combine: ([Double]) -> Double
) -> ReferenceTensor {
  var shape = inputs[0].shape
  for input in inputs.dropFirst() { shape = Shape.broadcast(shape, input.shape) ?? shape }
  var result = ReferenceTensor(shape)
  var operands = [Double](repeating: 0, count: inputs.count)
  shape.forEachIndex { index, position in
    for (number, input) in inputs.enumerated() {
      let skipped = shape.rank - input.shape.rank
      var offset = 0
      for (axis, extent) in input.shape.dimensions.enumerated() {
        offset = offset * extent + (extent == 1 ? 0 : index[skipped + axis])
      }
      operands[number] = input.values[offset]
    }
    result.values[position] = combine(operands)
  }
  return result
}
