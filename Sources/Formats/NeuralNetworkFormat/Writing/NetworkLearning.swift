import Graph
import ModelFormat

/// How Core ML trains a NeuralNetwork on the device.
///
/// This information is not part of a graph, because Core ML trains only NeuralNetwork layers.
public struct NetworkLearning: Sendable {
  /// The names of the layers whose weights and biases are trained. These layers are convolutions and inner products.
  public var layers: Set<String>
  /// The losses, the optimiser and their parameters.
  public var parameters: Spec.NetworkUpdateParameters
  /// The target values, which a training example has in addition to the model's inputs.
  public var answers: [Spec.FeatureDescription]

  /// Makes a description of how these layers are trained.
  public init(
    layers: Set<String>, parameters: Spec.NetworkUpdateParameters,
    answers: [Spec.FeatureDescription]
  ) {
    self.layers = layers
    self.parameters = parameters
    self.answers = answers
  }

  /// Reads how a NeuralNetwork is trained. Nil if the model is not updatable.
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

  /// Renames features that the losses compare.
  ///
  /// - Parameter names: The new names of the features. The keys are the old names.
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

  /// Returns an input that a loss reads but no layer computes. Nil if layers compute the inputs of all losses.
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

  /// Marks the layers to train as updatable.
  ///
  /// - Throws: `invalidInput` if no layer has one of the names, or if one of the layers cannot be trained.
  func mark(_ all: inout [Spec.NeuralNetworkLayer]) throws {
    if let missing = missing(all) {
      throw EngineError(
        .invalidInput, "The loss compares '\(missing)', which no layer of the network makes.")
    }
    for name in layers.sorted() {
      guard let position = all.firstIndex(where: { $0.name == name }) else {
        throw EngineError(
          .invalidInput, "The layer '\(name)' is to be trained, but the network has no such layer.")
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
          "The layer '\(name)' is to be trained, but only convolutions and inner products can be.")
      }
      all[position].isUpdatable = true
    }
  }
}
