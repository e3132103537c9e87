import Operators
import CKernels

extension ActivationFunction {
  /// The function for the epilogues of CKernels.
  package var uniformFunction: (function: ck_function, alpha: Float, beta: Float)? {
    switch self {
    case .linear(let alpha, let beta): return (CK_AFFINE, alpha, beta)
    case .reLU: return (CK_RELU, 0, 0)
    case .leakyReLU(let alpha): return (CK_LEAKY_RELU, alpha, 0)
    case .thresholdedReLU(let alpha): return (CK_THRESHOLDED_RELU, alpha, 0)
    case .tanh: return (CK_TANH, 0, 0)
    case .scaledTanh(let alpha, let beta): return (CK_SCALED_TANH, alpha, beta)
    case .sigmoid: return (CK_SIGMOID, 0, 0)
    case .sigmoidHard(let alpha, let beta): return (CK_HARD_SIGMOID, alpha, beta)
    case .elu(let alpha): return (CK_ELU, alpha, 0)
    case .softsign: return (CK_SOFTSIGN, 0, 0)
    case .softplus: return (CK_SOFTPLUS, 0, 0)
    case .parametricSoftplus(let alpha, let beta): return (CK_PARAMETRIC_SOFTPLUS, alpha, beta)
    }
  }
}
