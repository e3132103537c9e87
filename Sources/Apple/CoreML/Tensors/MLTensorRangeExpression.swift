/// A subscript of one axis of a tensor: an integer, a range, or one of this protocol's static members.
public protocol MLTensorRangeExpression: Sendable {
  /// The elements that the subscript selects, and whether the result keeps the axis.
  var _tensorRange: MLTensorRange { get }
}

/// A subscript of one axis of a tensor. An implementation detail, public only because ``MLTensorRangeExpression`` names
/// it.
public struct MLTensorRange: MLTensorRangeExpression {
  enum Kind: Sendable {
    case slice(begin: Int?, end: Int?, stride: Int)
    case index(Int)
    case newAxis
    case squeezeAxis
  }

  let kind: Kind

  /// The range itself.
  public var _tensorRange: MLTensorRange { self }
}

extension MLTensorRangeExpression where Self == MLTensorRange {
  /// All elements of the axis.
  public static var fillAll: any MLTensorRangeExpression {
    MLTensorRange(kind: .slice(begin: nil, end: nil, stride: 1))
  }
  /// Selects one element of the axis. The result does not have the axis. A negative index counts from the end.
  public static func index(_ index: Int) -> any MLTensorRangeExpression {
    MLTensorRange(kind: .index(index))
  }
  /// A new axis of length 1.
  public static var newAxis: any MLTensorRangeExpression { MLTensorRange(kind: .newAxis) }
  /// Removes an axis of length 1.
  public static var squeezeAxis: any MLTensorRangeExpression { MLTensorRange(kind: .squeezeAxis) }
  /// Selects every `stride`-th element of a range.
  public static func range(_ range: Range<Int>, stride: Int = 1) -> any MLTensorRangeExpression {
    MLTensorRange(kind: .slice(begin: range.lowerBound, end: range.upperBound, stride: stride))
  }
  /// Selects every `stride`-th element of a range.
  public static func closedRange(
    _ range: ClosedRange<Int>, stride: Int = 1
  ) -> any MLTensorRangeExpression {
    MLTensorRange(
      kind: .slice(begin: range.lowerBound, end: pastEnd(range.upperBound), stride: stride))
  }
  /// Selects every `stride`-th element from the lower bound to the end of the axis.
  public static func partialRangeFrom(
    _ range: PartialRangeFrom<Int>, stride: Int = 1
  ) -> any MLTensorRangeExpression {
    MLTensorRange(kind: .slice(begin: range.lowerBound, end: nil, stride: stride))
  }
  /// Selects every `stride`-th element from the start of the axis up to the upper bound. The upper bound is not
  /// included.
  public static func partialRangeUpTo(
    _ range: PartialRangeUpTo<Int>, stride: Int = 1
  ) -> any MLTensorRangeExpression {
    MLTensorRange(kind: .slice(begin: nil, end: range.upperBound, stride: stride))
  }
  /// Selects every `stride`-th element from the start of the axis up to the upper bound. The upper bound is included.
  public static func partialRangeUpTo(
    _ range: PartialRangeThrough<Int>, stride: Int = 1
  ) -> any MLTensorRangeExpression {
    MLTensorRange(kind: .slice(begin: nil, end: pastEnd(range.upperBound), stride: stride))
  }
}

/// Returns the end of the half-open range whose last index is `last`. If `last` is −1, the last element of the axis,
/// the result is nil, the end of the axis.
private func pastEnd(_ last: Int) -> Int? { last == -1 ? nil : last + 1 }

extension Int: MLTensorRangeExpression {
  /// One element of the axis. The result does not have the axis.
  public var _tensorRange: MLTensorRange { MLTensorRange(kind: .index(self)) }
}

extension Range: MLTensorRangeExpression where Bound == Int {
  /// The elements in the range.
  public var _tensorRange: MLTensorRange {
    MLTensorRange(kind: .slice(begin: lowerBound, end: upperBound, stride: 1))
  }
}

extension ClosedRange: MLTensorRangeExpression where Bound == Int {
  /// The elements in the range.
  public var _tensorRange: MLTensorRange {
    MLTensorRange(kind: .slice(begin: lowerBound, end: pastEnd(upperBound), stride: 1))
  }
}

extension PartialRangeFrom: MLTensorRangeExpression where Bound == Int {
  /// The elements from the lower bound to the end of the axis.
  public var _tensorRange: MLTensorRange {
    MLTensorRange(kind: .slice(begin: lowerBound, end: nil, stride: 1))
  }
}

extension PartialRangeUpTo: MLTensorRangeExpression where Bound == Int {
  /// The elements from the start of the axis up to the bound. The bound is not included.
  public var _tensorRange: MLTensorRange {
    MLTensorRange(kind: .slice(begin: nil, end: upperBound, stride: 1))
  }
}

extension PartialRangeThrough: MLTensorRangeExpression where Bound == Int {
  /// The elements from the start of the axis up to the bound. The bound is included.
  public var _tensorRange: MLTensorRange {
    MLTensorRange(kind: .slice(begin: nil, end: pastEnd(upperBound), stride: 1))
  }
}
