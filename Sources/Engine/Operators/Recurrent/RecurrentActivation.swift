import Graph
import Glibc

/// The activations of recurrent operators.
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

  /// Applies the activation to one number.
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
