import Graph
import ModelFormat
import Operators

extension LayerNormalizationOperator {
  /// Reads a layer normalisation.
  static func decode(_ decoder: LayerDecoder) throws -> DecodedLayer {
    try decoder.requireInputs(1...1)
    guard case .layerNormalization(let message)? = decoder.message.layer else {
      throw decoder.invalid("the message is no layer normalisation.")
    }
    let sizes: [Int] = try message.normalizedShape.map {
      try decoder.integer($0, "normalizedShape")
    }
    guard !sizes.isEmpty, sizes.allSatisfy({ $0 > 0 }) else {
      throw decoder.invalid(
        "normalizedShape is [\(Shape(sizes))], expected one or more positive sizes.")
    }
    let shape = Shape(sizes)
    var constants: [(role: String, value: Constant)] = []
    for (field, weights) in [("gamma", message.gamma), ("beta", message.beta)] where weights != nil
    {
      constants.append((field, try decoder.constant(weights, shape: shape, field: field)))
    }
    return DecodedLayer(
      LayerNormalizationOperator(
        normalizedShape: shape, epsilon: message.eps, hasGamma: message.gamma != nil,
        hasBeta: message.beta != nil),
      constants: constants)
  }
}

extension LayerNormalizationOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    var message = Spec.LayerNormalizationLayerParams()
    message.normalizedShape = normalizedShape.dimensions.map { Int64($0) }
    message.eps = epsilon
    if let gammaInput { message.gamma = try encoder.weights(gammaInput, "factors") }
    if let betaInput { message.beta = try encoder.weights(betaInput, "shifts") }
    encoder.layer.layer = .layerNormalization(message)
  }
}

extension MeanVarianceNormalizeOperator {
  /// Reads a mean and variance normalisation.
  init(decoding decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...1)
    guard case .mvn(let message)? = decoder.message.layer else {
      throw decoder.invalid("the message is no mean and variance normalisation.")
    }
    self.init(
      acrossChannels: message.acrossChannels, normalizesVariance: message.normalizeVariance,
      epsilon: message.epsilon == 0 ? 1e-6 : message.epsilon)
  }
}

extension MeanVarianceNormalizeOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    var message = Spec.MeanVarianceNormalizeLayerParams()
    message.acrossChannels = acrossChannels
    message.normalizeVariance = normalizesVariance
    message.epsilon = epsilon
    encoder.layer.layer = .mvn(message)
  }
}

extension L2NormalizeOperator {
  /// Reads an L2 normalisation.
  init(decoding decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...1)
    guard case .l2normalize(let message)? = decoder.message.layer else {
      throw decoder.invalid("the message is no L2 normalisation.")
    }
    self.init(epsilon: message.epsilon == 0 ? 1e-6 : message.epsilon)
  }
}

extension L2NormalizeOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    var message = Spec.L2NormalizeLayerParams()
    message.epsilon = epsilon
    encoder.layer.layer = .l2normalize(message)
  }
}

extension LocalResponseNormalizationOperator {
  /// Reads a local response normalisation.
  init(decoding decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...1)
    guard case .lrn(let message)? = decoder.message.layer else {
      throw decoder.invalid("the message is no local response normalisation.")
    }
    let size: Int = try decoder.size(message.localSize, "localSize")
    guard size > 0 else { throw decoder.invalid("localSize is 0, expected at least 1 channel.") }
    guard message.k >= 0 else {
      throw decoder.invalid("k is \(message.k), expected a positive number.")
    }
    self.init(
      alpha: message.alpha, beta: message.beta, size: size, k: message.k == 0 ? 1 : message.k)
  }
}

extension LocalResponseNormalizationOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    var message = Spec.LRNLayerParams()
    message.localSize = UInt64(size)
    (message.alpha, message.beta, message.k) = (alpha, beta, k)
    encoder.layer.layer = .lrn(message)
  }
}

extension SoftmaxOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    encoder.layer.layer = .softmax(Spec.SoftmaxLayerParams())
  }
}

extension SoftmaxNDOperator {
  /// Reads a softmax over an axis.
  init(decoding decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...1)
    guard case .softmaxND(let message)? = decoder.message.layer else {
      throw decoder.invalid("the message is no softmax over an axis.")
    }
    self.init(axis: try decoder.integer(message.axis, "axis"))
  }
}

extension SoftmaxNDOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    var message = Spec.SoftmaxNDLayerParams()
    message.axis = Int64(axis)
    encoder.layer.layer = .softmaxND(message)
  }
}
