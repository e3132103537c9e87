import ModelFormat
import Testing

@testable import ClassicalModels

@Suite("The kd-tree")
struct KDTreeTests {
  private struct Case: CustomStringConvertible {
    let dimension: Int
    let count: Int
    let leafSize: Int
    /// How many distinct values a coordinate of the points may have. If they are few, many points are at equal
    /// distances.
    let levels: Int
    var description: String { "\(count) points of \(dimension) values, \(levels) levels" }
  }

  private static let cases: [Case] = [
    Case(dimension: 1, count: 1, leafSize: 1, levels: 5),
    Case(dimension: 1, count: 40, leafSize: 1, levels: 3),
    Case(dimension: 2, count: 300, leafSize: 4, levels: 1_000_000),
    Case(dimension: 2, count: 300, leafSize: 1, levels: 4),
    Case(dimension: 3, count: 500, leafSize: 10, levels: 7),
    Case(dimension: 8, count: 200, leafSize: 0, levels: 1_000_000),
    Case(dimension: 128, count: 60, leafSize: 30, levels: 3),
    Case(dimension: 2, count: 50, leafSize: 2, levels: 1),
  ]

  /// Pseudo-random numbers.
  private struct Numbers {
    var state: UInt64
    mutating func next(_ levels: Int) -> Float {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Float((state >> 33) % UInt64(levels)) / Float(max(levels - 1, 1)) * 10 - 5
    }
  }

  @Test(
    "A kd-tree finds the same neighbours as a linear search, in the same order", arguments: cases)
  private func same(_ sample: Case) throws {
    var numbers = Numbers(state: UInt64(sample.count))
    let points = ExamplePoints(
      dimension: sample.dimension,
      values: (0..<sample.count * sample.dimension).map { _ in numbers.next(sample.levels) })
    let tree = try #require(KDTree(points, leafSize: sample.leafSize))
    for _ in 0..<50 {
      let query: [Double] = (0..<sample.dimension).map { _ in Double(numbers.next(sample.levels)) }
      for count in [1, 3, 17, sample.count] where count <= sample.count {
        let all: [Neighbor] = (0..<sample.count).map {
          Neighbor(distance: points.squaredDistance(of: $0, to: query), example: $0)
        }
        #expect(tree.nearest(count, to: query) == Array(all.sorted().prefix(count)))
        #expect(points.nearest(count, to: query) == Array(all.sorted().prefix(count)))
      }
    }
  }

  @Test("A kd-tree splits the points at medians until no leaf exceeds the maximum size")
  func nodes() throws {
    var numbers = Numbers(state: 1)
    let points = ExamplePoints(dimension: 2, values: (0..<2048).map { _ in numbers.next(1 << 20) })
    #expect(try #require(KDTree(points, leafSize: 1)).nodeCount == 2047)
    #expect(try #require(KDTree(points, leafSize: 256)).nodeCount == 7)
  }

  @Test(
    "Points with non-finite values have no tree, and queries with such values use a linear search")
  func notFinite() throws {
    #expect(KDTree(ExamplePoints(dimension: 1, values: [1, .nan]), leafSize: 1) == nil)
    let tree = try #require(KDTree(ExamplePoints(dimension: 1, values: [1, 2]), leafSize: 1))
    #expect(tree.nearest(2, to: [.nan]).map(\.example) == [0, 1])
  }

  @Test("A classifier with a tree gives the same answers as one with a list")
  func classifiers() throws {
    var numbers = Numbers(state: 3)
    var index = Spec.NearestNeighborsIndex()
    index.numberOfDimensions = 3
    index.floatSamples = (0..<200).map { _ in
      var vector = Spec.FloatVector()
      vector.vector = FloatValues((0..<3).map { _ in numbers.next(9) })
      return vector
    }
    var message = Spec.KNearestNeighborsClassifier()
    var labels = Spec.Int64Vector()
    labels.vector = (0..<200).map { Int64($0 % 7) }
    message.classLabels = .int64ClassLabels(labels)
    message.numberOfNeighbors = Spec.Int64Parameter()
    message.numberOfNeighbors?.defaultValue = 9
    message.weightingScheme = .inverseDistanceWeighting(Spec.InverseDistanceWeighting())
    message.nearestNeighborsIndex = index
    let list = try NearestNeighbors(message)
    var tree = Spec.SingleKdTreeIndex()
    tree.leafSize = 5
    message.nearestNeighborsIndex?.indexType = .singleKdTreeIndex(tree)
    let withTree = try NearestNeighbors(message)
    for _ in 0..<100 {
      let query: [Double] = (0..<3).map { _ in Double(numbers.next(1000)) }
      let (first, second) = (try list.predict(query), try withTree.predict(query))
      #expect(first.label == second.label)
      #expect(first.shares == second.shares)
    }
  }
}
