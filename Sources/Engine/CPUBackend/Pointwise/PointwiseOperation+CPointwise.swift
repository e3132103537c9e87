import Operators
import CPointwise

extension PointwiseOperation {
  /// The kernel library's name of the operation.
  var kernelKind: cpw_operation_kind {
    switch self {
    case .affine: return CPW_AFFINE
    case .constant: return CPW_CONSTANT
    case .clip: return CPW_CLIP
    case .power: return CPW_POWER
    case .leakyReLU: return CPW_LEAKY_RELU
    case .thresholdedReLU: return CPW_THRESHOLDED_RELU
    case .elu: return CPW_ELU
    case .softplus: return CPW_SOFTPLUS
    case .softsign: return CPW_SOFTSIGN
    case .tanh: return CPW_TANH
    case .sigmoid: return CPW_SIGMOID
    case .exponential: return CPW_EXP
    case .logarithm: return CPW_LOG
    case .squareRoot: return CPW_SQRT
    case .reciprocalSquareRoot: return CPW_RSQRT
    case .inverse: return CPW_INVERSE
    case .magnitude: return CPW_ABS
    case .floor: return CPW_FLOOR
    case .ceiling: return CPW_CEIL
    case .round: return CPW_ROUND
    case .sign: return CPW_SIGN
    case .powerOfTwo: return CPW_EXP2
    case .sine: return CPW_SIN
    case .cosine: return CPW_COS
    case .tangent: return CPW_TAN
    case .inverseSine: return CPW_ASIN
    case .inverseCosine: return CPW_ACOS
    case .inverseTangent: return CPW_ATAN
    case .hyperbolicSine: return CPW_SINH
    case .hyperbolicCosine: return CPW_COSH
    case .inverseHyperbolicSine: return CPW_ASINH
    case .inverseHyperbolicCosine: return CPW_ACOSH
    case .inverseHyperbolicTangent: return CPW_ATANH
    case .errorFunction: return CPW_ERF
    case .logicalNot: return CPW_NOT
    case .add: return CPW_ADD
    case .subtract: return CPW_SUBTRACT
    case .multiply: return CPW_MULTIPLY
    case .divide: return CPW_DIVIDE
    case .maximum: return CPW_MAXIMUM
    case .minimum: return CPW_MINIMUM
    case .pReLU: return CPW_PRELU
    case .raise: return CPW_POW
    case .modulo: return CPW_MODULO
    case .floorDivide: return CPW_FLOOR_DIVIDE
    case .isEqual: return CPW_EQUAL
    case .isNotEqual: return CPW_NOT_EQUAL
    case .isLess: return CPW_LESS
    case .isAtMost: return CPW_LESS_EQUAL
    case .isGreater: return CPW_GREATER
    case .isAtLeast: return CPW_GREATER_EQUAL
    case .logicalAnd: return CPW_AND
    case .logicalOr: return CPW_OR
    case .logicalXor: return CPW_XOR
    case .gate: return CPW_GATE
    case .keep: return CPW_KEEP
    case .drop: return CPW_DROP
    case .unite: return CPW_UNITE
    }
  }
}
