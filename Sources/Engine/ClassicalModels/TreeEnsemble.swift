import ModelFormat

/// Decision trees. Each leaf adds its values to one or more scores.
struct TreeEnsemble: Sendable {
  enum Comparison: Sendable {
    case lessOrEqual, less, greaterOrEqual, greater, equal, notEqual
  }

  private struct Branch: Sendable {
    let comparison: Comparison
    let feature: Int
    let value: Double
    let missingIsTrue: Bool
    let whenTrue: Int
    let whenFalse: Int
  }

  private enum Node: Sendable {
    case branch(Branch)
    case leaf([(score: Int, value: Double)])
  }

  /// The identity of a node in the file.
  private struct Key: Hashable {
    let tree: UInt64
    let node: UInt64
  }

  private let nodes: [Node]
  private let roots: [Int]
  private let base: [Double]
  private let neededInputs: Int

  /// The number of scores.
  var scoreCount: Int { base.count }

  init(_ message: Spec.TreeEnsembleParameters?) throws {
    guard let message, !message.nodes.isEmpty else {
      throw ClassicalModelError.model("The tree ensemble has no nodes. The model may be damaged.")
    }
    guard message.numPredictionDimensions > 0, message.numPredictionDimensions <= mostElements
    else {
      throw ClassicalModelError.model(
        "The tree ensemble has \(message.numPredictionDimensions) prediction dimensions; expected "
          + "1 or more.")
    }
    let count = Int(message.numPredictionDimensions)
    if message.basePredictionValue.isEmpty {
      base = Array(repeating: 0, count: count)
    } else {
      base = message.basePredictionValue
    }
    guard base.count == count else {
      throw ClassicalModelError.model(
        "The tree ensemble has \(base.count) base prediction values, but \(count) prediction "
          + "dimensions; it needs one for each.")
    }
    var positions: [Key: Int] = [:]
    for (index, node) in message.nodes.enumerated() {
      let key = Key(tree: node.treeId, node: node.nodeId)
      guard positions.updateValue(index, forKey: key) == nil else {
        throw ClassicalModelError.model(
          "Tree \(node.treeId) of the tree ensemble has two nodes \(node.nodeId).")
      }
    }
    var parents: [Int] = Array(repeating: 0, count: message.nodes.count)
    var needed: Int = 0
    nodes = try message.nodes.map { node in
      guard let comparison = try TreeEnsemble.comparison(of: node) else {
        return .leaf(try TreeEnsemble.scores(of: node, count: count))
      }
      let children: [Int] = try [node.trueChildNodeId, node.falseChildNodeId].map { child in
        guard let position = positions[Key(tree: node.treeId, node: child)] else {
          throw ClassicalModelError.model(
            "Node \(node.nodeId) of tree \(node.treeId) has the child \(child), which the tree "
              + "ensemble does not have.")
        }
        parents[position] += 1
        return position
      }
      guard node.branchFeatureIndex < UInt64(Int32.max) else {
        throw ClassicalModelError.model(
          "Node \(node.nodeId) of tree \(node.treeId) branches on the feature "
            + "\(node.branchFeatureIndex), which no input can have.")
      }
      let feature = Int(node.branchFeatureIndex)
      needed = max(needed, feature + 1)
      return .branch(
        Branch(
          comparison: comparison, feature: feature, value: node.branchFeatureValue,
          missingIsTrue: node.missingValueTracksTrueChild, whenTrue: children[0],
          whenFalse: children[1]))
    }
    neededInputs = needed
    roots = try TreeEnsemble.roots(of: message.nodes, parents: parents)
  }

  /// Returns the root of each tree: the tree's node without a parent. No node has two parents, so no path from a root
  /// contains a cycle.
  private static func roots(
    of nodes: [Spec.TreeEnsembleParameters.TreeNode], parents: [Int]
  ) throws -> [Int] {
    var rootOfTree: [UInt64: Int] = [:]
    var roots: [Int] = []
    for (index, node) in nodes.enumerated() {
      guard parents[index] <= 1 else {
        throw ClassicalModelError.model(
          "Node \(node.nodeId) of tree \(node.treeId) is the child of \(parents[index]) branches; "
            + "expected one.")
      }
      guard parents[index] == 0 else { continue }
      guard rootOfTree.updateValue(index, forKey: node.treeId) == nil else {
        throw ClassicalModelError.model(
          "Tree \(node.treeId) of the tree ensemble has several roots; expected one.")
      }
      roots.append(index)
    }
    let trees: Set<UInt64> = Set(nodes.map(\.treeId))
    if let tree = trees.first(where: { rootOfTree[$0] == nil }) {
      throw ClassicalModelError.model(
        "Tree \(tree) of the tree ensemble has no root: its branches form a cycle.")
    }
    return roots
  }

  /// Returns the comparison of a node; nil for a leaf.
  private static func comparison(
    of node: Spec.TreeEnsembleParameters.TreeNode
  ) throws -> Comparison? {
    switch node.nodeBehavior {
    case .branchOnValueLessThanEqual: return .lessOrEqual
    case .branchOnValueLessThan: return .less
    case .branchOnValueGreaterThanEqual: return .greaterOrEqual
    case .branchOnValueGreaterThan: return .greater
    case .branchOnValueEqual: return .equal
    case .branchOnValueNotEqual: return .notEqual
    case .leafNode: return nil
    case .unrecognized(let value):
      throw ClassicalModelError.model(
        "Node \(node.nodeId) of tree \(node.treeId) has the unknown behaviour \(value).")
    }
  }

  private static func scores(
    of node: Spec.TreeEnsembleParameters.TreeNode, count: Int
  ) throws -> [(score: Int, value: Double)] {
    try node.evaluationInfo.map { info in
      guard info.evaluationIndex < count else {
        throw ClassicalModelError.model(
          "Leaf \(node.nodeId) of tree \(node.treeId) adds to score \(info.evaluationIndex), but "
            + "the tree ensemble has \(count).")
      }
      return (Int(info.evaluationIndex), info.evaluationValue)
    }
  }

  /// Returns the scores for input values. NaN represents a missing value.
  func scores(of values: [Double]) throws -> [Double] {
    guard values.count >= neededInputs else {
      throw ClassicalModelError.input(
        "The tree ensemble branches on feature \(neededInputs - 1), counted from 0, but its input "
          + "has \(values.count) values.")
    }
    var result: [Double] = base
    for root in roots {
      var position: Int = root
      descent: while true {
        switch nodes[position] {
        case .branch(let branch):
          position = TreeEnsemble.isTrue(branch, for: values) ? branch.whenTrue : branch.whenFalse
        case .leaf(let additions):
          for addition in additions { result[addition.score] += addition.value }
          break descent
        }
      }
    }
    return result
  }

  private static func isTrue(_ branch: Branch, for values: [Double]) -> Bool {
    let value: Double = values[branch.feature]
    if value.isNaN { return branch.missingIsTrue }
    switch branch.comparison {
    case .lessOrEqual: return value <= branch.value
    case .less: return value < branch.value
    case .greaterOrEqual: return value >= branch.value
    case .greater: return value > branch.value
    case .equal: return value == branch.value
    case .notEqual: return value != branch.value
    }
  }
}
