/// The examples of a nearest-neighbours classifier: points with the same number of coordinates, stored row by row.
struct ExamplePoints: Sendable {
  /// The number of values per point.
  let dimension: Int
  /// All values, point by point.
  let values: [Float]

  /// The number of points.
  var count: Int { values.count / dimension }

  /// Whether every value is a finite number.
  var areFinite: Bool { values.allSatisfy(\.isFinite) }

  /// Creates points of the given dimension, which is at least 1 and divides the number of values.
  init(dimension: Int, values: [Float]) {
    precondition(dimension > 0 && values.count % dimension == 0)
    self.dimension = dimension
    self.values = values
  }

  /// Returns the coordinate of a point on an axis.
  func value(_ point: Int, axis: Int) -> Float { values[point * dimension + axis] }

  /// Returns the squared Euclidean distance of a point from the query, summed over the axes in order. Returns infinity
  /// if the sum is NaN.
  func squaredDistance(of point: Int, to query: [Double]) -> Double {
    let start: Int = point * dimension
    // Safe: the query has `dimension` values, and the point is inside of the values.
    let sum: Double = values.withUnsafeBufferPointer { values in
      query.withUnsafeBufferPointer { query in
        var sum: Double = 0
        for axis in 0..<dimension {
          let difference: Double = query[axis] - Double(values[start + axis])
          sum += difference * difference
        }
        return sum
      }
    }
    return sum.isNaN ? .infinity : sum
  }

  /// Returns the nearest points, found by comparing with all points.
  func nearest(_ count: Int, to query: [Double]) -> [Neighbor] {
    var found = NearestList(count)
    for point in 0..<self.count {
      found.insert(Neighbor(distance: squaredDistance(of: point, to: query), example: point))
    }
    return found.neighbors
  }
}

/// An example with its distance from the query.
struct Neighbor: Comparable, Sendable {
  /// The squared Euclidean distance from the query.
  let distance: Double
  /// The position of the example among the examples.
  let example: Int

  /// Orders by distance, then by position.
  static func < (left: Neighbor, right: Neighbor) -> Bool {
    left.distance == right.distance ? left.example < right.example : left.distance < right.distance
  }
}

/// The nearest neighbours found so far, nearest first.
struct NearestList {
  private(set) var neighbors: [Neighbor] = []
  private let limit: Int

  /// Creates a list of at most this many neighbours.
  init(_ limit: Int) {
    self.limit = limit
    neighbors.reserveCapacity(limit + 1)
  }

  /// A neighbour whose squared distance is larger than this cannot enter the list.
  var reach: Double { neighbors.count < limit ? .infinity : neighbors.last?.distance ?? -1 }

  /// Inserts a neighbour if it is near enough.
  mutating func insert(_ neighbor: Neighbor) {
    if neighbors.count == limit, let last = neighbors.last, last < neighbor { return }
    var low: Int = 0
    var high: Int = neighbors.count
    while low < high {
      let middle: Int = (low + high) / 2
      if neighbors[middle] < neighbor { low = middle + 1 } else { high = middle }
    }
    neighbors.insert(neighbor, at: low)
    if neighbors.count > limit { neighbors.removeLast() }
  }
}
