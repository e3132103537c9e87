import Engine

extension MLTensor {
  /// The slices that indices name. Indices of one axis name slices of the first axis; others are places, one
  /// in each row, of as many axes as a row is long.
  public func gathering(atIndices indices: MLTensor) -> MLTensor {
    guard indices.rank > 1 else { return gathering(atIndices: indices, alongAxis: 0) }
    let taken: [Int] = Array(shape.dropFirst(indices.shape.last ?? 0))
    return .make(
      GatherNDOperator(), of: [self, indices.cast(to: .int32)], element: element,
      shape: indices.shape.dropLast() + taken, isExact: true)
  }

  /// The slices along an axis that indices name, which take the axis's place.
  public func gathering(atIndices indices: MLTensor, alongAxis axis: Int) -> MLTensor {
    let axis: Int = self.axis(axis)
    let made: MLTensor = .make(
      GatherOperator(axis: axis), of: [self, indices.cast(to: .int32)], element: element,
      isExact: true)
    var result: [Int] = shape
    result.replaceSubrange(axis...axis, with: indices.shape)
    return made.reshaped(to: result)
  }

  /// This tensor's elements but for those that indices name along an axis: there stand the other's.
  ///
  /// - Parameter indices: as many as there are replacements, in the shape of this tensor but for the axis.
  public func replacing(
    with replacement: MLTensor, atIndices indices: MLTensor, alongAxis axis: Int
  ) -> MLTensor {
    let inputs = [self, indices.cast(to: .int32), replacement.cast(to: element)]
    return .make(
      ScatterAlongAxisOperator(axis: self.axis(axis)), of: inputs, element: element, shape: shape,
      isExact: true)
  }

  /// This tensor's elements but for those that indices name along an axis, where one value stands.
  public func replacing(
    atIndices indices: MLTensor, with replacement: some MLTensorScalar, alongAxis axis: Int
  ) -> MLTensor {
    let values: MLTensor = MLTensor(replacement).cast(to: element)
      .reshaped(to: indices.shape.map { _ in 1 }).tiled(multiples: indices.shape)
    return replacing(with: values, atIndices: indices, alongAxis: axis)
  }
}
