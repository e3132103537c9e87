import Graph
import ModelFormat

extension ModelSeed {
  /// Returns a seed for a layer type whose samples cannot compute alone. A branch needs networks, a loop exit needs an
  /// enclosing loop, and a custom layer needs its class.
  static func special(_ kind: String) -> ModelSeed? {
    switch kind {
    case "branch": return branch(kind: kind)
    case "loop": return loop(ending: .loopContinue(Spec.LoopContinueLayerParams()), kind: kind)
    case "loopBreak": return loop(ending: .loopBreak(Spec.LoopBreakLayerParams()), kind: kind)
    case "loopContinue":
      return loop(ending: .loopContinue(Spec.LoopContinueLayerParams()), kind: kind)
    case "custom":
      var custom = Spec.CustomLayerParams()
      custom.className = "Doubling"
      var factor = Spec.CustomLayerParams.CustomLayerParamValue()
      factor.value = .doubleValue(2)
      custom.parameters = ["factor": factor]
      var layer = Spec.NeuralNetworkLayer(.custom(custom))
      (layer.name, layer.input, layer.output) = ("doubling", ["x"], ["y"])
      var model: Spec.Model = .network([layer], isExact: false)
      model.description?.input = [.array("x", [2, 3, 4])]
      model.description?.output = [.array("y")]
      return ModelSeed(kind: kind, model: model, values: ["x": [1, 2, 3]])
    default: return nil
    }
  }

  /// Creates a branch that applies `2x + 1` once if `c` is true, and twice otherwise.
  private static func branch(kind: String) -> ModelSeed {
    var branch = Spec.BranchLayerParams()
    branch.ifBranch = Spec.NeuralNetwork()
    branch.ifBranch?.layers = [.linear(from: "x", to: "y")]
    branch.elseBranch = Spec.NeuralNetwork()
    branch.elseBranch?.layers = [.linear(from: "x", to: "t"), .linear(from: "t", to: "y")]
    var layer = Spec.NeuralNetworkLayer(.branch(branch))
    (layer.name, layer.input, layer.output) = ("branch", ["c"], ["y"])
    var model: Spec.Model = .network([layer])
    model.description?.input = [.array("x", [2]), .array("c", [1])]
    model.description?.output = [.array("y")]
    return ModelSeed(kind: kind, model: model, values: ["x": [1, 2], "c": [1]])
  }

  /// Creates a loop of four iterations of `x ← 2x + 1`. If `stop` is true, the layer `ending` ends the loop (a break)
  /// or the iteration (a continue) early.
  private static func loop(
    ending: Spec.NeuralNetworkLayer.OneOfLayer, kind: String
  ) -> ModelSeed {
    var end = Spec.NeuralNetworkLayer(ending)
    (end.name, end.output) = ("end", [])
    var branch = Spec.BranchLayerParams()
    branch.ifBranch = Spec.NeuralNetwork()
    branch.ifBranch?.layers = [end]
    var decision = Spec.NeuralNetworkLayer(.branch(branch))
    (decision.name, decision.input, decision.output) = ("decision", ["stop"], [])
    var copy = Spec.NeuralNetworkLayer(.copy(Spec.CopyLayerParams()))
    (copy.name, copy.input, copy.output) = ("copy", ["next"], ["x"])
    var loop = Spec.LoopLayerParams()
    loop.maxLoopIterations = 4
    loop.bodyNetwork = Spec.NeuralNetwork()
    loop.bodyNetwork?.layers = [.linear(from: "x", to: "next"), decision, copy]
    var layer = Spec.NeuralNetworkLayer(.loop(loop))
    (layer.name, layer.output) = ("loop", ["next", "x"])
    var model: Spec.Model = .network([layer])
    model.description?.input = [.array("x", [2]), .array("stop", [1])]
    model.description?.output = [.array("next")]
    return ModelSeed(kind: kind, model: model, values: ["x": [1, 2], "stop": [1]])
  }
}
