import ModelFormat

/// What an updatable model says about its training.
public struct TrainingSummary: Encodable, Sendable {
  /// A layer that learns.
  public struct Layer: Encodable, Sendable {
    /// Its name.
    public let name: String
    /// Its kind by the specification's name.
    public let kind: String
    /// What of it learns: `weights`, `bias`.
    public let parts: [String]
    /// How many numbers that are.
    public let parameterCount: Int
  }

  /// A loss.
  public struct Loss: Encodable, Sendable {
    /// Its name.
    public let name: String
    /// Its kind: `meanSquaredError`, `categoricalCrossEntropy`.
    public let kind: String
    /// The value of the network that it looks at.
    public let input: String
    /// The training input that it is compared with.
    public let target: String
  }

  /// A number that the training takes, and that an app may set.
  public struct Parameter: Encodable, Sendable {
    /// Its key in `MLParameterKey`: `epochs`.
    public let name: String
    /// What it is unless it is set.
    public let value: ListedParameter
    /// The least that it may be set to; nil where there is no range.
    public private(set) var minimum: ListedParameter?
    /// The most that it may be set to; nil where there is no range.
    public private(set) var maximum: ListedParameter?
    /// What it may be set to, where the values are listed.
    public private(set) var allowed: [ListedParameter]?
  }

  /// What one example holds.
  public let inputs: [ModelSummary.Feature]
  /// The layers that learn.
  public let layers: [Layer]
  /// The losses.
  public let losses: [Loss]
  /// `sgd` or `adam`; nil where there is none.
  public let optimizer: String?
  /// Epochs, batch size and what the optimiser takes.
  public let parameters: [Parameter]

  /// What a model says; nil for one that is not updatable.
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
  /// The layers of a neural network; none for models of other types.
  var neuralLayers: [Spec.NeuralNetworkLayer] {
    switch type {
    case .neuralNetwork(let network)?: network.layers
    case .neuralNetworkClassifier(let network)?: network.layers
    case .neuralNetworkRegressor(let network)?: network.layers
    default: []
    }
  }

  /// How a neural network is to be trained; nil where the model does not say.
  fileprivate var updateParameters: Spec.NetworkUpdateParameters? {
    switch type {
    case .neuralNetwork(let network)?: network.updateParams
    case .neuralNetworkClassifier(let network)?: network.updateParams
    case .neuralNetworkRegressor(let network)?: network.updateParams
    default: nil
    }
  }
}
