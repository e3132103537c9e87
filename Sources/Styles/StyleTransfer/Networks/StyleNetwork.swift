import Engine
import ModelFormat

/// A style network with its numbers.
public struct StyleNetwork: Sendable {
  /// Which network it is.
  public let algorithm: StyleAlgorithm
  /// How it is built.
  public private(set) var architecture: StyleArchitecture
  /// What training changes, in the order of the layers.
  public let parameters: [StyleParameter]
  /// The numbers of each parameter, row-major.
  public private(set) var values: [[Float]]

  /// A network that has learned nothing yet; the same seed gives the same numbers.
  ///
  /// Convolutions start evenly spread in ±√(6 / fan-in), which keeps the variance behind rectifiers
  /// (He et al., arXiv:1502.01852); those that make the painting in a tenth of that, so that it
  /// starts grey; norms start with γ = 1 and β = 0.
  ///
  /// - Parameter architecture: another one than the algorithm's, for tests.
  public init(
    _ algorithm: StyleAlgorithm, seed: UInt64, architecture: StyleArchitecture? = nil
  ) {
    self.algorithm = algorithm
    self.architecture = architecture ?? algorithm.architecture
    parameters = self.architecture.parameters
    var generator = SampleGenerator(seed: seed)
    values = parameters.map { parameter -> [Float] in
      switch parameter.role {
      case .gamma: return [Float](repeating: 1, count: parameter.count)
      case .beta, .bias: return [Float](repeating: 0, count: parameter.count)
      case .weights:
        let fanIn: Int = parameter.shape.dropFirst().reduce(1, *)
        let limit: Double =
          (6 / Double(fanIn)).squareRoot() * (parameter.shape[0] == 3 ? 0.1 : 1)
        return (0..<parameter.count).map { _ in Float(generator.uniform(-limit...limit)) }
      }
    }
  }

  /// The network with other numbers.
  public func with(_ values: [[Float]]) -> StyleNetwork {
    precondition(
      values.map(\.count) == parameters.map(\.count), "as many numbers as the parameters have")
    var copy = self
    copy.values = values
    return copy
  }

  /// The network with the margin that it is trained with.
  var withTrainingMargin: StyleNetwork {
    var copy = self
    copy.architecture.margin = architecture.trainingMargin
    return copy
  }

  /// The numbers in a model that this library wrote. Styles of earlier versions have no shortcuts; theirs
  /// are 0, and the network paints what the model paints.
  ///
  /// - Parameters:
  ///   - model: the model, whatever its weights are stored as.
  ///   - name: what errors call it.
  public init(
    _ algorithm: StyleAlgorithm, reading model: Spec.Model, name: String,
    architecture: StyleArchitecture? = nil
  ) throws {
    self.algorithm = algorithm
    self.architecture = architecture ?? algorithm.architecture
    parameters = self.architecture.parameters
    guard case .neuralNetwork(let network)? = model.type else {
      throw StyleTransferError(
        .network, "Model '\(name)' is no neural network, expected a style trained by Atelier.")
    }
    var layers: [String: Spec.NeuralNetworkLayer] = [:]
    for layer in network.layers { layers[layer.name] = layer }
    values = try parameters.map { parameter -> [Float] in
      if parameter.layer.hasSuffix(StyleArchitecture.shortcutSuffix),
        layers[parameter.layer] == nil
      {
        return [Float](repeating: 0, count: parameter.count)
      }
      guard let weights = layers[parameter.layer]?.weights(of: parameter.role) else {
        throw StyleTransferError(
          .network,
          "Model '\(name)' has no \(parameter.name), expected a style of the algorithm"
            + " \(algorithm.rawValue) trained by Atelier.")
      }
      do {
        return try weights.decodedFloats(
          count: parameter.count, name: "\(name): \(parameter.layer)", shape: parameter.shape)
      } catch {
        throw StyleTransferError(
          .network,
          "Model '\(name)' is no style of the algorithm \(algorithm.rawValue): \(error)")
      }
    }
  }
}

extension Spec.NeuralNetworkLayer {
  /// The numbers that a parameter of this layer stands for.
  fileprivate func weights(of role: StyleParameter.Role) -> Spec.WeightParams? {
    switch (layer, role) {
    case (.convolution(let convolution)?, .weights): return convolution.weights
    case (.convolution(let convolution)?, .bias): return convolution.bias
    case (.batchnorm(let norm)?, .gamma): return norm.gamma
    case (.batchnorm(let norm)?, .beta): return norm.beta
    default: return nil
    }
  }
}
