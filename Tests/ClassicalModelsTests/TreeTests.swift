import ClassicalModels
import ModelFormat
import Testing

typealias Node = Spec.TreeEnsembleParameters.TreeNode

func branch(
  _ id: UInt64, _ behavior: Node.TreeNodeBehavior, feature: UInt64 = 0, value: Double,
  yes: UInt64, no: UInt64, missing: Bool = false, tree: UInt64 = 0
) -> Node {
  var node = Node()
  node.treeId = tree
  node.nodeId = id
  node.nodeBehavior = behavior
  node.branchFeatureIndex = feature
  node.branchFeatureValue = value
  node.trueChildNodeId = yes
  node.falseChildNodeId = no
  node.missingValueTracksTrueChild = missing
  return node
}

func leaf(_ id: UInt64, _ values: [UInt64: Double], tree: UInt64 = 0) -> Node {
  var node = Node()
  node.treeId = tree
  node.nodeId = id
  node.nodeBehavior = .leafNode
  node.evaluationInfo = values.map { index, value in
    var info = Node.EvaluationInfo()
    info.evaluationIndex = index
    info.evaluationValue = value
    return info
  }
  return node
}

func ensemble(
  _ nodes: [Node], dimensions: UInt64 = 1, base: [Double] = []
) -> Spec.TreeEnsembleParameters {
  var parameters = Spec.TreeEnsembleParameters()
  parameters.nodes = nodes
  parameters.numPredictionDimensions = dimensions
  parameters.basePredictionValue = base
  return parameters
}

@Suite("Trees")
struct TreeTests {
  private func regressor(
    _ parameters: Spec.TreeEnsembleParameters,
    _ transform: Spec.TreeEnsemblePostEvaluationTransform = .noTransform
  ) throws -> TreeRegressor {
    var message = Spec.TreeEnsembleRegressor()
    message.treeEnsemble = parameters
    message.postEvaluationTransform = transform
    return try TreeRegressor(message)
  }

  private func classifier(
    _ parameters: Spec.TreeEnsembleParameters, classes: Int,
    _ transform: Spec.TreeEnsemblePostEvaluationTransform
  ) throws -> TreeClassifier {
    var message = Spec.TreeEnsembleClassifier()
    message.treeEnsemble = parameters
    message.postEvaluationTransform = transform
    return try TreeClassifier(message, classCount: classes)
  }

  private func stump(_ behavior: Node.TreeNodeBehavior, missing: Bool = false) -> [Node] {
    [
      branch(0, behavior, value: 2, yes: 1, no: 2, missing: missing),
      leaf(1, [0: 1]), leaf(2, [0: 0]),
    ]
  }

  @Test("Each comparison sends 1, 2 and 3 to the correct branch")
  func comparisons() throws {
    let expected: [(Node.TreeNodeBehavior, [Double])] = [
      (.branchOnValueLessThanEqual, [1, 1, 0]), (.branchOnValueLessThan, [1, 0, 0]),
      (.branchOnValueGreaterThanEqual, [0, 1, 1]), (.branchOnValueGreaterThan, [0, 0, 1]),
      (.branchOnValueEqual, [0, 1, 0]), (.branchOnValueNotEqual, [1, 0, 1]),
    ]
    for (behavior, results) in expected {
      let model: TreeRegressor = try regressor(ensemble(stump(behavior)))
      #expect(try [1, 2, 3].map { try model.predict([$0])[0] } == results)
    }
  }

  @Test("A missing value takes the branch that the node's rule states")
  func missing() throws {
    let no: TreeRegressor = try regressor(ensemble(stump(.branchOnValueNotEqual)))
    let yes: TreeRegressor = try regressor(
      ensemble(stump(.branchOnValueLessThan, missing: true)))
    #expect(try no.predict([.nan]) == [0])
    #expect(try yes.predict([.nan]) == [1])
  }

