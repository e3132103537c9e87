import Engine

extension MLTensor {
  /// Gathers slices. If `indices` has one axis, each index selects a slice along the first axis of this tensor. If
  /// `indices` has more axes, each row along its last axis is one multidimensional index. A row of `n` numbers indexes
  /// the first `n` axes of this tensor.
  public func gathering(atIndices indices: MLTensor) -> MLTensor {
    guard indices.rank > 1 else { return gathering(atIndices: indices, alongAxis: 0) }
    let taken: [Int] = Array(shape.dropFirst(indices.shape.last ?? 0))
    return .make(
      GatherNDOperator(), of: [self, indices.cast(to: .int32)], element: element,
      shape: indices.shape.dropLast() + taken, isExact: true)
  }

  /// Gathers slices along an axis. In the result's shape, the axes of `indices` replace the axis `axis`.
  public func gathering(atIndices indices: MLTensor, alongAxis axis: Int) -> MLTensor {
    let axis: Int = self.axis(axis)
    let made: MLTensor = .make(
      GatherOperator(axis: axis), of: [self, indices.cast(to: .int32)], element: element,
      isExact: true)
    var result: [Int] = shape
    result.replaceSubrange(axis...axis, with: indices.shape)
    return made.reshaped(to: result)
  }

  /// Replaces the elements at the given indices along an axis with the elements of another tensor.
  ///
  /// - Parameter indices: One index along the axis for each element of `replacement`. Except for the length of that
  ///   axis, the shape of `indices` equals this tensor's shape.
  public func replacing(
    with replacement: MLTensor, atIndices indices: MLTensor, alongAxis axis: Int
  ) -> MLTensor {
    let inputs = [self, indices.cast(to: .int32), replacement.cast(to: element)]
    return .make(
      ScatterAlongAxisOperator(axis: self.axis(axis)), of: inputs, element: element, shape: shape,
      isExact: true)
  }

  /// Replaces the elements at the given indices along an axis with one value. Swift passes a literal such as `0.5` as a
  /// `Float`.
  public func replacing(
    atIndices indices: MLTensor, with replacement: Float, alongAxis axis: Int
  ) -> MLTensor {
    let values = MLTensor(repeating: replacement, shape: indices.shape)
    return replacing(with: values, atIndices: indices, alongAxis: axis)
  }

  /// Replaces the elements at the given indices along an axis with one value.
  public func replacing(
    atIndices indices: MLTensor, with replacement: some MLTensorScalar, alongAxis axis: Int
  ) -> MLTensor {
    let values: MLTensor = MLTensor(replacement).cast(to: element)
      .reshaped(to: indices.shape.map { _ in 1 }).tiled(multiples: indices.shape)
    return replacing(with: values, atIndices: indices, alongAxis: axis)
  }
}
