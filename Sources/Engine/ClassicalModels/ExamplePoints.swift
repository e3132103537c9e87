/// The examples of a nearest-neighbours classifier: points of one dimension, row after row.
struct ExamplePoints: Sendable {
  /// The number of values of a point.
  let dimension: Int
  /// All values, point after point.
  let values: [Float]

  /// The number of points.
  var count: Int { values.count / dimension }

  /// Whether every value is a finite number.
  var areFinite: Bool { values.allSatisfy(\.isFinite) }

  /// Points of the given dimension, which is 1 or more and divides the number of values.
  init(dimension: Int, values: [Float]) {
    precondition(dimension > 0 && values.count % dimension == 0)
    self.dimension = dimension
    self.values = values
  }

  /// The value of a point on an axis.
  func value(_ point: Int, axis: Int) -> Float { values[point * dimension + axis] }

  /// The squared Euclidean distance, summed over the axes in order; infinite where it is no number.
  func squaredDistance(of point: Int, to query: [Double]) -> Double {
    let start: Int = point * dimension
    // Safe: the query has `dimension` values and the point lies within the values.
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

  /// The nearest points, found by looking at all of them.
  func nearest(_ count: Int, to query: [Double]) -> [Neighbor] {
    var found = NearestList(count)
    for point in 0..<self.count {
      found.insert(Neighbor(distance: squaredDistance(of: point, to: query), example: point))
    }
    return found.neighbors
  }
}

/// An example with its distance from what is asked for.
struct Neighbor: Comparable, Sendable {
  /// The squared Euclidean distance.
  let distance: Double
  /// The position of the example.
  let example: Int

  /// Nearer ones come first, then earlier ones.
  static func < (left: Neighbor, right: Neighbor) -> Bool {
    left.distance == right.distance ? left.example < right.example : left.distance < right.distance
  }
}

/// The nearest neighbours seen so far, nearest first.
struct NearestList {
  private(set) var neighbors: [Neighbor] = []
  private let limit: Int

  /// A list of so many neighbours at most.
  init(_ limit: Int) {
    self.limit = limit
    neighbors.reserveCapacity(limit + 1)
  }

  /// The distance beyond which a neighbour has no place in the list.
  var reach: Double { neighbors.count < limit ? .infinity : neighbors.last?.distance ?? -1 }

  /// Takes a neighbour in where it is near enough.
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
