import COneDNN
import Foundation

/// A nonlinearity of the activation layer, with its parameters.
///
/// Parameters of a channel count C hold one value for each channel (axis −3), or one value for all.
///
/// **Source:** `ActivationParams` in NeuralNetwork.proto. PReLU: He et al. (arXiv:1502.01852), ELU:
/// Clevert et al. (arXiv:1511.07289).
public enum ActivationFunction: Sendable, Equatable {
  /// alpha · x + beta
  case linear(alpha: Float, beta: Float)
  /// max(x, 0)
  case reLU
  /// x where x ≥ 0, alpha · x elsewhere
  case leakyReLU(alpha: Float)
  /// 0 where x < alpha, x elsewhere
  case thresholdedReLU(alpha: Float)
  /// x where x ≥ 0, alpha[c] · x elsewhere
  case pReLU(alpha: [Float])
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
  /// alpha[c] · log(1 + e^(beta[c] · x))
  case parametricSoftplus(alpha: [Float], beta: [Float])
}

extension ActivationFunction {
  /// The numbers of values in parameters that go by channel; empty for functions without.
  public var channelParameterCounts: [Int] {
    switch self {
    case .pReLU(let alpha): return [alpha.count]
    case .parametricSoftplus(let alpha, let beta): return [alpha.count, beta.count]
    default: return []
    }
  }

  /// Whether every channel has parameters of its own.
  public var isPerChannel: Bool { channelParameterCounts.contains { $0 > 1 } }

  /// The definition, for a value of channel `channel`.
  public func callAsFunction(_ x: Double, channel: Int = 0) -> Double {
    switch self {
    case .linear(let alpha, let beta): return Double(alpha) * x + Double(beta)
    case .reLU: return x < 0 ? 0 : x
    case .leakyReLU(let alpha): return x >= 0 ? x : Double(alpha) * x
    case .thresholdedReLU(let alpha): return x < Double(alpha) ? 0 : x
    case .pReLU(let alpha): return x >= 0 ? x : Self.value(alpha, channel) * x
    case .tanh: return Foundation.tanh(x)
    case .scaledTanh(let alpha, let beta): return Double(alpha) * Foundation.tanh(Double(beta) * x)
    case .sigmoid: return 1 / (1 + exp(-x))
    case .sigmoidHard(let alpha, let beta): return min(max(Double(alpha) * x + Double(beta), 0), 1)
    case .elu(let alpha): return x >= 0 ? x : Double(alpha) * expm1(x)
    case .softsign: return x / (1 + abs(x))
    case .softplus: return Self.softplusValue(x)
    case .parametricSoftplus(let alpha, let beta):
      return Self.value(alpha, channel) * Self.softplusValue(Self.value(beta, channel) * x)
    }
  }

  private static func value(_ values: [Float], _ channel: Int) -> Double {
    Double(values.count == 1 ? values[0] : values[channel])
  }

  private static func softplusValue(_ x: Double) -> Double { max(x, 0) + log1p(exp(-abs(x))) }
}

extension ActivationFunction {
  /// The same function as oneDNN's post-operations in their order, for the epilogue of a convolution
  /// or product; nil where it has none.
  ///
  /// With PReLU of several channels, the one post-op wants ``postOpOperand`` at execution.
  public var postOps: [adnn_post_op]? {
    switch self {
    case .linear(let alpha, let beta): return [.init(ADNN_LINEAR, alpha, beta)]
    case .reLU: return [.init(ADNN_RELU)]
    case .leakyReLU(let alpha): return [.init(ADNN_RELU, alpha)]
    case .pReLU(let alpha):
      return alpha.count == 1 ? [.init(ADNN_RELU, alpha[0])] : [.init(ADNN_PRELU)]
    case .tanh: return [.init(ADNN_TANH)]
    case .scaledTanh(let alpha, let beta):
      return [.init(ADNN_LINEAR, beta), .init(ADNN_TANH), .init(ADNN_LINEAR, alpha)]
    case .sigmoid: return [.init(ADNN_SIGMOID)]
    case .sigmoidHard(let alpha, let beta):
      return [.init(ADNN_LINEAR, alpha, beta), .init(ADNN_CLIP, 0, 1)]
    case .elu(let alpha): return [.init(ADNN_ELU, alpha)]
    case .softplus: return [.init(ADNN_SOFT_RELU)]
    case .parametricSoftplus(let alpha, let beta):
      guard alpha.count == 1, beta.count == 1 else { return nil }
      return [
        .init(ADNN_LINEAR, beta[0]), .init(ADNN_SOFT_RELU), .init(ADNN_LINEAR, alpha[0]),
      ]
    case .thresholdedReLU, .softsign: return nil
    }
  }

  /// The `float32` operand of the PReLU post-op, one value a channel; nil for other functions.
  public var postOpOperand: [Float]? {
    if case .pReLU(let alpha) = self, alpha.count > 1 { return alpha }
    return nil
  }
}

extension adnn_post_op {
  /// A post-op with the two parameters of its kind.
  package init(_ kind: adnn_post_op_kind, _ alpha: Float = 0, _ beta: Float = 0) {
    self.init(
      kind: kind, alpha: alpha, beta: beta, scale: 1, operand: ADNN_OPERAND_PER_CHANNEL,
      operand_type: ADNN_F32)
  }
}
