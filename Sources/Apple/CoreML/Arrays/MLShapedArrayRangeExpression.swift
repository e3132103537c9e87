/// Something that selects a range of an axis of a shaped array: `2`, `0..<2`, `1...`, `...3`.
public protocol MLShapedArrayRangeExpression {
  /// The selected range of an axis whose indices are `range`.
  func relative(toShapedArrayAxis range: Range<Int>) -> Range<Int>
}

extension Int: MLShapedArrayRangeExpression {
  /// The one index, as a range of length 1.
  public func relative(toShapedArrayAxis range: Range<Int>) -> Range<Int> { self..<self + 1 }
}

extension Range: MLShapedArrayRangeExpression where Bound == Int {
  /// The range itself.
  public func relative(toShapedArrayAxis range: Range<Int>) -> Range<Int> { self }
}

extension ClosedRange: MLShapedArrayRangeExpression where Bound == Int {
  /// The range with its last index included.
  public func relative(toShapedArrayAxis range: Range<Int>) -> Range<Int> {
    lowerBound..<upperBound + 1
  }
}

extension PartialRangeFrom: MLShapedArrayRangeExpression where Bound == Int {
  /// From the lower bound to the end of the axis.
  public func relative(toShapedArrayAxis range: Range<Int>) -> Range<Int> {
    lowerBound..<range.upperBound
  }
}

extension PartialRangeUpTo: MLShapedArrayRangeExpression where Bound == Int {
  /// From the start of the axis up to the bound.
  public func relative(toShapedArrayAxis range: Range<Int>) -> Range<Int> {
    range.lowerBound..<upperBound
  }
}

extension PartialRangeThrough: MLShapedArrayRangeExpression where Bound == Int {
  /// From the start of the axis through the bound.
  public func relative(toShapedArrayAxis range: Range<Int>) -> Range<Int> {
    range.lowerBound..<upperBound + 1
  }
}
