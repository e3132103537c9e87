import Engine

extension MLTensor {
  private func reduce(
    _ mode: ReductionMode, _ axes: [Int]?, keepRank: Bool, isExact: Bool = false
  ) -> MLTensor {
    let folded: Set<Int> = axes.map { Set($0.map(axis)) } ?? Set(shape.indices)
    if folded.isEmpty { return self }
    let result: [Int] = shape.indices.compactMap { index in
      folded.contains(index) ? (keepRank ? 1 : nil) : shape[index]
    }
    let made: MLTensor = .make(
      ReduceAxesOperator(mode, axes: folded.sorted(), keepsAxes: true), of: [computable],
      element: element, isExact: isExact)
    return made.narrowed().reshaped(to: result)
  }

  /// The sum along axes.
  public func sum(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor {
    reduce(.sum, axes.isEmpty ? nil : axes, keepRank: keepRank)
  }
  /// The sum along axes.
  public func sum(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    reduce(.sum, axes, keepRank: keepRank)
  }
  /// The sum of all elements.
  public func sum(keepRank: Bool = false) -> MLTensor { reduce(.sum, nil, keepRank: keepRank) }

  /// The product along axes.
  public func product(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor {
    reduce(.product, axes.isEmpty ? nil : axes, keepRank: keepRank)
  }
  /// The product along axes.
  public func product(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    reduce(.product, axes, keepRank: keepRank)
  }
  /// The product of all elements.
  public func product(keepRank: Bool = false) -> MLTensor {
    reduce(.product, nil, keepRank: keepRank)
  }

  /// The mean along axes; of whole numbers without its fraction.
  public func mean(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor {
    reduce(.mean, axes.isEmpty ? nil : axes, keepRank: keepRank)
  }
  /// The mean along axes; of whole numbers without its fraction.
  public func mean(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    reduce(.mean, axes, keepRank: keepRank)
  }
  /// The mean of all elements; of whole numbers without its fraction.
  public func mean(keepRank: Bool = false) -> MLTensor {
    reduce(.mean, nil, keepRank: keepRank)
  }

  /// The largest element along axes.
  public func max(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor {
    reduce(.maximum, axes.isEmpty ? nil : axes, keepRank: keepRank, isExact: true)
  }
  /// The largest element along axes.
  public func max(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    reduce(.maximum, axes, keepRank: keepRank, isExact: true)
  }
  /// The largest of all elements.
  public func max(keepRank: Bool = false) -> MLTensor {
    reduce(.maximum, nil, keepRank: keepRank, isExact: true)
  }

  /// The smallest element along axes.
  public func min(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor {
    reduce(.minimum, axes.isEmpty ? nil : axes, keepRank: keepRank, isExact: true)
  }
  /// The smallest element along axes.
  public func min(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    reduce(.minimum, axes, keepRank: keepRank, isExact: true)
  }
  /// The smallest of all elements.
  public func min(keepRank: Bool = false) -> MLTensor {
    reduce(.minimum, nil, keepRank: keepRank, isExact: true)
  }

  /// Whether all elements along axes are true.
  public func all(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor {
    truth(.minimum, axes.isEmpty ? nil : axes, keepRank)
  }
  /// Whether all elements along axes are true.
  public func all(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    truth(.minimum, axes, keepRank)
  }
  /// Whether all elements are true.
  public func all(keepRank: Bool = false) -> MLTensor { truth(.minimum, nil, keepRank) }

  /// Whether any element along axes is true.
  public func any(alongAxes axes: Int..., keepRank: Bool = false) -> MLTensor {
    truth(.maximum, axes.isEmpty ? nil : axes, keepRank)
  }
  /// Whether any element along axes is true.
  public func any(alongAxes axes: [Int], keepRank: Bool = false) -> MLTensor {
    truth(.maximum, axes, keepRank)
  }
  /// Whether any element is true.
  public func any(keepRank: Bool = false) -> MLTensor { truth(.maximum, nil, keepRank) }

  private func truth(_ mode: ReductionMode, _ axes: [Int]?, _ keepRank: Bool) -> MLTensor {
    cast(to: .bool).reduce(mode, axes, keepRank: keepRank, isExact: true)
  }
}

// MARK: - Order

extension MLTensor {
  /// The position of the largest of all elements, the first of equal ones, in row-major order.
  public func argmax() -> MLTensor { flattened().argmax(alongAxis: 0) }
  /// The position of the largest element along an axis, the first of equal ones.
  public func argmax(alongAxis axis: Int, keepRank: Bool = false) -> MLTensor {
    position(.positionOfMaximum, axis, keepRank)
  }
  /// The position of the smallest of all elements, the first of equal ones, in row-major order.
  public func argmin() -> MLTensor { flattened().argmin(alongAxis: 0) }
  /// The position of the smallest element along an axis, the first of equal ones.
  public func argmin(alongAxis axis: Int, keepRank: Bool = false) -> MLTensor {
    position(.positionOfMinimum, axis, keepRank)
  }

  private func position(_ mode: ReductionMode, _ axis: Int, _ keepRank: Bool) -> MLTensor {
    // Halves and truth values are held as float32, whose positions are float32 too.
    let made: MLTensor = ordered().reduce(mode, [axis], keepRank: keepRank, isExact: true)
    return MLTensor(made.node, shape: made.shape, element: Self.element(of: made.node))
      .cast(to: .int32)
  }

  private static func element(of node: TensorNode) -> ElementType { node.type.element }

  /// The positions that sort the elements along an axis; equal ones keep their order.
  public func argsort(alongAxis axis: Int = -1, descendingOrder: Bool = false) -> MLTensor {
    let whole: MLTensor = ordered()
    return MLTensor.make(
      ArgSortOperator(axis: self.axis(axis), isDescending: descendingOrder), of: [whole],
      element: whole.element
    ).cast(to: .int32)
  }

  /// The largest elements along the last axis, the largest first, and their positions.
  public func topK(_ k: Int) -> (values: MLTensor, indices: MLTensor) {
    let whole: MLTensor = ordered()
    let sorted = TensorOperation(
      TopKOperator(axis: whole.axis(-1), count: k), [whole.node])
    let values: MLTensor = .make(sorted, element: whole.element, output: 0)
    let indices: MLTensor = .make(sorted, element: whole.element, output: 1)
    let sortedValues: MLTensor = element == .uint32 ? values.unbiased() : values.cast(to: element)
    return (sortedValues, indices.cast(to: .int32))
  }

  /// The elements in a type that sorts them as their own does: integers as int32, others as `float32`.
  private func ordered() -> MLTensor {
    if element == .uint32 { return biased() }
    return element.heldInTensors == .int32
      ? MLTensor(node, shape: shape, element: .int32) : cast(to: .float32)
  }

  /// uint32 less 2³¹, as int32: in the same order.
  private func biased() -> MLTensor {
    MLTensor(node, shape: shape, element: .int32) - MLTensor(Int32.min)
  }

  /// What `biased` was made of.
  private func unbiased() -> MLTensor {
    let held: MLTensor = self + MLTensor(Int32.min)
    return MLTensor(held.node, shape: held.shape, element: .uint32)
  }

  /// The sums of all elements along an axis up to each place.
  public func cumulativeSum(alongAxis axis: Int = 0) -> MLTensor {
    let sums: any Operator = CumSumOperator(axis: self.axis(axis))
    if element == .bool {
      return MLTensor.make(sums, of: [cast(to: .float32)], element: .float32).cast(to: element)
    }
    return MLTensor.make(sums, of: [self], element: element).narrowed()
  }

  /// The products of all elements along an axis up to each place.
  public func cumulativeProduct(alongAxis axis: Int = 0) -> MLTensor {
    let axis: Int = self.axis(axis)
    let length: Int = shape[axis]
    var product: MLTensor = self
    // Each turn multiplies by the products that end as many places before as they are long.
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
