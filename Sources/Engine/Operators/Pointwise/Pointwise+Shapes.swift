import Graph

/// The type of several inputs broadcast against each other as NumPy does; elements are those
/// of the first.
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

/// Combines values of tensors that are broadcast to a shape, one list of operands an element.
package func broadcastReference(
  _ inputs: [ReferenceTensor], _ combine: ([Double]) -> Double
) -> ReferenceTensor {
  let (shape, values) = broadcast(inputs.map(\.shape), inputs.map(\.values), combine)
  return ReferenceTensor(shape, values)
}

/// The same for tensors of whole numbers; the result has the first one's type.
package func broadcastWholes(
  _ inputs: [ReferenceTensor], _ overflow: IntegerOverflow = .wraps,
  _ combine: ([Int64]) -> Int64
) -> ReferenceTensor {
  let (shape, wholes) = broadcast(inputs.map(\.shape), inputs.map(\.wholes), combine)
  let element: ElementType = inputs[0].element
  return ReferenceTensor(shape, wholes: wholes.map { element.kept($0, overflow) }, element)
}

private func broadcast<Value: Numeric>(
  _ shapes: [Shape], _ values: [[Value]], _ combine: ([Value]) -> Value
) -> (Shape, [Value]) {
  let shape: Shape = shapes.dropFirst().reduce(shapes[0]) { Shape.broadcast($0, $1) ?? $0 }
  var result = [Value](repeating: 0, count: shape.count)
  var operands = [Value](repeating: 0, count: shapes.count)
  shape.forEachIndex { index, position in
    for (number, own) in shapes.enumerated() {
      let skipped = shape.rank - own.rank
      var offset = 0
      for (axis, extent) in own.dimensions.enumerated() {
        offset = offset * extent + (extent == 1 ? 0 : index[skipped + axis])
      }
      operands[number] = values[number][offset]
    }
    result[position] = combine(operands)
  }
  return (shape, result)
}
