import Operators
import COneDNN

extension ActivationFunction {
  /// The function as a list of oneDNN's post-operations, for the epilogue of a convolution or product. Nil if oneDNN
  /// has no such post-operations.
  public var postOps: [adnn_post_op]? {
    switch self {
    case .linear(let alpha, let beta): return [.init(ADNN_LINEAR, alpha, beta)]
    case .reLU: return [.init(ADNN_RELU)]
    case .leakyReLU(let alpha): return [.init(ADNN_RELU, alpha)]
    case .tanh: return [.init(ADNN_TANH)]
    case .scaledTanh(let alpha, let beta):
      return [.init(ADNN_LINEAR, beta), .init(ADNN_TANH), .init(ADNN_LINEAR, alpha)]
    case .sigmoid: return [.init(ADNN_SIGMOID)]
    case .sigmoidHard(let alpha, let beta):
      return [.init(ADNN_LINEAR, alpha, beta), .init(ADNN_CLIP, 0, 1)]
    case .elu(let alpha): return [.init(ADNN_ELU, alpha)]
    case .softplus: return [.init(ADNN_SOFT_RELU)]
    case .parametricSoftplus(let alpha, let beta):
      return [.init(ADNN_LINEAR, beta), .init(ADNN_SOFT_RELU), .init(ADNN_LINEAR, alpha)]
    case .thresholdedReLU, .softsign: return nil
    }
  }
}

extension adnn_post_op {
  /// Creates a post-operation with the two parameters of its kind.
  package init(_ kind: adnn_post_op_kind, _ alpha: Float = 0, _ beta: Float = 0) {
    self.init(kind: kind, alpha: alpha, beta: beta, scale: 1)
  }
}
