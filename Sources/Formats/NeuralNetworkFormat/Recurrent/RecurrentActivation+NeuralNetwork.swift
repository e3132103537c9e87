import Graph
import ModelFormat
import Operators

extension RecurrentActivation {
  /// Reads an activation. If the model leaves both parameters at zero, the parameters get the defaults that
  /// coremltools' tests expect. The defaults are 1 and 1 for the scaled tanh, 0.2 and 0.5 for the hard sigmoid, and 1
  /// and 0 for the linear function.
  init(_ message: Spec.ActivationParams?, _ decoder: LayerDecoder) throws {
    switch message?.nonlinearityType {
    case .linear(let parameters)?:
      self =
        parameters.alpha == 0 && parameters.beta == 0
        ? .linear(alpha: 1, beta: 0)
        : .linear(alpha: parameters.alpha, beta: parameters.beta)
    case .sigmoid?: self = .sigmoid
    case .tanh?: self = .tanh
    case .reLU?: self = .reLU
    case .scaledTanh(let parameters)?:
      self =
        parameters.alpha == 0 && parameters.beta == 0
        ? .scaledTanh(alpha: 1, beta: 1)
        : .scaledTanh(alpha: parameters.alpha, beta: parameters.beta)
    case .sigmoidHard(let parameters)?:
      self =
        parameters.alpha == 0 && parameters.beta == 0
        ? .sigmoidHard(alpha: 0.2, beta: 0.5)
        : .sigmoidHard(alpha: parameters.alpha, beta: parameters.beta)
    default:
      throw decoder.invalid(
        "an activation is missing or not allowed in recurrent layers, expected linear, sigmoid, tanh, "
          + "ReLU, scaled tanh or hard sigmoid.")
    }
  }

  /// Reads `count` activations. Throws if the model has another number of activations.
  static func several(
    _ messages: [Spec.ActivationParams], _ count: Int, _ field: String, _ decoder: LayerDecoder
  ) throws -> [RecurrentActivation] {
    guard messages.count == count else {
      throw decoder.invalid("\(field) has \(messages.count) entries, expected \(count).")
    }
    return try messages.map { try RecurrentActivation($0, decoder) }
  }

  /// Returns the activation as a message.
  ///
  /// - Throws: `unsupported` if both parameters are 0, because a layer reads two zeros as the defaults.
  func message() throws -> Spec.ActivationParams {
    func nonzero(_ alpha: Float, _ beta: Float) throws {
      guard alpha != 0 || beta != 0 else {
        throw EngineError(
          .unsupported,
          "an activation with both factors 0 cannot be written: a layer reads 0 as the default.")
      }
    }
    switch self {
    case .linear(let alpha, let beta):
      try nonzero(alpha, beta)
      return .making {
        $0.nonlinearityType = .linear(.making { ($0.alpha, $0.beta) = (alpha, beta) })
      }
    case .sigmoid: return .making { $0.nonlinearityType = .sigmoid(.init()) }
    case .tanh: return .making { $0.nonlinearityType = .tanh(.init()) }
    case .reLU: return .making { $0.nonlinearityType = .reLU(.init()) }
    case .scaledTanh(let alpha, let beta):
      try nonzero(alpha, beta)
      return .making {
        $0.nonlinearityType = .scaledTanh(.making { ($0.alpha, $0.beta) = (alpha, beta) })
      }
    case .sigmoidHard(let alpha, let beta):
      try nonzero(alpha, beta)
      return .making {
        $0.nonlinearityType = .sigmoidHard(.making { ($0.alpha, $0.beta) = (alpha, beta) })
      }
    }
  }
}
