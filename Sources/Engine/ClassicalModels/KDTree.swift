/// Finds the nearest points without looking at all of them, where the dimension is small.
///
/// Each node halves its points at the median of the axis on which they spread widest; a search goes
/// into a half only where that may hold something nearer than what is known. It finds the very
/// neighbours that ``ExamplePoints/nearest(_:to:)`` finds, in the same order.
///
/// **Source:** Friedman, Bentley, Finkel, “An Algorithm for Finding Best Matches in Logarithmic
/// Expected Time”, ACM Trans. Math. Softw. 3 (1977), doi:10.1145/355744.355745; the distance to a
/// half as in Arya, Mount, “Algorithms for Fast Vector Quantization” (DCC 1993).
struct KDTree: Sendable {
  private enum Node {
    /// The points of `order` in a range.
    case leaf(Range<Int>)
    /// Points up to `border` on an axis lie in one half, those from it on in the other.
    case split(axis: Int, border: Double, lower: Int, upper: Int)
  }

  private let points: ExamplePoints
  private var order: [Int]
  private var nodes: [Node] = []
  private let leafSize: Int

  /// Builds the tree; nil where a point has a value that is not finite.
  ///
  /// - Parameter leafSize: The most points of a leaf; less than 1 counts as 1.
  init?(_ points: ExamplePoints, leafSize: Int) {
    guard points.areFinite else { return nil }
    self.points = points
    self.leafSize = max(1, leafSize)
    order = Array(0..<points.count)
    _ = build(0..<points.count)
  }

  /// The number of nodes, leaves included.
  var nodeCount: Int { nodes.count }

  /// Halves are split by position, so that the depth is the logarithm of the number of points.
  private mutating func build(_ range: Range<Int>) -> Int {
    let index: Int = nodes.count
    nodes.append(.leaf(range))
    guard range.count > leafSize, let axis = widestAxis(range) else { return index }
    let points: ExamplePoints = self.points
    order[range].sort { left, right in
      let (a, b): (Float, Float) = (points.value(left, axis: axis), points.value(right, axis: axis))
      return a == b ? left < right : a < b
    }
    let middle: Int = range.lowerBound + range.count / 2
    let border = Double(points.value(order[middle], axis: axis))
    let lower: Int = build(range.lowerBound..<middle)
    let upper: Int = build(middle..<range.upperBound)
    nodes[index] = .split(axis: axis, border: border, lower: lower, upper: upper)
    return index
  }

  /// The axis on which the points spread widest; nil where they are all the same.
  private func widestAxis(_ range: Range<Int>) -> Int? {
    var best: Int?
    var widest: Float = 0
    for axis in 0..<points.dimension {
      var low: Float = .infinity
      var high: Float = -.infinity
      for point in order[range] {
        let value: Float = points.value(point, axis: axis)
        low = min(low, value)
        high = max(high, value)
      }
      if high - low > widest { (best, widest) = (axis, high - low) }
    }
    return best
  }

  /// The nearest points, nearest first, earlier ones first among those of one distance.
  func nearest(_ count: Int, to query: [Double]) -> [Neighbor] {
    guard query.allSatisfy(\.isFinite) else { return points.nearest(count, to: query) }
    var found = NearestList(count)
    var offsets: [Double] = Array(repeating: 0, count: points.dimension)
    search(0, query, distance: 0, &offsets, &found)
    return found.neighbors
  }

  /// Looks into a node that lies at least `distance` (squared) away, by `offsets` on each axis.
  private func search(
    _ node: Int, _ query: [Double], distance: Double, _ offsets: inout [Double],
    _ found: inout NearestList
  ) {
    switch nodes[node] {
    case .leaf(let range):
      for point in order[range] {
        found.insert(
          Neighbor(distance: points.squaredDistance(of: point, to: query), example: point))
      }
    case .split(let axis, let border, let lower, let upper):
      let offset: Double = query[axis] - border
      let (near, far): (Int, Int) = offset < 0 ? (lower, upper) : (upper, lower)
      search(near, query, distance: distance, &offsets, &found)
      let old: Double = offsets[axis]
      let beyond: Double = max(0, distance - old * old) + offset * offset
      // A little slack: the sums of the two searches are rounded differently.
      guard beyond * (1 - 1e-12) <= found.reach else { return }
      offsets[axis] = offset
      search(far, query, distance: beyond, &offsets, &found)
      offsets[axis] = old
    }
  }
}
