import Foundation

/// An activation function with its parameters. The parameters are the same for all elements. A pass may fuse the
/// function into another operator, which then applies the function to its own results.
///
/// **Source:** `ActivationParams` in NeuralNetwork.proto. ELU: Clevert et al. (arXiv:1511.07289).
public enum ActivationFunction: Sendable, Hashable {
  /// alpha · x + beta
  case linear(alpha: Float, beta: Float)
  /// max(x, 0)
  case reLU
  /// x where x ≥ 0, alpha · x elsewhere
  case leakyReLU(alpha: Float)
  /// 0 where x < alpha, x elsewhere
  case thresholdedReLU(alpha: Float)
  /// tanh x
  case tanh
  /// alpha · tanh(beta · x)
  case scaledTanh(alpha: Float, beta: Float)
  /// 1 / (1 + e^−x)
  case sigmoid
  /// min(max(alpha · x + beta, 0), 1)
  case sigmoidHard(alpha: Float, beta: Float)
  /// x where x ≥ 0, alpha · (e^x − 1) elsewhere
  case elu(alpha: Float)
  /// x / (1 + |x|)
  case softsign
  /// log(1 + e^x)
  case softplus
  /// alpha · log(1 + e^(beta · x))
  case parametricSoftplus(alpha: Float, beta: Float)
}

extension ActivationFunction: CustomStringConvertible {
  /// The case and its parameters in Swift's notation, for example `leakyReLU(alpha: 0.1)`.
  public var description: String {
    switch self {
    case .linear(let alpha, let beta): "linear(alpha: \(alpha), beta: \(beta))"
    case .reLU: "reLU"
    case .leakyReLU(let alpha): "leakyReLU(alpha: \(alpha))"
    case .thresholdedReLU(let alpha): "thresholdedReLU(alpha: \(alpha))"
    case .tanh: "tanh"
    case .scaledTanh(let alpha, let beta): "scaledTanh(alpha: \(alpha), beta: \(beta))"
    case .sigmoid: "sigmoid"
    case .sigmoidHard(let alpha, let beta): "sigmoidHard(alpha: \(alpha), beta: \(beta))"
    case .elu(let alpha): "elu(alpha: \(alpha))"
    case .softsign: "softsign"
    case .softplus: "softplus"
    case .parametricSoftplus(let alpha, let beta):
      "parametricSoftplus(alpha: \(alpha), beta: \(beta))"
    }
  }
}

extension ActivationFunction {
  /// Computes the function in `Double`.
  public func callAsFunction(_ x: Double) -> Double {
    switch self {
    case .linear(let alpha, let beta): return Double(alpha) * x + Double(beta)
    case .reLU: return x < 0 ? 0 : x
    case .leakyReLU(let alpha): return x >= 0 ? x : Double(alpha) * x
    case .thresholdedReLU(let alpha): return x < Double(alpha) ? 0 : x
    case .tanh: return Foundation.tanh(x)
    case .scaledTanh(let alpha, let beta): return Double(alpha) * Foundation.tanh(Double(beta) * x)
    case .sigmoid: return 1 / (1 + exp(-x))
    case .sigmoidHard(let alpha, let beta): return min(max(Double(alpha) * x + Double(beta), 0), 1)
    case .elu(let alpha): return x >= 0 ? x : Double(alpha) * expm1(x)
    case .softsign: return x / (1 + x.magnitude)
    case .softplus: return UnaryFunction.softplus(x)
    case .parametricSoftplus(let alpha, let beta):
      return Double(alpha) * UnaryFunction.softplus(Double(beta) * x)
    }
  }
}

extension ActivationFunction {
  /// Whether the kernels of convolutions and matrix products can apply the function to their results.
  package var isProductEpilogue: Bool {
    switch self {
    case .thresholdedReLU, .softsign: return false
    default: return true
    }
  }
}
