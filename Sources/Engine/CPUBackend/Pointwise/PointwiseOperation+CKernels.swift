import Operators
import CKernels

extension PointwiseOperation {
  /// The operation's name in CKernels.
  var kernelKind: ck_function {
    switch self {
    case .affine: return CK_AFFINE
    case .constant: return CK_CONSTANT
    case .clip: return CK_CLIP
    case .power: return CK_POWER
    case .leakyReLU: return CK_LEAKY_RELU
    case .thresholdedReLU: return CK_THRESHOLDED_RELU
    case .elu: return CK_ELU
    case .softplus: return CK_SOFTPLUS
    case .softsign: return CK_SOFTSIGN
    case .tanh: return CK_TANH
    case .sigmoid: return CK_SIGMOID
    case .exponential: return CK_EXP
    case .logarithm: return CK_LOG
    case .squareRoot: return CK_SQRT
    case .reciprocalSquareRoot: return CK_RSQRT
    case .inverse: return CK_INVERSE
    case .magnitude: return CK_ABS
    case .floor: return CK_FLOOR
    case .ceiling: return CK_CEIL
    case .round: return CK_ROUND
    case .roundToFloat16: return CK_ROUND_F16
    case .roundToBFloat16: return CK_ROUND_BF16
    case .sign: return CK_SIGN
    case .powerOfTwo: return CK_EXP2
    case .sine: return CK_SIN
    case .cosine: return CK_COS
    case .tangent: return CK_TAN
    case .inverseSine: return CK_ASIN
    case .inverseCosine: return CK_ACOS
    case .inverseTangent: return CK_ATAN
    case .hyperbolicSine: return CK_SINH
    case .hyperbolicCosine: return CK_COSH
    case .inverseHyperbolicSine: return CK_ASINH
    case .inverseHyperbolicCosine: return CK_ACOSH
    case .inverseHyperbolicTangent: return CK_ATANH
    case .errorFunction: return CK_ERF
    case .logicalNot: return CK_NOT
    case .add: return CK_ADD
    case .subtract: return CK_SUBTRACT
    case .multiply: return CK_MULTIPLY
    case .divide: return CK_DIVIDE
    case .maximum: return CK_MAXIMUM
    case .minimum: return CK_MINIMUM
    case .pReLU: return CK_PRELU
    case .raise: return CK_POW
    case .modulo: return CK_MODULO
    case .floorDivide: return CK_FLOOR_DIVIDE
    case .isEqual: return CK_EQUAL
    case .isNotEqual: return CK_NOT_EQUAL
    case .isLess: return CK_LESS
    case .isAtMost: return CK_LESS_EQUAL
    case .isGreater: return CK_GREATER
    case .isAtLeast: return CK_GREATER_EQUAL
    case .logicalAnd: return CK_AND
    case .logicalOr: return CK_OR
    case .logicalXor: return CK_XOR
    case .gate: return CK_GATE
    case .mask: return CK_MASK
    case .invertedMask: return CK_INVERTED_MASK
    case .bitwiseOr: return CK_BITWISE_OR
    }
  }
}
