import Graph
import ModelFormat
import Operators

extension BatchNormOperator {
  /// Reads a batch norm layer. If the file has no values for γ or β, γ is 1 and β is 0.
  static func decode(_ decoder: LayerDecoder) throws -> DecodedLayer {
    try decoder.requireInputs(1...1)
    guard case .batchnorm(let message)? = decoder.message.layer else {
      throw decoder.invalid("the message is no batch norm.")
    }
    let channels: Int = try decoder.size(message.channels, "channels")
    guard channels > 0 else { throw decoder.invalid("channels is 0, expected at least 1.") }
    let shape: Shape = [channels]
    func optional(_ weights: Spec.WeightParams?, _ field: String, missing: Float) throws -> Constant
    {
      guard weights != nil else { return .repeating(missing, shape) }
      return try decoder.constant(weights, shape: shape, field: field)
    }
    let statistics: Statistics
    var given: [(role: String, value: Constant)] = []
    if message.computeMeanVar {
      statistics = message.instanceNormalization ? .instance : .batch
    } else {
      statistics = .given
      given = [
        ("mean", try decoder.constant(message.mean, shape: shape, field: "mean")),
        ("variance", try decoder.constant(message.variance, shape: shape, field: "variance")),
      ]
    }
    let factors: [(role: String, value: Constant)] = [
      ("gamma", try optional(message.gamma, "gamma", missing: 1)),
      ("beta", try optional(message.beta, "beta", missing: 0)),
    ]
    return DecodedLayer(
      BatchNormOperator(
        channels: channels, statistics: statistics,
        epsilon: message.epsilon == 0 ? 1e-5 : message.epsilon),
      constants: factors + given)
  }
}

extension BatchNormOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    var message = Spec.BatchnormLayerParams()
    message.channels = UInt64(channels)
    message.epsilon = epsilon
    message.gamma = try encoder.weights(1, "factors")
    message.beta = try encoder.weights(2, "shifts")
    if case .given = statistics {
      message.mean = try encoder.weights(3, "means")
      message.variance = try encoder.weights(4, "variances")
    } else {
      message.computeMeanVar = true
      message.instanceNormalization = isInstanceNormalization
    }
    encoder.layer.layer = .batchnorm(message)
  }
}
