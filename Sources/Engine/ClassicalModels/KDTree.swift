/// A k-d tree. If points have few dimensions, it finds the nearest points to a query without comparing the query with
/// all points.
///
/// Each node halves its points at the median of the axis with the widest spread. A search enters a half only if a point
/// of the half may be nearer than one of the points found so far. The tree finds the same neighbours as
/// ``ExamplePoints/nearest(_:to:)``, in the same order.
///
/// **Source:** Friedman, Bentley, Finkel, “An Algorithm for Finding Best Matches in Logarithmic Expected Time”, ACM
/// Trans. Math. Softw. 3 (1977), doi:10.1145/355744.355745. The distance to a half is computed as in Arya, Mount,
/// “Algorithms for Fast Vector Quantization” (DCC 1993).
struct KDTree: Sendable {
  private enum Node {
    /// A leaf with the points in a range of `order`.
    case leaf(Range<Int>)
    /// Two halves: points whose coordinate on the axis is at most `threshold`, and points whose coordinate is at least
    /// `threshold`.
    case split(axis: Int, threshold: Double, lower: Int, upper: Int)
  }

  private let points: ExamplePoints
  private var order: [Int]
  private var nodes: [Node] = []
  private let leafSize: Int

  /// Builds the tree. Nil if a point has a value that is not finite.
  ///
  /// - Parameter leafSize: The largest number of points in a leaf. A number below 1 counts as 1.
  init?(_ points: ExamplePoints, leafSize: Int) {
    guard points.areFinite else { return nil }
    self.points = points
    self.leafSize = max(1, leafSize)
    order = Array(0..<points.count)
    _ = build(0..<points.count)
  }

  /// The number of nodes, including leaves.
  var nodeCount: Int { nodes.count }

  /// Builds the node for a range of `order` and returns the node's index. Splits the points in the middle of their
  /// order along an axis, so that the depth of the tree is the logarithm of the number of points.
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
    let threshold = Double(points.value(order[middle], axis: axis))
    let lower: Int = build(range.lowerBound..<middle)
    let upper: Int = build(middle..<range.upperBound)
    nodes[index] = .split(axis: axis, threshold: threshold, lower: lower, upper: upper)
    return index
  }

  /// Returns the axis with the widest spread of points. Nil if all points are equal.
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

  /// Returns the nearest points, nearest first. Points at the same distance are in the order of the examples.
  func nearest(_ count: Int, to query: [Double]) -> [Neighbor] {
    guard query.allSatisfy(\.isFinite) else { return points.nearest(count, to: query) }
    var found = NearestList(count)
    var offsets: [Double] = Array(repeating: 0, count: points.dimension)
    search(0, query, distance: 0, &offsets, &found)
    return found.neighbors
  }

  /// Searches a node. The node's region is bounded by the splits above the node. `offsets` holds, for each axis, the
  /// distance along this axis from the query to that region. `distance` is the sum of the squares of the offsets. No
  /// point of the node has a smaller squared distance from the query.
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
    case .split(let axis, let threshold, let lower, let upper):
      let offset: Double = query[axis] - threshold
      let (near, far): (Int, Int) = offset < 0 ? (lower, upper) : (upper, lower)
      search(near, query, distance: distance, &offsets, &found)
      let old: Double = offsets[axis]
      let beyond: Double = max(0, distance - old * old) + offset * offset
      // The comparison has a small tolerance. `beyond` and the squared distances of points are sums in different
      // orders, so they are rounded differently.
      guard beyond * (1 - 1e-12) <= found.reach else { return }
      offsets[axis] = offset
      search(far, query, distance: beyond, &offsets, &found)
      offsets[axis] = old
    }
  }
}
