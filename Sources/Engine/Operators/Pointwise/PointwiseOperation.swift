/// The operation of one step of a pointwise program. An operation may read the registers a and b and the numbers alpha
/// and beta.
public enum PointwiseOperation: Sendable, Hashable, CaseIterable {
  /// alpha · a + beta
  case affine
  /// alpha everywhere; a is ignored
  case constant
  /// min(max(a, alpha), beta)
  case clip
  /// a^alpha
  case power
  /// a where a ≥ 0, alpha · a elsewhere
  case leakyReLU
  /// a where a ≥ alpha, 0 elsewhere
  case thresholdedReLU
  /// a where a ≥ 0, alpha · (e^a − 1) elsewhere
  case elu
  /// log(1 + e^a)
  case softplus
  /// a / (1 + |a|)
  case softsign
  case tanh, sigmoid, exponential, logarithm, squareRoot
  /// 1 / √a
  case reciprocalSquareRoot
  /// 1 / a
  case inverse
  /// |a|
  case magnitude
  case floor, ceiling
  /// a rounded to the nearest integer, ties to even
  case round
  /// −1 where a is negative, 0 where a is 0, 1 where a is positive
  case sign
  /// 2^a
  case powerOfTwo
  case sine, cosine, tangent, inverseSine, inverseCosine, inverseTangent
  case hyperbolicSine, hyperbolicCosine
  case inverseHyperbolicSine, inverseHyperbolicCosine, inverseHyperbolicTangent
  case errorFunction
  /// 1 where a is 0, 0 elsewhere
  case logicalNot
  /// a rounded to the nearest value that float16 or bfloat16 can hold, ties to even
  case roundToFloat16, roundToBFloat16

  case add, subtract, multiply, divide
  /// NaN if a or b is NaN.
  case maximum, minimum
  /// a where a ≥ 0, a · b elsewhere
  case pReLU
  /// a^b
  case raise
  /// a − ⌊a / b⌋ · b, which has the sign of b
  case modulo
  /// ⌊a / b⌋
  case floorDivide
  /// 1 where the comparison of a with b holds, 0 elsewhere
  case isEqual, isNotEqual, isLess, isAtMost, isGreater, isAtLeast
  /// 1 where the logical operation on a and b gives true, 0 elsewhere; every operand except 0 is true
  case logicalAnd, logicalOr, logicalXor
  /// a where b > 0, 0 elsewhere
  case gate
  /// a where b is not 0, all bits 0 elsewhere
  case mask
  /// a where b is 0, all bits 0 elsewhere
  case invertedMask
  /// the bitwise or of a and b; combines the result of a mask with the result of an inverted mask
  case bitwiseOr
}
