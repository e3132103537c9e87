import Engine

extension MLTensor {
  /// The same elements in row-major order under another shape, of which one length may be −1: what is left.
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
    let held: Shape = Self.held(target)
    if held == node.type.shape { return MLTensor(node, shape: target, element: element) }
    return .make(
      ReshapeStaticOperator(targetShape: held.dimensions), of: [self], element: element,
      shape: target, isExact: true)
  }

  /// The elements along one axis, in row-major order.
  public func flattened() -> MLTensor { reshaped(to: [scalarCount]) }

  /// The same elements with new axes of length 1, at their places in the result.
  public func expandingShape(at axes: Int...) -> MLTensor { expandingShape(at: axes) }

  /// The same elements with new axes of length 1, at their places in the result.
  public func expandingShape(at axes: [Int]) -> MLTensor {
    let newRank: Int = rank + axes.count
    let places: [Int] = axes.map { $0 < 0 ? $0 + newRank : $0 }
    precondition(
      Set(places).count == axes.count && places.allSatisfy { (0..<newRank).contains($0) },
      "A tensor of shape \(shape) cannot have new axes at \(axes).")
    var lengths: ArraySlice<Int> = shape[...]
    return reshaped(
      to: (0..<newRank).map { places.contains($0) ? 1 : lengths.removeFirst() })
  }

  /// The same elements without the axes of length 1.
  public func squeezingShape() -> MLTensor { reshaped(to: shape.filter { $0 != 1 }) }

  /// The same elements without some axes of length 1.
  public func squeezingShape(at axes: Int...) -> MLTensor { squeezingShape(at: axes) }

  /// The same elements without some axes of length 1.
  public func squeezingShape(at axes: [Int]) -> MLTensor {
    let removed: Set<Int> = Set(axes.map(axis))
    precondition(
      removed.allSatisfy { shape[$0] == 1 },
      "The axes \(axes) of a tensor of shape \(shape) do not all have the length 1.")
    return reshaped(to: shape.indices.filter { !removed.contains($0) }.map { shape[$0] })
  }

  /// The axes in the opposite order.
  public func transposed() -> MLTensor {
    transposed(permutation: Array(shape.indices.reversed()))
  }

  /// The axes in another order.
  public func transposed(permutation: Int...) -> MLTensor { transposed(permutation: permutation) }

  /// The axes in another order.
  public func transposed(permutation: [Int]) -> MLTensor {
    let axes: [Int] = permutation.map(axis)
    precondition(
      axes.sorted() == Array(shape.indices),
      "\(permutation) is no order of the axes of a tensor of shape \(shape).")
    if axes == Array(shape.indices) { return self }
    return move(TransposeOperator(axes: axes))
  }

  /// The elements in the opposite order along axes.
  public func reversed(alongAxes axes: Int...) -> MLTensor { reversed(alongAxes: axes) }

  /// The elements in the opposite order along axes.
  public func reversed(alongAxes axes: [Int]) -> MLTensor {
    let turned: Set<Int> = Set(axes.map(axis))
    if turned.isEmpty { return self }
    return move(ReverseOperator(isReversed: shape.indices.map { turned.contains($0) }))
  }

  /// The tensor repeated along each axis.
  public func tiled(multiples: [Int]) -> MLTensor {
    precondition(
      multiples.count == rank,
      "A tensor of shape \(shape) is repeated along \(rank) axes, not \(multiples.count).")
    if isScalar { return self }
    return move(TileOperator(repetitions: multiples))
  }

  /// The elements of each matrix near its diagonal, and zeros elsewhere; a negative count keeps all.
  public func bandPart(lowerBandCount: Int, upperBandCount: Int) -> MLTensor {
    move(MatrixBandPartOperator(lower: lowerBandCount, upper: upperBandCount))
  }

  private func move(_ operation: any Operator) -> MLTensor {
    .make(operation, of: [self], element: element, isExact: true)
  }
}

