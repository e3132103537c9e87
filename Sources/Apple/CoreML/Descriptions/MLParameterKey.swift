/// The name of a parameter of a model or of its training.
public final class MLParameterKey: MLKey, @unchecked Sendable {
  /// The step of the optimiser.
  public class var learningRate: MLParameterKey { MLParameterKey(name: "learningRate") }
  /// The share of the last step that stays in the next.
  public class var momentum: MLParameterKey { MLParameterKey(name: "momentum") }
  /// The number of examples in one step.
  public class var miniBatchSize: MLParameterKey { MLParameterKey(name: "miniBatchSize") }
  /// Adam's decay of the first moment.
  public class var beta1: MLParameterKey { MLParameterKey(name: "beta1") }
  /// Adam's decay of the second moment.
  public class var beta2: MLParameterKey { MLParameterKey(name: "beta2") }
  /// Adam's guard against division by zero.
  public class var eps: MLParameterKey { MLParameterKey(name: "eps") }
  /// The number of passes over the training data.
  public class var epochs: MLParameterKey { MLParameterKey(name: "epochs") }
  /// Whether the order of the training data changes with each pass.
  public class var shuffle: MLParameterKey { MLParameterKey(name: "shuffle") }
  /// The start of the random numbers.
  public class var seed: MLParameterKey { MLParameterKey(name: "seed") }
  /// The k of a k-nearest-neighbours classifier.
  public class var numberOfNeighbors: MLParameterKey { MLParameterKey(name: "numberOfNeighbors") }
  /// The file of a linked model.
  public class var linkedModelFileName: MLParameterKey {
    MLParameterKey(name: "linkedModelFileName")
  }
  /// Where a linked model's file is looked for.
  public class var linkedModelSearchPath: MLParameterKey {
    MLParameterKey(name: "linkedModelSearchPath")
  }
  /// The weights of a layer; needs a scope.
  public class var weights: MLParameterKey { MLParameterKey(name: "weights") }
  /// The biases of a layer; needs a scope.
  public class var biases: MLParameterKey { MLParameterKey(name: "biases") }

  /// The same parameter of one layer or sub-model.
  public func scoped(to scope: String) -> MLParameterKey {
    MLParameterKey(name: name, scope: scope)
  }
}
