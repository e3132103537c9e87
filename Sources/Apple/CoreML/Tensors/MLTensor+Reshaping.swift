import Engine

extension MLTensor {
  /// Returns the same elements in row-major order with another shape. One length may be −1. The method then computes
  /// that length from the other lengths.
  public func reshaped(to newShape: [Int]) -> MLTensor {
    var target: [Int] = newShape
    if let open = target.firstIndex(of: -1) {
      target[open] = 1
      let rest: Int = target.reduce(1, *)
      target[open] = rest == 0 ? 0 : scalarCount / rest
    }
    precondition(
      target.reduce(1, *) == scalarCount && target.allSatisfy { $0 >= 0 },
      "A tensor of shape \(shape) cannot be reshaped to \(newShape).")
    let graphShape: Shape = Self.graphShape(target)
    if graphShape == node.type.shape { return MLTensor(node, shape: target, element: element) }
    return .make(
      ReshapeStaticOperator(targetShape: graphShape.dimensions), of: [self], element: element,
      shape: target, isExact: true)
  }

  /// Returns a one-dimensional tensor of all elements in row-major order.
  public func flattened() -> MLTensor { reshaped(to: [scalarCount]) }

  /// Returns the same elements with new axes of length 1.
  ///
  /// - Parameter axes: The indices of the new axes in the result's shape. Negative indices count from the end.
  public func expandingShape(at axes: Int...) -> MLTensor { expandingShape(at: axes) }

  /// Returns the same elements with new axes of length 1.
  ///
  /// - Parameter axes: The indices of the new axes in the result's shape. Negative indices count from the end. An index
  ///   that occurs twice inserts two axes at the same place.
  public func expandingShape(at axes: [Int]) -> MLTensor {
    let newRank: Int = rank + axes.count
    let newAxes: [Int] = axes.map { $0 < 0 ? $0 + newRank : $0 }
    var lengths: [Int] = shape
    for axis in newAxes.sorted() {
      precondition(
        (0...lengths.count).contains(axis),
        "A tensor of shape \(shape) cannot have new axes at \(axes).")
      lengths.insert(1, at: axis)
    }
    return reshaped(to: lengths)
  }

  /// Returns the same elements without the axes of length 1.
  public func squeezingShape() -> MLTensor { reshaped(to: shape.filter { $0 != 1 }) }

  /// Returns the same elements without the given axes. These axes must have length 1.
  public func squeezingShape(at axes: Int...) -> MLTensor { squeezingShape(at: axes) }

  /// Returns the same elements without the given axes. These axes must have length 1.
  public func squeezingShape(at axes: [Int]) -> MLTensor {
    let removed: Set<Int> = Set(axes.map(axis))
    precondition(
      removed.allSatisfy { shape[$0] == 1 },
      "The axes \(axes) of a tensor of shape \(shape) do not all have the length 1.")
    return reshaped(to: shape.indices.filter { !removed.contains($0) }.map { shape[$0] })
  }

  /// Returns the same elements with the order of the axes reversed.
  public func transposed() -> MLTensor {
    transposed(permutation: Array(shape.indices.reversed()))
  }

  /// Returns the same elements with the axes in another order. Axis `i` of the result is axis `permutation[i]` of this
  /// tensor.
  public func transposed(permutation: Int...) -> MLTensor { transposed(permutation: permutation) }

  /// Returns the same elements with the axes in another order. Axis `i` of the result is axis `permutation[i]` of this
  /// tensor.
  public func transposed(permutation: [Int]) -> MLTensor {
    let axes: [Int] = permutation.map(axis)
    precondition(
      axes.sorted() == Array(shape.indices),
      "\(permutation) is not a permutation of the axes of a tensor of shape \(shape).")
    if axes == Array(shape.indices) { return self }
    return move(TransposeOperator(axes: axes))
  }

