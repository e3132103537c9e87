import Graph
import ModelFormat
import Operators

extension LayerReader {
  static let categoricalDistribution = LayerReader("categoricalDistribution") {
    (decoder: LayerDecoder) -> CategoricalDistributionOperator in
    try decoder.requireInputs(1...1)
    guard case .categoricalDistribution(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    let count: Int = try decoder.integer(message.numSamples, "numSamples")
    guard count > 0 else {
      throw decoder.invalid("numSamples is \(count), expected at least 1.")
    }
    return CategoricalDistributionOperator(
      sampleCount: count, isLogits: message.isLogits,
      epsilon: message.eps == 0 ? 1e-10 : Double(message.eps),
      temperature: message.temperature == 0 ? 1 : Double(message.temperature), seed: message.seed)
  }
}

extension CategoricalDistributionOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    guard isLogits || epsilon != 0 else {
      throw EngineError(
        .unsupported, "an epsilon of 0 cannot be written: a NeuralNetwork reads 0 as 1e-10.")
    }
    encoder.layer.layer = .categoricalDistribution(
      .making {
        $0.numSamples = Int64(sampleCount)
        $0.isLogits = isLogits
        // An epsilon of 1e−10 is the default, and is written as 0. Readers take 0 for the default. A float32 cannot
        // hold 1e−10 exactly.
        $0.eps = epsilon == 1e-10 ? 0 : Float(epsilon)
        $0.temperature = Float(temperature)
        $0.seed = seed
      })
  }
}
