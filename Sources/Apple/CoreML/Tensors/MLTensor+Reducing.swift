import Engine

extension MLTensor {
  private func reduce(
    _ mode: ReductionMode, _ axes: [Int]?, keepRank: Bool, isExact: Bool = false
  ) -> MLTensor {
    let reduced: Set<Int> = axes.map { Set($0.map(axis)) } ?? Set(shape.indices)
    if reduced.isEmpty { return self }
    let result: [Int] = shape.indices.compactMap { index in
      reduced.contains(index) ? (keepRank ? 1 : nil) : shape[index]
    }
    let made: MLTensor = .make(
      ReduceAxesOperator(mode, axes: reduced.sorted(), keepsAxes: true), of: [operand],
      element: element, isExact: isExact)
    return made.narrowed().reshaped(to: result)
  }

  /// Returns the sum along axes.
  public func sum(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor {
    reduce(.sum, axes.isEmpty ? nil : axes, keepRank: keepRank)
  }
  /// Returns the sum along axes.
  public func sum(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    reduce(.sum, axes, keepRank: keepRank)
  }
  /// Returns the sum of all elements.
  public func sum(keepRank: Bool = false) -> MLTensor { reduce(.sum, nil, keepRank: keepRank) }

  /// Returns the product along axes.
  public func product(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor {
    reduce(.product, axes.isEmpty ? nil : axes, keepRank: keepRank)
  }
  /// Returns the product along axes.
  public func product(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    reduce(.product, axes, keepRank: keepRank)
  }
  /// Returns the product of all elements.
  public func product(keepRank: Bool = false) -> MLTensor {
    reduce(.product, nil, keepRank: keepRank)
  }

  /// Returns the mean along axes. If the elements are integers, truncates the mean.
  public func mean(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor {
    reduce(.mean, axes.isEmpty ? nil : axes, keepRank: keepRank)
  }
  /// Returns the mean along axes. If the elements are integers, truncates the mean.
  public func mean(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    reduce(.mean, axes, keepRank: keepRank)
  }
  /// Returns the mean of all elements. If the elements are integers, truncates the mean.
  public func mean(keepRank: Bool = false) -> MLTensor {
    reduce(.mean, nil, keepRank: keepRank)
  }

  /// Returns the largest element along axes.
  public func max(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor {
    reduce(.maximum, axes.isEmpty ? nil : axes, keepRank: keepRank, isExact: true)
  }
  /// Returns the largest element along axes.
  public func max(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    reduce(.maximum, axes, keepRank: keepRank, isExact: true)
  }
  /// Returns the largest of all elements.
  public func max(keepRank: Bool = false) -> MLTensor {
    reduce(.maximum, nil, keepRank: keepRank, isExact: true)
  }

  /// Returns the smallest element along axes.
  public func min(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor {
    reduce(.minimum, axes.isEmpty ? nil : axes, keepRank: keepRank, isExact: true)
  }
  /// Returns the smallest element along axes.
  public func min(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    reduce(.minimum, axes, keepRank: keepRank, isExact: true)
  }
  /// Returns the smallest of all elements.
  public func min(keepRank: Bool = false) -> MLTensor {
    reduce(.minimum, nil, keepRank: keepRank, isExact: true)
  }

  /// Returns whether all elements along axes are true.
  public func all(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor {
    truth(.minimum, axes.isEmpty ? nil : axes, keepRank)
  }
  /// Returns whether all elements along axes are true.
  public func all(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    truth(.minimum, axes, keepRank)
  }
  /// Returns whether all elements are true.
  public func all(keepRank: Bool = false) -> MLTensor { truth(.minimum, nil, keepRank) }

  /// Returns whether any element along axes is true.
  public func any(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor {
    truth(.maximum, axes.isEmpty ? nil : axes, keepRank)
  }
  /// Returns whether any element along axes is true.
  public func any(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    truth(.maximum, axes, keepRank)
  }
  /// Returns whether any element is true.
  public func any(keepRank: Bool = false) -> MLTensor { truth(.maximum, nil, keepRank) }

  private func truth(_ mode: ReductionMode, _ axes: [Int]?, _ keepRank: Bool) -> MLTensor {
    cast(to: .bool).reduce(mode, axes, keepRank: keepRank, isExact: true)
  }
}

// MARK: - Order

extension MLTensor {
  /// Returns the row-major index of the largest of all elements. Of equal elements, the first counts.
  public func argmax() -> MLTensor { flattened().argmax(alongAxis: 0) }
  /// Returns the index of the largest element along an axis. Of equal elements, the first counts.
  public func argmax(alongAxis axis: Int, keepRank: Bool = false) -> MLTensor {
    position(.indexOfMaximum, axis, keepRank)
  }
  /// Returns the row-major index of the smallest of all elements. Of equal elements, the first counts.
  public func argmin() -> MLTensor { flattened().argmin(alongAxis: 0) }
  /// Returns the index of the smallest element along an axis. Of equal elements, the first counts.
  public func argmin(alongAxis axis: Int, keepRank: Bool = false) -> MLTensor {
    position(.indexOfMinimum, axis, keepRank)
  }

  private func position(_ mode: ReductionMode, _ axis: Int, _ keepRank: Bool) -> MLTensor {
    // The operator returns float32 indices for float32 elements. Float16 and Boolean tensors are stored as float32.
    // Therefore this method takes the element type of `made` from the operator's output, not from this tensor.
    let made: MLTensor = sortKeys().reduce(mode, [axis], keepRank: keepRank, isExact: true)
    return MLTensor(made.node, shape: made.shape, element: Self.element(of: made.node))
      .cast(to: .int32)
  }

  private static func element(of node: TensorNode) -> ElementType { node.type.element }

  /// Returns the indices that sort the elements along an axis. The sort is stable.
  public func argsort(alongAxis axis: Int = -1, descendingOrder: Bool = false) -> MLTensor {
    let keys: MLTensor = sortKeys()
    return MLTensor.make(
      ArgSortOperator(axis: self.axis(axis), isDescending: descendingOrder), of: [keys],
      element: keys.element
    ).cast(to: .int32)
  }

  /// Returns the `k` largest elements along the last axis and the indices of these elements. The largest element is
  /// first.
  public func topK(_ k: Int) -> (values: MLTensor, indices: MLTensor) {
    let keys: MLTensor = sortKeys()
    let sorted = TensorOperation(
      TopKOperator(axis: keys.axis(-1), count: k), [keys.node])
    let values: MLTensor = .make(sorted, element: keys.element, output: 0)
    let indices: MLTensor = .make(sorted, element: keys.element, output: 1)
    let sortedValues: MLTensor = element == .uint32 ? values.unbiased() : values.cast(to: element)
    return (sortedValues, indices.cast(to: .int32))
  }

  /// Converts the elements to a type that the sorting operators support. The conversion does not change the order of
  /// the elements. Integers become `int32`, and other types become `float32`.
  private func sortKeys() -> MLTensor {
    if element == .uint32 { return biased() }
    return element.storageInGraphs == .int32
      ? MLTensor(node, shape: shape, element: .int32) : cast(to: .float32)
  }

  /// Subtracts 2³¹ from uint32 elements and stores the differences as int32. The order of the elements stays the same.
  private func biased() -> MLTensor {
    MLTensor(node, shape: shape, element: .int32) - MLTensor(Int32.min)
  }

  /// Undoes ``biased()``.
  private func unbiased() -> MLTensor {
    let stored: MLTensor = self + MLTensor(Int32.min)
    return MLTensor(stored.node, shape: stored.shape, element: .uint32)
  }

  /// Returns the cumulative sum along an axis. The result at an index is the sum of the elements up to and including
  /// that index.
  public func cumulativeSum(alongAxis axis: Int = 0) -> MLTensor {
    let sums: any Operator = CumSumOperator(axis: self.axis(axis))
    if element == .bool {
      return MLTensor.make(sums, of: [cast(to: .float32)], element: .float32).cast(to: element)
    }
    return MLTensor.make(sums, of: [self], element: element).narrowed()
  }

  /// Returns the cumulative product along an axis. The result at an index is the product of the elements up to and
  /// including that index.
  public func cumulativeProduct(alongAxis axis: Int = 0) -> MLTensor {
    let axis: Int = self.axis(axis)
    let length: Int = shape[axis]
    var product: MLTensor = self
    // Each iteration doubles `reach`. Before an iteration, each element is the product of the `reach` original elements
    // that end at its index. The iteration multiplies each element by the element that is `reach` indices before it.
    var reach = 1
    while reach < length {
      let before: MLTensor = product.split(sizes: [length - reach, reach], alongAxis: axis)[0]
      var edge: [Int] = shape
      edge[axis] = reach
      let ones = MLTensor(repeating: Float(1), shape: edge).cast(to: element)
      product = product * MLTensor(concatenating: [ones, before], alongAxis: axis)
      reach *= 2
    }
    return product
  }
}
