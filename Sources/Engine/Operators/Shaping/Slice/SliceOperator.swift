import Graph

/// Keeps every *stride*-th channel, row or column from a start to before an end.
///
/// `y = x[…, start:end:stride, …]`, as NumPy slices.
///
/// - Input: any rank that has the axis: three for channels, two for rows, one for columns.
/// - Output: the same rank; the axis has ⌈(end − start) / stride⌉ elements.
/// - Negative start and end count from the end of the axis; both are then bounded by it.
///
/// **Source:** `SliceLayerParams`; for several axes see ``SliceStaticOperator``.
public struct SliceOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "Slice", summary: "keeps a range of channels, rows or columns")

  /// What is sliced.
  public enum Axis: Int, Sendable, Hashable {
    /// Axis −3.
    case channel = -3
    /// Axis −2.
    case height = -2
    /// Axis −1.
    case width = -1
  }

  /// What is sliced.
  public let axis: Axis
  /// The first element kept; negative counts from the end.
  public let start: Int
  /// The element before which to stop; negative counts from the end.
  public let end: Int
  /// Elements from one kept to the next; at least 1.
  public let stride: Int

  /// A range of one axis.
  public init(axis: Axis, start: Int, end: Int, stride: Int = 1) {
    self.axis = axis
    self.start = start
    self.end = end
    self.stride = stride
  }

  package func range(_ extent: Int) -> SliceRange {
    SliceRange(begin: start, end: end, stride: stride, extent: extent)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    var shape: Shape = inputs[0].shape
    try shape.requireRank(atLeast: -axis.rawValue)
    shape[axis.rawValue] = range(shape[axis.rawValue]).count
    return [inputs[0].type.reshaped(to: shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let input = inputs[0]
    let axis: Int = input.shape.rank + self.axis.rawValue
    let range: SliceRange = range(input.shape[axis])
    var shape: Shape = input.shape
    shape[axis] = range.count
    return [
      ReferenceTensor(shape) { index in
        var source = index
        source[axis] = range.first + index[axis] * stride
        return input[source]
      }
    ]
  }
}

/// What a slice with a step takes from an axis, as Python and NumPy define it: bounds are moved into
/// the axis, and a negative stride runs backwards.
package struct SliceRange: Sendable, Equatable {
  /// The first element taken.
  package let first: Int
  /// The number of elements taken.
  package let count: Int

  /// Nil bounds are open: the end of the axis that the stride starts from or runs to.
  package init(begin: Int?, end: Int?, stride: Int, extent: Int) {
    let lowest: Int = stride < 0 ? -1 : 0
    let highest: Int = stride < 0 ? extent - 1 : extent
    func inside(_ value: Int) -> Int {
      min(max(value < 0 ? value + extent : value, lowest), highest)
    }
    let from: Int = begin.map(inside) ?? (stride < 0 ? highest : lowest)
    let to: Int = end.map(inside) ?? (stride < 0 ? lowest : highest)
    let distance: Int = stride < 0 ? from - to : to - from
    first = from
    let step = Int(bounding: stride.magnitude, to: 1...Int.max)
    count = distance <= 0 ? 0 : (distance - 1) / step + 1
  }
}
