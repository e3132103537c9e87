/// The name of a parameter of a model or of its training.
public final class MLParameterKey: MLKey, @unchecked Sendable {
  /// The learning rate of the optimiser.
  public class var learningRate: MLParameterKey { MLParameterKey(name: "learningRate") }
  /// The momentum of stochastic gradient descent: the fraction of the previous update that the optimiser adds to the
  /// next update.
  public class var momentum: MLParameterKey { MLParameterKey(name: "momentum") }
  /// The number of examples per mini-batch.
  public class var miniBatchSize: MLParameterKey { MLParameterKey(name: "miniBatchSize") }
  /// Adam's decay rate of the first moment.
  public class var beta1: MLParameterKey { MLParameterKey(name: "beta1") }
  /// Adam's decay rate of the second moment.
  public class var beta2: MLParameterKey { MLParameterKey(name: "beta2") }
  /// Adam's epsilon, which prevents division by zero.
  public class var eps: MLParameterKey { MLParameterKey(name: "eps") }
  /// The number of epochs. An epoch is one pass over the training data.
  public class var epochs: MLParameterKey { MLParameterKey(name: "epochs") }
  /// Whether the training data is shuffled before each epoch.
  public class var shuffle: MLParameterKey { MLParameterKey(name: "shuffle") }
  /// The seed of the random numbers that the training uses.
  public class var seed: MLParameterKey { MLParameterKey(name: "seed") }
  /// The number of neighbours, k, of a nearest-neighbours classifier.
  public class var numberOfNeighbors: MLParameterKey { MLParameterKey(name: "numberOfNeighbors") }
  /// The name of a linked model's file.
  public class var linkedModelFileName: MLParameterKey {
    MLParameterKey(name: "linkedModelFileName")
  }
  /// The folders in which the framework searches for a linked model's file.
  public class var linkedModelSearchPath: MLParameterKey {
    MLParameterKey(name: "linkedModelSearchPath")
  }
  /// The weights of a layer. Name the layer with ``scoped(to:)``.
  public class var weights: MLParameterKey { MLParameterKey(name: "weights") }
  /// The biases of a layer. Name the layer with ``scoped(to:)``.
  public class var biases: MLParameterKey { MLParameterKey(name: "biases") }

  /// Returns the key of the same parameter for one layer or submodel.
  public func scoped(to scope: String) -> MLParameterKey {
    MLParameterKey(name: name, scope: scope)
  }
}
