import Graph

/// Takes every *stride*-th channel, row or column from a start to an exclusive end.
///
/// `y = x[…, start:end:stride, …]`, as NumPy slices.
///
/// - Input: any rank that has the axis: at least three for channels, two for rows, one for columns.
/// - Output: the input's rank. The extent along the axis is ⌈(end − start) / stride⌉.
/// - A negative start or end counts from the end of the axis. Start and end are clamped to the axis.
///
/// **Source:** `SliceLayerParams`; for several axes see ``SliceStaticOperator``.
public struct SliceOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "Slice", summary: "takes a range of channels, rows or columns")

  /// The axis to slice.
  public enum Axis: Int, Sendable, Hashable {
    /// Axis −3.
    case channel = -3
    /// Axis −2.
    case height = -2
    /// Axis −1.
    case width = -1
  }

  /// The axis to slice.
  public let axis: Axis
  /// The first index; a negative one counts from the end.
  public let start: Int
  /// The exclusive end; a negative one counts from the end.
  public let end: Int
  /// The difference between neighbouring indices; at least 1.
  public let stride: Int

  /// Creates a slice of one axis.
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

/// The indices that a slice with a stride takes from an axis, as in Python and NumPy. Bounds are clamped to the axis. A
/// negative stride gives descending indices.
package struct SliceRange: Sendable, Equatable {
  /// The first index.
  package let first: Int
  /// The number of indices.
  package let count: Int

  /// Resolves the bounds of a slice for an axis of this extent. A nil bound is open. If `begin` is nil, the slice
  /// starts at the first element in the stride's direction. If `end` is nil, the slice runs to the last element in that
  /// direction.
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
