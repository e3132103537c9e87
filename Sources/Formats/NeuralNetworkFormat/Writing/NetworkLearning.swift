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

  /// Marks the layers that change.
  ///
  /// - Throws: `invalidInput` for a name that no layer has, and for layers that do not learn.
  func mark(_ all: inout [Spec.NeuralNetworkLayer]) throws {
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
