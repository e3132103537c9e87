import Graph
import ModelFormat
import Operators

extension [LayerReader] {
  /// Layers of activation functions.
  package static let activation: [LayerReader] = [
    LayerReader("activation", ActivationOperator.self) { decoder in
      try decoder.requireInputs(1...1)
      guard case .activation(let message)? = decoder.message.layer else {
        preconditionFailure("the catalogue decodes by field")
      }
      return try decoder.activation(message)
    }
  ]
}

extension LayerDecoder {
  /// Makes the operator of an activation message. Per-channel parameters of the message become constants of the
  /// operator.
  fileprivate func activation(_ message: Spec.ActivationParams) throws -> DecodedLayer {
    let function: ActivationFunction
    switch message.nonlinearityType {
    case .linear(let it)?: function = .linear(alpha: it.alpha, beta: it.beta)
    case .reLU?: function = .reLU
    case .leakyReLU(let it)?: function = .leakyReLU(alpha: it.alpha)
    case .thresholdedReLU(let it)?: function = .thresholdedReLU(alpha: it.alpha)
    case .pReLU(let it)?:
      let alpha = try parameters(it.alpha, "alpha")
      guard alpha.count == 1 else {
        return DecodedLayer(ChannelActivationOperator(.pReLU), constants: [("alpha", alpha)])
      }
      function = .leakyReLU(alpha: try alpha.floats()[0])
    case .tanh?: function = .tanh
    case .scaledTanh(let it)?: function = .scaledTanh(alpha: it.alpha, beta: it.beta)
    case .sigmoid?: function = .sigmoid
    case .sigmoidHard(let it)?: function = .sigmoidHard(alpha: it.alpha, beta: it.beta)
    case .elu(let it)?: function = .elu(alpha: it.alpha)
    case .softsign?: function = .softsign
    case .softplus?: function = .softplus
    case .parametricSoftplus(let it)?:
      let alpha = try parameters(it.alpha, "alpha")
      let beta = try parameters(it.beta, "beta")
      guard alpha.count == beta.count || alpha.count == 1 || beta.count == 1 else {
        throw invalid(
          "alpha holds \(alpha.count) values and beta \(beta.count), expected equal counts, or 1.")
      }
      guard alpha.count == 1, beta.count == 1 else {
        return DecodedLayer(
          ChannelActivationOperator(.parametricSoftplus),
          constants: [("alpha", alpha), ("beta", beta)])
      }
      function = .parametricSoftplus(
        alpha: try alpha.floats()[0], beta: try beta.floats()[0])
    case nil:
      throw invalid(
        "the message names no activation function, expected one of the specification's 13. The file may be corrupt."
      )
    }
    return DecodedLayer(ActivationOperator(function))
  }

  /// Returns the values of a parameter: one value for all channels or one value per channel, whichever the file has.
  private func parameters(_ message: Spec.WeightParams?, _ field: String) throws -> Constant {
    let count = message?.storedCount ?? 0
    guard count > 0 else {
      throw invalid("\(field) holds no values, expected 1 or one per channel.")
    }
    return try constant(message, shape: [count], field: field).reshaped(to: [count, 1, 1])
  }
}
