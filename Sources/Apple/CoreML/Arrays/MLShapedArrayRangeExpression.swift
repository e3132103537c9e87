/// A subscript of one axis of a shaped array: `2`, `0..<2`, `1...` or `...3`.
public protocol MLShapedArrayRangeExpression {
  /// Returns the selected indices of an axis.
  ///
  /// - Parameter range: All indices of the axis.
  func relative(toShapedArrayAxis range: Range<Int>) -> Range<Int>
}

extension Int: MLShapedArrayRangeExpression {
  /// Returns the range that contains only this index.
  public func relative(toShapedArrayAxis range: Range<Int>) -> Range<Int> { self..<self + 1 }
}

extension Range: MLShapedArrayRangeExpression where Bound == Int {
  /// Returns the range itself.
  public func relative(toShapedArrayAxis range: Range<Int>) -> Range<Int> { self }
}

extension ClosedRange: MLShapedArrayRangeExpression where Bound == Int {
  /// Returns the half-open range with the same indices.
  public func relative(toShapedArrayAxis range: Range<Int>) -> Range<Int> {
    lowerBound..<upperBound + 1
  }
}

extension PartialRangeFrom: MLShapedArrayRangeExpression where Bound == Int {
  /// Returns the indices from the lower bound to the end of the axis.
  public func relative(toShapedArrayAxis range: Range<Int>) -> Range<Int> {
    lowerBound..<range.upperBound
  }
}

extension PartialRangeUpTo: MLShapedArrayRangeExpression where Bound == Int {
  /// Returns the indices from the start of the axis up to the bound. The bound is not included.
  public func relative(toShapedArrayAxis range: Range<Int>) -> Range<Int> {
    range.lowerBound..<upperBound
  }
}

extension PartialRangeThrough: MLShapedArrayRangeExpression where Bound == Int {
  /// Returns the indices from the start of the axis up to the bound. The bound is included.
  public func relative(toShapedArrayAxis range: Range<Int>) -> Range<Int> {
    range.lowerBound..<upperBound + 1
  }
}
