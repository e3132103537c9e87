import Graph

/// Where the elements of a tensor lie in the memory of another, dense tensor: at which index the first one is, and how far
/// apart neighbours are along each axis.
///
/// Operators that only move elements, such as slices, transpositions and repetitions, make such views. A kernel that takes
/// a view reads the other tensor directly, and nothing is copied.
public struct StridedView: Sendable, Hashable {
  /// Some of the indices of an axis: how many, and the distance between neighbours in the other tensor. The distance is 0
  /// if they are repetitions of one element.
  public struct Run: Sendable, Hashable {
    public var extent: Int
    public var stride: Int

    public init(extent: Int, stride: Int) {
      self.extent = extent
      self.stride = stride
    }
  }

  /// The index of the first element.
  public var offset: Int
  /// The runs of each axis, the outer ones first. The extent of the axis is the product of their extents. An axis of
  /// extent 1 has none.
  public var axes: [[Run]]

  /// Creates the view of a complete dense tensor.
  public init(_ shape: Shape) {
    offset = 0
    axes = zip(shape.dimensions, shape.strides).map { extent, stride in
      Self.joined([Run(extent: extent, stride: stride)])
    }
  }

  /// The shape of the tensor that the view shows.
  public var shape: Shape { Shape(axes.map { $0.map(\.extent).product }) }

  /// The indices of all elements in the other tensor, in row-major order.
  package var indices: [Int] {
    axes.joined().reduce([offset]) { outer, run in
      outer.flatMap { first in (0..<run.extent).map { first + $0 * run.stride } }
    }
  }

  /// Whether all elements are in a tensor of this shape.
  package func fits(_ shape: Shape) -> Bool {
    guard self.shape.count > 0 else { return true }
    let reach: [Int] = axes.joined().map { ($0.extent - 1) * $0.stride }
    let first: Int = reach.reduce(offset) { $0 + min(0, $1) }
    let last: Int = reach.reduce(offset) { $0 + max(0, $1) }
    return first >= 0 && last < shape.count
  }

  /// Returns the elements that the view shows of a tensor.
  package func elements(of tensor: ReferenceTensor) -> ReferenceTensor {
    ReferenceTensor(shape, indices.map { tensor.values[$0] })
  }

  /// Returns the distance between neighbours along some axes that are read as one. Nil if the distance is not always the
  /// same.
  package func stride(along axes: Range<Int>) -> Int? {
    let runs: [Run] = Self.joined(Array(self.axes[axes].joined()))
    return runs.count > 1 ? nil : runs.first?.stride ?? 0
  }

  /// The view without the repetitions of single elements along an axis, if they are the inner run of the axis.
  package func withoutRepetitions(along axis: Int) -> StridedView {
    guard let last = axes[axis].last, last.stride == 0 else { return self }
    var result = self
    result.axes[axis].removeLast()
    return result
  }

  /// Returns the view of what an operator makes of the tensor. Nil if the operator does more than move elements, or if
  /// its result is no such view.
  ///
  /// - Parameter shape: The shape of the operator's output.
  package func moved(by operation: any Operator, to shape: Shape) -> StridedView? {
    switch operation {
    case is any ReshapingOperator: return reshaped(to: shape)
    case is CopyOperator: return self
    case let transpose as TransposeOperator:
      guard let order = transpose.axes(of: self.shape) else { return nil }
      var result = self
      result.axes = order.map { axes[$0] }
      return result
    case let tile as TileOperator:
      guard let counts = tile.repetitions, counts.count == axes.count else { return nil }
      var result = self
      for (axis, count) in counts.enumerated() {
        result.axes[axis] = Self.joined([Run(extent: count, stride: 0)] + axes[axis])
      }
      return result
    case is BroadcastToStaticOperator:
      guard shape.rank == axes.count else { return nil }
      var result = self
      for (axis, extent) in shape.dimensions.enumerated() where axes[axis].isEmpty {
        result.axes[axis] = Self.joined([Run(extent: extent, stride: 0)])
      }
      return result
    case let slice as SliceStaticOperator:
      guard let slices = try? ResolvedSlices(slice.slices, of: self.shape) else { return nil }
      return sliced(slices)
    default: return nil
    }
  }

  private func sliced(_ slices: ResolvedSlices) -> StridedView? {
    var result = self
    for (axis, range) in slices.ranges.enumerated() {
      let step: Int = slices.strides[axis]
      guard range.count > 0 else { return nil }
      if range.first == 0, step == 1, range.count == axes[axis].map(\.extent).product { continue }
      guard axes[axis].count == 1 else { return nil }
      let stride: Int = axes[axis][0].stride
      result.offset += range.first * stride
      result.axes[axis] = Self.joined([Run(extent: range.count, stride: step * stride)])
    }
    result.axes = slices.kept.map { result.axes[$0] }
    return result
  }

  /// Returns the view of the same elements in the same order, with other axes. Nil if an axis would begin or end within a
  /// run.
  private func reshaped(to shape: Shape) -> StridedView? {
    var result = self
    result.axes = []
    var left: ArraySlice<Run> = Array(axes.joined())[...]
    for extent in shape.dimensions {
      var (runs, missing): ([Run], Int) = ([], extent)
      while missing > 1 {
        guard let run = left.first else { return nil }
        if missing % run.extent == 0 {
          runs.append(left.removeFirst())
          missing /= run.extent
        } else if run.extent % missing == 0 {
          let inner: Int = run.extent / missing
          runs.append(Run(extent: missing, stride: run.stride * inner))
          left[left.startIndex].extent = inner
          missing = 1
        } else {
          return nil
        }
      }
      result.axes.append(Self.joined(runs))
    }
    return left.isEmpty ? result : nil
  }

  /// Joins neighbouring runs that lie in memory like one run, and leaves out those of extent 1.
  static func joined(_ runs: [Run]) -> [Run] {
    var result: [Run] = []
    for run in runs where run.extent != 1 {
      if let last = result.last, last.stride == run.stride * run.extent {
        result[result.count - 1] = Run(extent: last.extent * run.extent, stride: run.stride)
      } else {
        result.append(run)
      }
    }
    return result
  }
}
