import Graph
import Glibc
import ModelFormat

/// The activations of recurrent layers.
///
/// Parameters that the model leaves at zero have the values that coremltools' tests ask for: the
/// scaled tanh 1 and 1, the hard sigmoid 0.2 and 0.5, the linear function 1 and 0.
public enum RecurrentActivation: Sendable, Hashable {
  /// alpha · x + beta
  case linear(alpha: Float, beta: Float)
  case sigmoid
  case tanh
  case reLU
  /// alpha · tanh(beta · x)
  case scaledTanh(alpha: Float, beta: Float)
  /// min(max(alpha · x + beta, 0), 1)
  case sigmoidHard(alpha: Float, beta: Float)

  package init(_ message: Spec.ActivationParams?, _ decoder: LayerDecoder) throws {
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
        "an activation is missing or not one for recurrent layers, expected linear, sigmoid, tanh, "
          + "ReLU, scaled tanh or hard sigmoid.")
    }
  }

  /// The given number of activations; throws where the model has another number.
  package static func several(
    _ messages: [Spec.ActivationParams], _ count: Int, _ field: String, _ decoder: LayerDecoder
  ) throws -> [RecurrentActivation] {
    guard messages.count == count else {
      throw decoder.invalid("\(field) has \(messages.count) entries, expected \(count).")
    }
    return try messages.map { try RecurrentActivation($0, decoder) }
  }

  /// The function of a number.
  package func callAsFunction(_ x: Double) -> Double {
    switch self {
    case .linear(let alpha, let beta): return Double(alpha) * x + Double(beta)
    case .sigmoid: return 1 / (1 + exp(-x))
    case .tanh: return Glibc.tanh(x)
    case .reLU: return max(x, 0)
    case .scaledTanh(let alpha, let beta): return Double(alpha) * Glibc.tanh(Double(beta) * x)
    case .sigmoidHard(let alpha, let beta):
      return min(max(Double(alpha) * x + Double(beta), 0), 1)
    }
  }
}
