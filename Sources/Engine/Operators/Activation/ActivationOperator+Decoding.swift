import Graph
import ModelFormat

extension ActivationOperator {
  public init(decoding decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...1)
    guard case .activation(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    function = try ActivationFunction(message, decoder)
  }
}

extension ActivationFunction {
  /// The function that a message describes; recurrent layers read theirs this way too.
  package init(_ message: Spec.ActivationParams, _ decoder: LayerDecoder) throws {
    switch message.nonlinearityType {
    case .linear(let it)?: self = .linear(alpha: it.alpha, beta: it.beta)
    case .reLU?: self = .reLU
    case .leakyReLU(let it)?: self = .leakyReLU(alpha: it.alpha)
    case .thresholdedReLU(let it)?: self = .thresholdedReLU(alpha: it.alpha)
    case .pReLU(let it)?:
      self = .pReLU(alpha: try Self.parameters(it.alpha, "alpha", decoder))
    case .tanh?: self = .tanh
    case .scaledTanh(let it)?: self = .scaledTanh(alpha: it.alpha, beta: it.beta)
    case .sigmoid?: self = .sigmoid
    case .sigmoidHard(let it)?: self = .sigmoidHard(alpha: it.alpha, beta: it.beta)
    case .elu(let it)?: self = .elu(alpha: it.alpha)
    case .softsign?: self = .softsign
    case .softplus?: self = .softplus
    case .parametricSoftplus(let it)?:
      let alpha = try Self.parameters(it.alpha, "alpha", decoder)
      let beta = try Self.parameters(it.beta, "beta", decoder)
      guard alpha.count == beta.count || alpha.count == 1 || beta.count == 1 else {
        throw decoder.invalid(
          "alpha holds \(alpha.count) values and beta \(beta.count), expected as many or 1.")
      }
      self = .parametricSoftplus(alpha: alpha, beta: beta)
    case nil:
      throw decoder.invalid(
        "the message names no nonlinearity, expected one of the 13 of the specification. The file may be corrupt."
      )
    }
  }

  /// Parameters of one value, or one a channel; how many is what the file holds.
  private static func parameters(
    _ message: Spec.WeightParams?, _ field: String, _ decoder: LayerDecoder
  ) throws -> [Float] {
    let count = message?.storedCount ?? 0
    guard count > 0 else {
      throw decoder.invalid("\(field) holds no values, expected 1 or one a channel.")
    }
    return try decoder.weights(message, shape: [count], field: field).floats()
  }
}

extension Spec.WeightParams {
  /// The number of values that the message holds, judged by its bytes.
  fileprivate var storedCount: Int {
    if !floatValue.isEmpty { return floatValue.count }
    if !float16Value.isEmpty { return float16Value.count / 2 }
    if !rawValue.isEmpty {
      let bits = max(Int(clamping: quantization?.numberOfBits ?? 8), 1)
      return rawValue.count * 8 / bits
    }
    return int8RawValue.count
  }
}
