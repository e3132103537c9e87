import Engine
import ModelFormat

/// A style network with its parameters.
public struct StyleNetwork: Sendable {
  /// The algorithm.
  public let algorithm: StyleAlgorithm
  /// The architecture.
  public private(set) var architecture: StyleArchitecture
  /// The trainable parameters, in the order of the layers.
  public let parameters: [StyleParameter]
  /// The values of each parameter, in row-major order.
  public private(set) var values: [[Float]]

  /// Creates an untrained network. The same seed gives the same values.
  ///
  /// The weights of convolutions are uniform in ±√(6 / fan-in), which preserves the variance after ReLUs (He et al.,
  /// arXiv:1502.01852). The range of the last convolutions is a tenth of that, so that the first paintings are grey.
  /// Norms start with γ = 1 and β = 0.
  ///
  /// - Parameter architecture: An architecture other than the algorithm's, for tests.
  public init(
    _ algorithm: StyleAlgorithm, seed: UInt64, architecture: StyleArchitecture? = nil
  ) {
    self.algorithm = algorithm
    self.architecture = architecture ?? algorithm.architecture
    parameters = self.architecture.parameters
    var generator = SplitMix64(seed: seed)
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

  /// Creates a network with given values of its parameters.
  init(_ algorithm: StyleAlgorithm, architecture: StyleArchitecture, values: [[Float]]) {
    self.algorithm = algorithm
    self.architecture = architecture
    parameters = architecture.parameters
    precondition(
      values.map(\.count) == parameters.map(\.count), "the values have the sizes of the parameters")
    self.values = values
  }

  /// Returns the network with other values of its parameters.
  public func with(_ values: [[Float]]) -> StyleNetwork {
    precondition(
      values.map(\.count) == parameters.map(\.count), "the values have the sizes of the parameters")
    var copy = self
    copy.values = values
    return copy
  }

  /// The network with the margin for training.
  var withTrainingMargin: StyleNetwork {
    var copy = self
    copy.architecture.margin = architecture.trainingMargin
    return copy
  }

  /// Reads the parameters of a model that this library wrote.
  ///
  /// The model may lack shortcuts that the architecture has. The weights of these shortcuts are then 0, so the network
  /// paints the same as the model.
  ///
  /// - Parameters:
  ///   - model: The model. Its weights may have any stored type.
  ///   - name: The name of the model in error messages.
  ///   - architecture: The architecture of the network. Nil for the algorithm's architecture with the model's shortcuts.
  /// - Throws: ``StyleTransferError`` if the model is not of this algorithm, or has a shortcut that the architecture
  ///   lacks.
  public init(
    _ algorithm: StyleAlgorithm, reading model: Spec.Model, name: String,
    architecture: StyleArchitecture? = nil
  ) throws {
    guard case .neuralNetwork(let network)? = model.type else {
      throw StyleTransferError(
        .network, "Model '\(name)' is not a neural network, expected a style trained by Atelier.")
    }
    var layers: [String: Spec.NeuralNetworkLayer] = [:]
    for layer in network.layers { layers[layer.name] = layer }
    self.algorithm = algorithm
    self.architecture = architecture ?? algorithm.architecture
    if architecture == nil, layers[StyleArchitecture.pictureShortcut] == nil,
      self.architecture.shortcuts == .stagesAndPicture,
      layers.keys.contains(where: { $0.hasSuffix(StyleArchitecture.shortcutSuffix) })
    {
      self.architecture.shortcuts = .stages
    }
    if architecture == nil { self.architecture.styleCount = Self.styleCount(in: layers) }
    parameters = self.architecture.parameters
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
          "Model '\(name)' is not a style of the algorithm \(algorithm.rawValue): \(error)")
      }
    }
    let known = Set(parameters.map(\.layer))
    if let extra = layers.keys.sorted().first(where: {
      $0.hasSuffix(StyleArchitecture.shortcutSuffix) && !known.contains($0)
    }) {
      throw StyleTransferError(
        .network,
        "Model '\(name)' has the shortcut '\(extra)', which this network does not have. Use"
          + " another recipe, a model without that shortcut, or random weights.")
    }
  }
}

extension StyleNetwork {
  /// Returns the number of styles of a model with conditional norms. 0 if its norms have one style.
  private static func styleCount(in layers: [String: Spec.NeuralNetworkLayer]) -> Int {
    guard case .convolution(let scales)? = layers["encode1_norm_gamma"]?.layer else { return 0 }
    return Int(clamping: scales.kernelChannels)
  }
}

extension Spec.NeuralNetworkLayer {
  /// Returns the weights of this layer that have a role, or nil if it has none.
  fileprivate func weights(of role: StyleParameter.Role) -> Spec.WeightParams? {
    switch (layer, role) {
    case (.convolution(let convolution)?, .weights), (.convolution(let convolution)?, .gamma),
      (.convolution(let convolution)?, .beta):
      return convolution.weights
    case (.convolution(let convolution)?, .bias): return convolution.bias
    case (.batchnorm(let norm)?, .gamma): return norm.gamma
    case (.batchnorm(let norm)?, .beta): return norm.beta
    default: return nil
    }
  }
}
