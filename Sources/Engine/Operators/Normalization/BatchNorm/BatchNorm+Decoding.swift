import Graph
import ModelFormat

extension BatchNormOperator {
  public init(decoding decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...1)
    guard case .batchnorm(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    let channels: Int = try decoder.size(message.channels, "channels")
    guard channels > 0 else { throw decoder.invalid("channels is 0, expected at least 1.") }
    let shape: Shape = [channels]
    func optional(_ weights: Spec.WeightParams?, _ field: String) throws -> Weights? {
      guard weights != nil else { return nil }
      return try decoder.weights(weights, shape: shape, field: field)
    }
    let statistics: Statistics
    if message.computeMeanVar {
      statistics = message.instanceNormalization ? .instance : .batch
    } else {
      statistics = .given(
        mean: try decoder.weights(message.mean, shape: shape, field: "mean"),
        variance: try decoder.weights(message.variance, shape: shape, field: "variance"))
    }
    self.init(
      channels: channels, statistics: statistics, gamma: try optional(message.gamma, "gamma"),
      beta: try optional(message.beta, "beta"),
      epsilon: message.epsilon == 0 ? 1e-5 : message.epsilon)
  }
}
