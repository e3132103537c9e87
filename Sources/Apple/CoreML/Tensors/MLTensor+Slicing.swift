import Engine

extension MLTensor {
  /// A part of the tensor. The first range selects elements of the first axis, the second range of the second axis, and
  /// so on. `nil` or a missing range selects all elements of its axis.
  public subscript(ranges: (any MLTensorRangeExpression)?...) -> MLTensor {
    sliced(ranges, [])
  }

  /// A part of the tensor. The ranges select elements of the last axes. The result has all elements of the other axes.
  public subscript(
    firstRange: (UnboundedRange_) -> Void, trailingRanges: (any MLTensorRangeExpression)?...
  ) -> MLTensor {
    sliced([], trailingRanges)
  }

  /// A part of the tensor. The ranges select elements of the first and the last axes. The result has all elements of
  /// the axes between them.
  public subscript(
    firstRange: (any MLTensorRangeExpression)?, secondRange: (UnboundedRange_) -> Void,
    trailingRanges: (any MLTensorRangeExpression)?...
  ) -> MLTensor {
    sliced([firstRange], trailingRanges)
  }

  /// A part of the tensor. The ranges select elements of the first and the last axes. The result has all elements of
  /// the axes between them.
  public subscript(
    firstRange: (any MLTensorRangeExpression)?, secondRange: (any MLTensorRangeExpression)?,
    thirdRange: (UnboundedRange_) -> Void, trailingRanges: (any MLTensorRangeExpression)?...
  ) -> MLTensor {
    sliced([firstRange, secondRange], trailingRanges)
  }

  /// A part of the tensor. The ranges select elements of the first and the last axes. The result has all elements of
  /// the axes between them.
  public subscript(
    firstRange: (any MLTensorRangeExpression)?, secondRange: (any MLTensorRangeExpression)?,
    thirdRange: (any MLTensorRangeExpression)?, fourthRange: (UnboundedRange_) -> Void,
    trailingRanges: (any MLTensorRangeExpression)?...
  ) -> MLTensor {
    sliced([firstRange, secondRange, thirdRange], trailingRanges)
  }

  private func sliced(
    _ leading: [(any MLTensorRangeExpression)?], _ trailing: [(any MLTensorRangeExpression)?]
  ) -> MLTensor {
    func kinds(_ ranges: [(any MLTensorRangeExpression)?]) -> [MLTensorRange.Kind] {
      ranges.map { $0?._tensorRange.kind ?? .slice(begin: nil, end: nil, stride: 1) }
    }
    func axes(_ kinds: [MLTensorRange.Kind]) -> Int {
      kinds.count { if case .newAxis = $0 { false } else { true } }
    }
    let (first, last) = (kinds(leading), kinds(trailing))
    let left: Int = rank - axes(first) - axes(last)
    precondition(
      left >= 0,
      "\(axes(first) + axes(last)) ranges were given for a tensor of shape \(shape).")
    let complete = [MLTensorRange.Kind](
      repeating: .slice(begin: nil, end: nil, stride: 1), count: left)
    return sliced(first + complete + last)
  }

  /// - Parameter kinds: One entry for each axis of this tensor, and one entry for each new axis.
  private func sliced(_ kinds: [MLTensorRange.Kind]) -> MLTensor {
    var slices: [AxisSlice] = []
    var result: [Int?] = []
    for kind in kinds {
      let axis: Int = slices.count
      switch kind {
      case .newAxis: result.append(1)
      case .squeezeAxis:
        precondition(
          shape[axis] == 1, "The axis \(axis) of a tensor of shape \(shape) cannot be dropped.")
        slices.append(AxisSlice())
      case .index(let index):
        let position: Int = index < 0 ? index + shape[axis] : index
        precondition(
          (0..<shape[axis]).contains(position),
          "Index \(index) is out of range for axis \(axis) of a tensor of shape \(shape).")
        slices.append(AxisSlice(begin: position, end: position + 1))
      case .slice(let begin, let end, let stride):
        slices.append(AxisSlice(begin: begin, end: end, stride: stride))
        result.append(nil)
      }
    }
    let takesAll: Bool = slices.allSatisfy { $0 == AxisSlice() }
    let cut: MLTensor =
      takesAll
      ? self
      : .make(
        SliceStaticOperator(slices: slices), of: [self], element: element, isExact: true)
    // The lengths of the axes of this tensor that the result keeps, outermost first.
    var kept: [Int] = []
    var axis = 0
    for kind in kinds {
      switch kind {
      case .newAxis: continue
      case .slice: kept.append(cut.shape[axis])
      default: break
      }
      axis += 1
    }
    var lengths: ArraySlice<Int> = kept[...]
    return cut.reshaped(to: result.map { $0 ?? lengths.removeFirst() })
  }
}