  /// Returns the elements in reversed order along the given axes.
  public func reversed(alongAxes axes: Int...) -> MLTensor { reversed(alongAxes: axes) }

  /// Returns the elements in reversed order along the given axes.
  public func reversed(alongAxes axes: [Int]) -> MLTensor {
    let reversedAxes: Set<Int> = Set(axes.map(axis))
    if reversedAxes.isEmpty { return self }
    return move(ReverseOperator(isReversed: shape.indices.map { reversedAxes.contains($0) }))
  }

  /// Repeats the tensor along each axis. `multiples` contains the number of copies along each axis.
  public func tiled(multiples: [Int]) -> MLTensor {
    precondition(
      multiples.count == rank,
      "A tensor of shape \(shape) is repeated along \(rank) axes, not \(multiples.count).")
    if isScalar { return self }
    return move(TileOperator(repetitions: multiples))
  }

  /// Sets the elements outside a band around the diagonal of each matrix to zero.
  ///
  /// - Parameters:
  ///   - lowerBandCount: The number of diagonals to keep below the main diagonal; negative to keep all of them.
  ///   - upperBandCount: The number of diagonals to keep above the main diagonal; negative to keep all of them.
  public func bandPart(lowerBandCount: Int, upperBandCount: Int) -> MLTensor {
    move(MatrixBandPartOperator(lower: lowerBandCount, upper: upperBandCount))
  }

  private func move(_ operation: any Operator) -> MLTensor {
    .make(operation, of: [self], element: element, isExact: true)
  }
}

// MARK: - Concatenating and splitting

extension MLTensor {
  /// Concatenates tensors along an axis. The tensors' shapes may differ only in that axis.
  public init(concatenating tensors: some Collection<MLTensor>, alongAxis axis: Int = 0) {
    guard let first = tensors.first else {
      preconditionFailure("Concatenation needs at least one tensor.")
    }
    let parts: [MLTensor] = tensors.map { $0.cast(to: first.element) }
    self =
      parts.count == 1
      ? first
      : .make(
        ConcatNDOperator(axis: first.axis(axis)), of: parts, element: first.element,
        isExact: true)
  }

  /// Stacks tensors of equal shape along a new axis.
  public init(stacking tensors: some Collection<MLTensor>, alongAxis axis: Int = 0) {
    let newAxis: Int = axis < 0 ? axis + (tensors.first?.rank ?? 0) + 1 : axis
    self.init(concatenating: tensors.map { $0.expandingShape(at: newAxis) }, alongAxis: newAxis)
  }

  /// Returns the concatenation of this tensor and `other` along an axis, with this tensor first.
  public func concatenated(with other: MLTensor, alongAxis axis: Int = 0) -> MLTensor {
    MLTensor(concatenating: [self, other], alongAxis: axis)
  }

  /// Splits the tensor into parts of equal length along an axis.
  public func split(count: Int, alongAxis axis: Int = 0) -> [MLTensor] {
    let length: Int = shape[self.axis(axis)]
    precondition(
      count > 0 && length % count == 0, "\(length) elements cannot be split into \(count) parts.")
    return split(sizes: [Int](repeating: length / count, count: count), alongAxis: axis)
  }

  /// Splits the tensor into parts of given lengths along an axis.
  public func split(sizes: [Int], alongAxis axis: Int = 0) -> [MLTensor] {
    let axis: Int = self.axis(axis)
    precondition(
      sizes.reduce(0, +) == shape[axis],
      "The sizes \(sizes) do not add up to the \(shape[axis]) elements along the axis \(axis).")
    var start = 0
    return sizes.map { size in
      defer { start += size }
      return slice(axis, start..<start + size)
    }
  }

  /// Returns the slices along an axis. The slices do not have that axis.
  public func unstacked(alongAxis axis: Int = 0) -> [MLTensor] {
    let axis: Int = self.axis(axis)
    return (0..<shape[axis]).map { slice(axis, $0..<$0 + 1).squeezingShape(at: axis) }
  }

