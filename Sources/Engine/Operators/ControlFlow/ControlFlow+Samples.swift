import Graph
import ModelFormat

// Expected values were computed by hand.

extension BranchOperator {
  public static let samples: [OperatorSample] = [
    sample("the first side", condition: 1, expected: [2, 4]),
    sample("the second side", condition: 0, expected: [101, 102]),
    sample("just below a millionth is false", condition: 9e-7, expected: [101, 102]),
    sample("negative is true", condition: -1, expected: [2, 4]),
    OperatorSample(
      "a side that is not there makes nothing",
      .branch(
        "c", then: [.linear(2, 0, "x", "x2"), .copying("x2", "y")], writes: ["x2", "y"]),
      inputs: [([1], .values([0])), ([2], .values([1, 2]))],
      failure: "nothing has made 'x2' on the way that was taken."),
    OperatorSample(
      "of a vector the first element decides",
      .branch("c", then: [.linear(2, 0, "x", "y")], otherwise: [.linear(1, 100, "x", "y")]),
      inputs: [([2], .values([0, 1])), ([2], .values([1, 2]))],
      expected: [ReferenceTensor([2], [101, 102])]),
    OperatorSample(
      "nothing is no condition",
      .branch("c", then: [.linear(2, 0, "x", "y")], otherwise: [.linear(1, 100, "x", "y")]),
      inputs: [[0], [2]], failure: "the condition 'c' has no element, expected one number."),
    OperatorSample(
      "no network", Spec.NeuralNetworkLayer(.branch(Spec.BranchLayerParams())), inputs: [[1]],
      failure: "the branch has no network to run when its condition is true."),
  ]

  private static func sample(_ name: String, condition: Double, expected: [Double]) -> OperatorSample {
    OperatorSample(
      name,
      .branch("c", then: [.linear(2, 0, "x", "y")], otherwise: [.linear(1, 100, "x", "y")]),
      inputs: [([1], .values([condition])), ([2], .values([1, 2]))],
      expected: [ReferenceTensor([2], expected)])
  }
}

extension LoopOperator {
  public static let samples: [OperatorSample] = [
    OperatorSample(
      "as many rounds as the input says",
      .loop(rounds: "n", body: [.linear(2, 1, "x", "next"), .copying("next", "x")]),
      inputs: [([1], .values([3])), ([2], .values([0, 1])), ([2], .values([0, 0]))],
      expected: [ReferenceTensor([2], [7, 15]), ReferenceTensor([2], [7, 15])]),
    OperatorSample(
      "no rounds leave everything as it was",
      .loop(rounds: "n", body: [.linear(2, 1, "x", "next"), .copying("next", "x")]),
      inputs: [([1], .values([0])), ([2], .values([0, 1])), ([2], .values([5, 6]))],
      expected: [ReferenceTensor([2], [5, 6]), ReferenceTensor([2], [0, 1])]),
    OperatorSample(
      "neither condition nor number",
      Spec.NeuralNetworkLayer(
        .loop(.making { $0.bodyNetwork = .layers([.linear(2, 1, "x", "next")]) })),
      inputs: [Shape](), failure: "so nothing says when it ends."),
    OperatorSample(
      "a condition without a name",
      Spec.NeuralNetworkLayer(
        .loop(
          .making {
            $0.conditionNetwork = .layers([.linear(2, 1, "x", "c")])
            $0.bodyNetwork = .layers([])
          })), inputs: [Shape](),
      failure: "the loop has a condition network but no conditionVar, so its result has no name."),
    OperatorSample(
      "a condition that nothing makes",
      Spec.NeuralNetworkLayer(
        .loop(
          .making {
            $0.conditionVar = "c"
            $0.conditionNetwork = .layers([.linear(2, 1, "x", "d")])
            $0.bodyNetwork = .layers([])
          })), inputs: [Shape](),
      failure: "the condition network does not make the condition 'c'."),
    OperatorSample(
      "no body",
      Spec.NeuralNetworkLayer(.loop(.making { $0.maxLoopIterations = 3 })), inputs: [Shape](),
      failure: "the loop has no body network."),
  ]
}

extension Spec.NeuralNetwork {
  fileprivate static func layers(_ layers: [Spec.NeuralNetworkLayer]) -> Spec.NeuralNetwork {
    .making { $0.layers = layers }
  }
}

extension Spec.NeuralNetworkLayer {
  fileprivate static func linear(
    _ alpha: Float, _ beta: Float, _ input: String, _ output: String
  ) -> Spec.NeuralNetworkLayer {
    let linear: Spec.ActivationLinear = .making { ($0.alpha, $0.beta) = (alpha, beta) }
    var layer = Spec.NeuralNetworkLayer(
      .activation(.making { $0.nonlinearityType = .linear(linear) }))
    (layer.name, layer.input, layer.output) = (output, [input], [output])
    return layer
  }

  fileprivate static func copying(_ input: String, _ output: String) -> Spec.NeuralNetworkLayer {
    var layer = Spec.NeuralNetworkLayer(.copy(Spec.CopyLayerParams()))
    (layer.name, layer.input, layer.output) = ("copy \(input)", [input], [output])
    return layer
  }

  /// A branch that reads "x"; its sample's inputs are the condition and what it captures.
  fileprivate static func branch(
    _ condition: String, then: [Spec.NeuralNetworkLayer],
    otherwise: [Spec.NeuralNetworkLayer]? = nil, writes: [String] = ["y"]
  ) -> Spec.NeuralNetworkLayer {
    var layer = Spec.NeuralNetworkLayer(
      .branch(
        .making {
          $0.ifBranch = .layers(then)
          if let otherwise { $0.elseBranch = .layers(otherwise) }
        }))
    (layer.input, layer.output) = ([condition], writes)
    return layer
  }

  /// A loop with its number of rounds as an input; its sample's inputs are that and what it captures.
  fileprivate static func loop(
    rounds: String, body: [Spec.NeuralNetworkLayer]
  ) -> Spec.NeuralNetworkLayer {
    var layer = Spec.NeuralNetworkLayer(.loop(.making { $0.bodyNetwork = .layers(body) }))
    (layer.input, layer.output) = ([rounds], ["next", "x"])
    return layer
  }
}
