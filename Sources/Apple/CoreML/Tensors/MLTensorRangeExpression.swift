/// What of an axis a subscript of a tensor takes: whole numbers, ranges, and the names below.
public protocol MLTensorRangeExpression: Sendable {
  /// What is taken, and what becomes of the axis.
  var _tensorRange: MLTensorRange { get }
}

/// What of an axis a subscript of a tensor takes. An implementation detail, public only because the protocol
/// names it.
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
  /// One element of the axis, which is dropped; a negative index counts from the end.
  public static func index(_ index: Int) -> any MLTensorRangeExpression {
    MLTensorRange(kind: .index(index))
  }
  /// A new axis of length 1.
  public static var newAxis: any MLTensorRangeExpression { MLTensorRange(kind: .newAxis) }
  /// An axis of length 1, which is dropped.
  public static var squeezeAxis: any MLTensorRangeExpression { MLTensorRange(kind: .squeezeAxis) }
  /// Elements of the axis, in steps.
  public static func range(_ range: Range<Int>, stride: Int = 1) -> any MLTensorRangeExpression {
    MLTensorRange(kind: .slice(begin: range.lowerBound, end: range.upperBound, stride: stride))
  }
  /// Elements of the axis, in steps.
  public static func closedRange(
    _ range: ClosedRange<Int>, stride: Int = 1
  ) -> any MLTensorRangeExpression {
    MLTensorRange(
      kind: .slice(begin: range.lowerBound, end: pastEnd(range.upperBound), stride: stride))
  }
  /// Elements of the axis from one on, in steps.
  public static func partialRangeFrom(
    _ range: PartialRangeFrom<Int>, stride: Int = 1
  ) -> any MLTensorRangeExpression {
    MLTensorRange(kind: .slice(begin: range.lowerBound, end: nil, stride: stride))
  }
  /// Elements of the axis up to one, in steps.
  public static func partialRangeUpTo(
    _ range: PartialRangeUpTo<Int>, stride: Int = 1
  ) -> any MLTensorRangeExpression {
    MLTensorRange(kind: .slice(begin: nil, end: range.upperBound, stride: stride))
  }
  /// Elements of the axis up to one and with it, in steps.
  public static func partialRangeUpTo(
    _ range: PartialRangeThrough<Int>, stride: Int = 1
  ) -> any MLTensorRangeExpression {
    MLTensorRange(kind: .slice(begin: nil, end: pastEnd(range.upperBound), stride: stride))
  }
}

/// The end of a range with its last element; nil for one that ends with the axis.
private func pastEnd(_ last: Int) -> Int? { last == -1 ? nil : last + 1 }

extension Int: MLTensorRangeExpression {
  /// One element of the axis, which is dropped.
  public var _tensorRange: MLTensorRange { MLTensorRange(kind: .index(self)) }
}

extension Range: MLTensorRangeExpression where Bound == Int {
  /// Elements of the axis.
  public var _tensorRange: MLTensorRange {
    MLTensorRange(kind: .slice(begin: lowerBound, end: upperBound, stride: 1))
  }
}

extension ClosedRange: MLTensorRangeExpression where Bound == Int {
  /// Elements of the axis.
  public var _tensorRange: MLTensorRange {
    MLTensorRange(kind: .slice(begin: lowerBound, end: pastEnd(upperBound), stride: 1))
  }
}

extension PartialRangeFrom: MLTensorRangeExpression where Bound == Int {
  /// Elements of the axis from one on.
  public var _tensorRange: MLTensorRange {
    MLTensorRange(kind: .slice(begin: lowerBound, end: nil, stride: 1))
  }
}

extension PartialRangeUpTo: MLTensorRangeExpression where Bound == Int {
  /// Elements of the axis up to one.
  public var _tensorRange: MLTensorRange {
    MLTensorRange(kind: .slice(begin: nil, end: upperBound, stride: 1))
  }
}

extension PartialRangeThrough: MLTensorRangeExpression where Bound == Int {
  /// Elements of the axis up to one and with it.
  public var _tensorRange: MLTensorRange {
    MLTensorRange(kind: .slice(begin: nil, end: pastEnd(upperBound), stride: 1))
  }
}
