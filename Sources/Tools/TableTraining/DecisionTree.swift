/// A binary tree. An inner node compares one feature with a threshold, and a leaf adds its values to the scores.
public struct DecisionTree: Sendable {
  /// A node. Nodes have no references, so that a row passes through a tree without counting them.
  public struct Node: Sendable {
    /// The feature that an inner node compares. −1 in a leaf.
    public let feature: Int
    /// Rows whose feature is at most the threshold go to node ``left``, the others to node ``right``.
    public let threshold: Double
    /// The node for smaller values.
    public let left: Int
    /// The node for larger values.
    public let right: Int
    /// Whether rows without a value go to node ``left``.
    public let missingGoesLeft: Bool
    /// In a leaf: the position of its first value in ``DecisionTree/values``.
    public let firstValue: Int

    /// Whether the node is a leaf.
    public var isLeaf: Bool { feature < 0 }
  }

  /// The nodes. Node 0 is the root.
  public private(set) var nodes: [Node] = []
  /// The values of the leaves, one after the other.
  public private(set) var values: [Double] = []
  /// The number of values of a leaf.
  public let valueCount: Int

  init(valueCount: Int) { self.valueCount = valueCount }

  /// The values of a leaf.
  public func values(of leaf: Node) -> ArraySlice<Double> {
    values[leaf.firstValue..<(leaf.firstValue + valueCount)]
  }

  /// Adds a leaf and returns its position.
  mutating func addLeaf(_ leaf: some Sequence<Double>) -> Int {
    nodes.append(
      Node(
        feature: -1, threshold: 0, left: 0, right: 0, missingGoesLeft: false,
        firstValue: values.count))
    values += leaf
    return nodes.count - 1
  }

  /// Makes a leaf an inner node.
  mutating func split(
    _ position: Int, feature: Int, threshold: Double, left: Int, right: Int, missingGoesLeft: Bool
  ) {
    nodes[position] = Node(
      feature: feature, threshold: threshold, left: left, right: right,
      missingGoesLeft: missingGoesLeft, firstValue: nodes[position].firstValue)
  }

  /// Multiplies the leaves' values.
  mutating func scale(by factor: Double) {
    for index in values.indices { values[index] *= factor }
  }

  /// Adds the values of each row's leaf to `scores[row · scoreCount + firstScore]` and the scores after it.
  func add(
    _ columns: [[Double]], rows: Int, to scores: inout [Double], scoreCount: Int, firstScore: Int
  ) {
    nodes.withUnsafeBufferPointer { nodes in
      values.withUnsafeBufferPointer { values in
        scores.withUnsafeMutableBufferPointer { scores in
          for row in 0..<rows {
            var node: Node = nodes[0]
            while !node.isLeaf {
              let value: Double = columns[node.feature][row]
              let goesLeft: Bool = value.isNaN ? node.missingGoesLeft : value <= node.threshold
              node = nodes[goesLeft ? node.left : node.right]
            }
            let start: Int = row * scoreCount + firstScore
            for offset in 0..<valueCount {
              scores[start + offset] += values[node.firstValue + offset]
            }
          }
        }
      }
    }
  }
}