  @Test("Trees add to the base values, wherever their roots are in the file")
  func sums() throws {
    let nodes: [Node] = [
      leaf(5, [0: 1, 1: 10]), leaf(6, [0: 2]),
      branch(7, .branchOnValueLessThan, feature: 1, value: 0, yes: 5, no: 6),
      leaf(0, [1: 100], tree: 1),
    ]
    let model: TreeRegressor = try regressor(ensemble(nodes, dimensions: 2, base: [0.5, 0.25]))
    #expect(try model.predict([0, -1]) == [1.5, 110.25])
    #expect(try model.predict([0, 1]) == [2.5, 100.25])
  }

  @Test("Each transform turns scores into probabilities")
  func transforms() throws {
    let three: Spec.TreeEnsembleParameters = ensemble([leaf(0, [1: 1, 2: 2])], dimensions: 3)
    let softmax: [Double] = [0.09003057317038046, 0.24472847105479767, 0.6652409557748219]
    #expect(
      isClose(try classifier(three, classes: 3, .classificationSoftMax).predict([]), softmax))
    #expect(try classifier(three, classes: 3, .noTransform).predict([]) == [0, 1, 2])
    let two: Spec.TreeEnsembleParameters = ensemble([leaf(0, [0: 1, 1: 2])], dimensions: 2)
    #expect(
      isClose(
        try classifier(two, classes: 3, .classificationSoftMaxWithZeroClassReference).predict([]),
        softmax))
    let one: Spec.TreeEnsembleParameters = ensemble([leaf(0, [0: 0.5])])
    #expect(
      isClose(
        try classifier(one, classes: 2, .regressionLogistic).predict([]),
        [0.3775406687981454, 0.6224593312018546]))
    #expect(try classifier(one, classes: 2, .noTransform).predict([]) == [0.5, 0.5])
    #expect(isClose(try regressor(one, .regressionLogistic).predict([]), [0.6224593312018546]))
  }

  @Test("Invalid trees are refused with a message")
  func damaged() {
    let circle: [Node] = [
      branch(0, .branchOnValueEqual, value: 0, yes: 1, no: 2),
      branch(1, .branchOnValueEqual, value: 0, yes: 0, no: 3), leaf(2, [:]), leaf(3, [:]),
    ]
    #expect(
      sentence { _ = try regressor(ensemble(circle)) }
        == "Tree 0 of the tree ensemble has no root: its branches form a cycle.")
    #expect(
      sentence { _ = try regressor(ensemble([leaf(0, [:]), leaf(1, [:])])) }
        == "Tree 0 of the tree ensemble has several roots; expected one.")
    #expect(
      sentence { _ = try regressor(ensemble([leaf(0, [:]), leaf(0, [:])])) }
        == "Tree 0 of the tree ensemble has two nodes 0.")
    #expect(
      sentence { _ = try regressor(ensemble([leaf(0, [4: 1])])) }
        == "Leaf 0 of tree 0 adds to score 4, but the tree ensemble has 1.")
    #expect(
      sentence {
        _ = try regressor(
          ensemble([branch(0, .branchOnValueEqual, value: 0, yes: 8, no: 9)]))
      } == "Node 0 of tree 0 has the child 8, which the tree ensemble does not have.")
    let both: Node = branch(0, .branchOnValueEqual, value: 0, yes: 1, no: 1)
    #expect(
      sentence { _ = try regressor(ensemble([both, leaf(1, [:])])) }
        == "Node 1 of tree 0 is the child of 2 branches; expected one.")
    #expect(
      sentence { _ = try regressor(ensemble([])) }
        == "The tree ensemble has no nodes. The model may be damaged.")
    #expect(
      sentence { _ = try regressor(ensemble([leaf(0, [:])], dimensions: .max)) }
        == "The tree ensemble has 18446744073709551615 prediction dimensions; expected 1 or more.")
  }

  @Test("An input without a feature that a branch reads is refused")
  func shortInput() {
    #expect(
      sentence { _ = try regressor(ensemble(stump(.branchOnValueLessThan))).predict([]) }
        == "The tree ensemble branches on feature 0, counted from 0, but its input has 0 values.")
  }
}
