import Graph
import ModelFormat

/// How a NeuralNetwork goes on learning on the device.
///
/// A graph does not say it: Core ML trains layers of this format, and nothing else.
public struct NetworkLearning: Sendable {
  /// The layers whose weights and biases change: convolutions and inner products, by name.
  public var layers: Set<String>
  /// The loss, the optimiser and the numbers that they take.
  public var parameters: Spec.NetworkUpdateParameters
  /// What an example has beside the model's inputs: the right answer.
  public var answers: [Spec.FeatureDescription]

  /// Layers that learn.
  public init(
    layers: Set<String>, parameters: Spec.NetworkUpdateParameters,
    answers: [Spec.FeatureDescription]
  ) {
    self.layers = layers
    self.parameters = parameters
    self.answers = answers
  }

  /// How a NeuralNetwork learns; nil where it does not.
  public init?(of model: Spec.Model) {
    let all: [Spec.NeuralNetworkLayer]
    let parameters: Spec.NetworkUpdateParameters?
    switch model.type {
    case .neuralNetwork(let network)?: (all, parameters) = (network.layers, network.updateParams)
    case .neuralNetworkClassifier(let network)?:
      (all, parameters) = (network.layers, network.updateParams)
    case .neuralNetworkRegressor(let network)?:
      (all, parameters) = (network.layers, network.updateParams)
    default: return nil
    }
    guard model.isUpdatable, let parameters, let description = model.description else { return nil }
    let inputs: Set<String> = Set(description.input.map(\.name))
    self.init(
      layers: Set(all.filter(\.isUpdatable).map(\.name)), parameters: parameters,
      answers: description.trainingInput.filter { !inputs.contains($0.name) })
  }

  /// Gives the features that the losses compare other names.
  ///
  /// - Parameter names: New names by old ones.
  public mutating func rename(_ names: [String: String]) {
    for position in parameters.lossLayers.indices {
      switch parameters.lossLayers[position].lossLayerType {
      case .categoricalCrossEntropyLossLayer(var loss)?:
        (loss.input, loss.target) = (
          names[loss.input] ?? loss.input, names[loss.target] ?? loss.target
        )
        parameters.lossLayers[position].lossLayerType = .categoricalCrossEntropyLossLayer(loss)
      case .meanSquaredErrorLossLayer(var loss)?:
        (loss.input, loss.target) = (
          names[loss.input] ?? loss.input, names[loss.target] ?? loss.target
        )
        parameters.lossLayers[position].lossLayerType = .meanSquaredErrorLossLayer(loss)
      case nil: break
      }
    }
    for position in answers.indices {
      answers[position].name = names[answers[position].name] ?? answers[position].name
    }
  }

  /// What the losses compare, that no layer and no answer gives: `nil` where all are there.
  func missing(_ layers: [Spec.NeuralNetworkLayer]) -> String? {
    let made: Set<String> = Set(layers.flatMap(\.output))
    for loss in parameters.lossLayers {
      let input: String? =
        switch loss.lossLayerType {
        case .categoricalCrossEntropyLossLayer(let loss)?: loss.input
        case .meanSquaredErrorLossLayer(let loss)?: loss.input
        case nil: nil
        }
      if let input, !made.contains(input) { return input }
    }
    return nil
  }

  /// Marks the layers that change.
  ///
  /// - Throws: `invalidInput` for a name that no layer has, and for layers that do not learn.
  func mark(_ all: inout [Spec.NeuralNetworkLayer]) throws {
    if let missing = missing(all) {
      throw EngineError(
        .invalidInput, "The loss compares '\(missing)', which no layer of the network makes.")
    }
    for name in layers.sorted() {
      guard let position = all.firstIndex(where: { $0.name == name }) else {
        throw EngineError(.invalidInput, "The layer '\(name)' is to learn, but there is none.")
      }
      switch all[position].layer {
      case .convolution(var message)?:
        message.weights?.isUpdatable = true
        message.bias?.isUpdatable = true
        all[position].layer = .convolution(message)
      case .innerProduct(var message)?:
        message.weights?.isUpdatable = true
        message.bias?.isUpdatable = true
        all[position].layer = .innerProduct(message)
      default:
        throw EngineError(
          .invalidInput,
          "The layer '\(name)' is to learn, but only convolutions and inner products do.")
      }
      all[position].isUpdatable = true
    }
  }
}
