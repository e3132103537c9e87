import ModelFormat

/// The training settings of an updatable model.
public struct TrainingSummary: Encodable, Sendable {
  /// An updatable layer.
  public struct Layer: Encodable, Sendable {
    /// The name of the layer.
    public let name: String
    /// The kind of the layer as the specification names it.
    public let kind: String
    /// The updatable parts of the layer: `weights`, `bias`.
    public let parts: [String]
    /// The number of the layer's updatable parameters.
    public let parameterCount: Int
  }

  /// A loss function of the training.
  public struct Loss: Encodable, Sendable {
    /// The name of the loss.
    public let name: String
    /// The kind of the loss: `meanSquaredError` or `categoricalCrossEntropy`.
    public let kind: String
    /// The name of the network's output that the loss evaluates.
    public let input: String
    /// The name of the training input with which the loss compares that output.
    public let target: String
  }

  /// A parameter of the training that an app may set.
  public struct Parameter: Encodable, Sendable {
    /// The name of the parameter's key in `MLParameterKey`, such as `epochs`.
    public let name: String
    /// The default value.
    public let value: ListedParameter
    /// The smallest allowed value. Nil if the file states no range.
    public private(set) var minimum: ListedParameter?
    /// The largest allowed value. Nil if the file states no range.
    public private(set) var maximum: ListedParameter?
    /// The allowed values. Nil unless the file enumerates them.
    public private(set) var allowed: [ListedParameter]?
  }

  /// The training inputs, which each example must have.
  public let inputs: [ModelSummary.Feature]
  /// The updatable layers.
  public let layers: [Layer]
  /// The losses.
  public let losses: [Loss]
  /// The optimiser: `sgd` or `adam`. Nil if the file states none.
  public let optimizer: String?
  /// The parameters that the file states: those of the optimiser, such as the batch size, then the number of epochs,
  /// the seed and whether examples are shuffled. For a nearest-neighbours classifier, also the number of neighbours.
  public let parameters: [Parameter]

  /// Reads the training settings of a model. Nil if the model is not updatable.
  init?(_ model: Spec.Model) {
    guard model.isUpdatable else { return nil }
    inputs = (model.description?.trainingInput ?? []).map(ModelSummary.Feature.init)
    layers = model.neuralLayers.compactMap(Layer.init)
    let update: Spec.NetworkUpdateParameters? = model.updateParameters
    losses = (update?.lossLayers ?? []).compactMap(Loss.init)
    var parameters: [Parameter] = []
    switch update?.optimizer?.optimizerType {
    case .sgdOptimizer(let sgd)?:
      optimizer = "sgd"
      parameters += [
        Parameter("learningRate", sgd.learningRate), Parameter("miniBatchSize", sgd.miniBatchSize),
        Parameter("momentum", sgd.momentum),
      ].compactMap { $0 }
    case .adamOptimizer(let adam)?:
      optimizer = "adam"
      parameters += [
        Parameter("learningRate", adam.learningRate),
        Parameter("miniBatchSize", adam.miniBatchSize), Parameter("beta1", adam.beta1),
        Parameter("beta2", adam.beta2), Parameter("eps", adam.eps),
      ].compactMap { $0 }
    case nil: optimizer = nil
    }
    parameters += [Parameter("epochs", update?.epochs), Parameter("seed", update?.seed)]
      .compactMap { $0 }
    if let shuffle = update?.shuffle {
      parameters.append(
        Parameter(
          name: "shuffle", value: .flag(shuffle.defaultValue), allowed: [.flag(true), .flag(false)])
      )
    }
    if case .kNearestNeighborsClassifier(let classifier)? = model.type,
      let neighbors = Parameter("numberOfNeighbors", classifier.numberOfNeighbors)
    {
      parameters.append(neighbors)
    }
    self.parameters = parameters
  }
}

extension TrainingSummary.Layer {
  fileprivate init?(_ layer: Spec.NeuralNetworkLayer) {
    guard layer.isUpdatable, let kind = layer.layer else { return nil }
    var parts: [String] = []
    var count: Int = 0
    func add(_ name: String, _ weights: Spec.WeightParams?) {
      guard let weights, weights.isUpdatable else { return }
      parts.append(name)
      count += weights.storedCount
    }
    switch kind {
    case .innerProduct(let product):
      add("weights", product.weights)
      add("bias", product.bias)
    case .convolution(let convolution):
      add("weights", convolution.weights)
      add("bias", convolution.bias)
    default: break
    }
    self.init(name: layer.name, kind: kind.fieldName, parts: parts, parameterCount: count)
  }
}

extension TrainingSummary.Loss {
  fileprivate init?(_ layer: Spec.LossLayer) {
    switch layer.lossLayerType {
    case .categoricalCrossEntropyLossLayer(let loss)?:
      self.init(
        name: layer.name, kind: "categoricalCrossEntropy", input: loss.input, target: loss.target)
    case .meanSquaredErrorLossLayer(let loss)?:
      self.init(name: layer.name, kind: "meanSquaredError", input: loss.input, target: loss.target)
    case nil: return nil
    }
  }
}

extension TrainingSummary.Parameter {
  fileprivate init?(_ name: String, _ parameter: Spec.Int64Parameter?) {
    guard let parameter else { return nil }
    self.init(name: name, value: .integer(parameter.defaultValue))
    switch parameter.allowedValues {
    case .range(let range)?:
      (minimum, maximum) = (.integer(range.minValue), .integer(range.maxValue))
    case .set(let set)?: allowed = set.values.sorted().map { .integer($0) }
    case nil: break
    }
  }

  fileprivate init?(_ name: String, _ parameter: Spec.DoubleParameter?) {
    guard let parameter else { return nil }
    self.init(name: name, value: .number(parameter.defaultValue))
    if case .range(let range)? = parameter.allowedValues {
      (minimum, maximum) = (.number(range.minValue), .number(range.maxValue))
    }
  }
}

extension Spec.Model {
  /// The layers of a neural network. Empty for models of other types.
  var neuralLayers: [Spec.NeuralNetworkLayer] {
    switch type {
    case .neuralNetwork(let network)?: network.layers
    case .neuralNetworkClassifier(let network)?: network.layers
    case .neuralNetworkRegressor(let network)?: network.layers
    default: []
    }
  }

  /// The update parameters of a neural network. Nil if the model has none.
  fileprivate var updateParameters: Spec.NetworkUpdateParameters? {
    switch type {
    case .neuralNetwork(let network)?: network.updateParams
    case .neuralNetworkClassifier(let network)?: network.updateParams
    case .neuralNetworkRegressor(let network)?: network.updateParams
    default: nil
    }
  }
}