  private func slice(_ axis: Int, _ range: Range<Int>) -> MLTensor {
    var slices = [AxisSlice](repeating: AxisSlice(), count: rank)
    slices[axis] = AxisSlice(begin: range.lowerBound, end: range.upperBound)
    return move(SliceStaticOperator(slices: slices))
  }
}

// MARK: - Padding

extension MLTensor {
  /// How padding computes the values that it adds around a tensor.
  public enum PaddingMode: Sendable {
    /// Every added value is this number.
    case constant(Float)
    /// The added values mirror the elements. The mirror is at the outermost element, so that element is not repeated.
    case reflection
    /// The added values mirror the elements. The mirror is at the edge, so the outermost element is repeated.
    case symmetric
  }

  /// Adds values, all equal to one number, before and after the elements of each axis.
  public func padded(forSizes sizes: [(before: Int, after: Int)], with value: Float) -> MLTensor {
    padded(forSizes: sizes, mode: .constant(value))
  }

  /// Adds values, which the mode determines, before and after the elements of each axis.
  public func padded(
    forSizes sizes: [(before: Int, after: Int)], mode: PaddingMode
  ) -> MLTensor {
    precondition(
      sizes.count == rank && sizes.allSatisfy { $0.before >= 0 && $0.after >= 0 },
      "A tensor of shape \(shape) is padded by \(rank) pairs of sizes of 0 or more.")
    if isScalar { return self }
    let offset: Int
    switch mode {
    case .constant(let value):
      return move(
        ConstantPadOperator(value: value, amounts: sizes.flatMap { [$0.before, $0.after] }))
    case .reflection: offset = 0
    case .symmetric: offset = 1
    }
    var result: MLTensor = self
    for (axis, size) in sizes.enumerated() where size.before > 0 || size.after > 0 {
      let length: Int = shape[axis]
      precondition(
        Swift.max(size.before, size.after) < length + offset,
        "\(length) elements are too few for mirroring \(size) of them.")
      let indices: [Int32] = (-size.before..<length + size.after).map { index in
        let mirrored: Int =
          index < 0
          ? -index - offset : index >= length ? 2 * length - 2 - index + offset : index
        return Int32(mirrored)
      }
      result = result.gathering(atIndices: MLTensor(indices), alongAxis: axis)
    }
    return result
  }
}

// MARK: - Matrix products

extension MLTensor {
  /// Returns the matrix product over the last two axes. The other axes are broadcast. A one-dimensional tensor counts
  /// as a row vector on the left side and as a column vector on the right side.
  public func matmul(_ other: MLTensor) -> MLTensor {
    precondition(
      rank > 0 && other.rank > 0, "A matrix product needs tensors with at least one axis.")
    let left: MLTensor = rank == 1 ? expandingShape(at: 0) : self
    let right: MLTensor = other.rank == 1 ? other.expandingShape(at: 1) : other
    let areIntegers: Bool =
      self.element.storageInGraphs == .int32 && other.element.storageInGraphs == .int32
    let element: ElementType =
      areIntegers
      ? self.element
      : self.element == .float16 && other.element == .float16 ? .float16 : .float32
    // The low bits of a dot product depend only on the low bits of the operands, so int32 works for every integer
    // width.
    let storage: ElementType = areIntegers ? .int32 : element
    let product: MLTensor = .make(
      BatchedMatMulOperator(), of: [left, right].map { $0.cast(to: storage) }, element: storage)
    let made: MLTensor = areIntegers ? product.cast(to: element) : product
    var result: [Int] = made.shape
    if other.rank == 1 { result.removeLast() }
    if rank == 1 { result.remove(at: result.count - (other.rank == 1 ? 1 : 2)) }
    let isLogic: Bool = self.element == .bool && other.element.isInteger
    return made.reshaped(to: result).cast(to: isLogic ? self.element : element)
  }
}