// MARK: - Joining and cutting

extension MLTensor {
  /// Joins tensors along an axis. All must have the same shape but for that axis.
  public init(concatenating tensors: some Collection<MLTensor>, alongAxis axis: Int = 0) {
    guard let first = tensors.first else {
      preconditionFailure("Joining tensors needs at least one.")
    }
    let parts: [MLTensor] = tensors.map { $0.cast(to: first.element) }
    self =
      parts.count == 1
      ? first
      : .make(
        ConcatNDOperator(axis: first.axis(axis)), of: parts, element: first.element,
        isExact: true)
  }

  /// Joins tensors of one shape along a new axis.
  public init(stacking tensors: some Collection<MLTensor>, alongAxis axis: Int = 0) {
    let place: Int = axis < 0 ? axis + (tensors.first?.rank ?? 0) + 1 : axis
    self.init(concatenating: tensors.map { $0.expandingShape(at: place) }, alongAxis: place)
  }

  /// This tensor and another behind it along an axis.
  public func concatenated(with other: MLTensor, alongAxis axis: Int = 0) -> MLTensor {
    MLTensor(concatenating: [self, other], alongAxis: axis)
  }

  /// Parts of equal length along an axis.
  public func split(count: Int, alongAxis axis: Int = 0) -> [MLTensor] {
    let length: Int = shape[self.axis(axis)]
    precondition(
      count > 0 && length % count == 0, "\(length) elements cannot be split into \(count) parts.")
    return split(sizes: [Int](repeating: length / count, count: count), alongAxis: axis)
  }

  /// Parts of given lengths along an axis.
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

  /// The slices along an axis, without that axis.
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
  /// What stands around a padded tensor.
  public enum PaddingMode: Sendable {
    /// One number.
    case constant(Float)
    /// The elements in mirror order, the outermost not repeated.
    case reflection
    /// The elements in mirror order, the outermost repeated.
    case symmetric
  }

  /// The tensor with a number around it.
  public func padded(forSizes sizes: [(before: Int, after: Int)], with value: Float) -> MLTensor {
    padded(forSizes: sizes, mode: .constant(value))
  }

  /// The tensor with something around it.
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
      let places: [Int32] = (-size.before..<length + size.after).map { place in
        let mirrored: Int =
          place < 0
          ? -place - offset : place >= length ? 2 * length - 2 - place + offset : place
        return Int32(mirrored)
      }
      result = result.gathering(atIndices: MLTensor(places), alongAxis: axis)
    }
    return result
  }
}

// MARK: - Products of matrices

extension MLTensor {
  /// The product of matrices, which lie in the last two axes; the others are stretched to each other. A tensor
  /// of one axis is a row on the left and a column on the right.
  public func matmul(_ other: MLTensor) -> MLTensor {
    precondition(rank > 0 && other.rank > 0, "A single number is no matrix.")
    let left: MLTensor = rank == 1 ? expandingShape(at: 0) : self
    let right: MLTensor = other.rank == 1 ? other.expandingShape(at: 1) : other
    let isWhole: Bool =
      self.element.heldInTensors == .int32 && other.element.heldInTensors == .int32
    let element: ElementType =
      isWhole
      ? self.element
      : self.element == .float16 && other.element == .float16 ? .float16 : .float32
    // Sums of products of integers keep their low bits, which those of operands decide.
    let held: ElementType = isWhole ? .int32 : element
    let product: MLTensor = .make(
      BatchedMatMulOperator(), of: [left, right].map { $0.cast(to: held) }, element: held)
    let made: MLTensor = isWhole ? product.cast(to: element) : product
    var result: [Int] = made.shape
    if other.rank == 1 { result.removeLast() }
    if rank == 1 { result.remove(at: result.count - (other.rank == 1 ? 1 : 2)) }
    let isLogic: Bool = self.element == .bool && other.element.isInteger
    return made.reshaped(to: result).cast(to: isLogic ? self.element : element)
  }
}
