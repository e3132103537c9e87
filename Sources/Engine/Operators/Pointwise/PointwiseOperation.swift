/// What one step of a pointwise program computes from the registers a and b and the numbers alpha and
/// beta.
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
  /// To the nearest whole number, halves to the even one.
  case round
  /// −1, 0 or 1
  case sign
  /// 2^a
  case powerOfTwo
  case sine, cosine, tangent, inverseSine, inverseCosine, inverseTangent
  case hyperbolicSine, hyperbolicCosine
  case inverseHyperbolicSine, inverseHyperbolicCosine, inverseHyperbolicTangent
  case errorFunction
  /// 1 where a is 0, 0 elsewhere
  case logicalNot
  /// The nearest value that the smaller type can hold, ties to even.
  case roundToFloat16, roundToBFloat16

  case add, subtract, multiply, divide
  /// NaN where one of the two is.
  case maximum, minimum
  /// a where a ≥ 0, a · b elsewhere
  case pReLU
  /// a^b
  case raise
  /// a − ⌊a / b⌋ · b: the sign of b
  case modulo
  /// ⌊a / b⌋
  case floorDivide
  /// 1 where it holds, 0 elsewhere.
  case isEqual, isNotEqual, isLess, isAtMost, isGreater, isAtLeast
  /// Of truth values: anything but 0 is true.
  case logicalAnd, logicalOr, logicalXor
  /// a where b > 0, 0 elsewhere
  case gate
  /// a where b is not 0, all bits 0 elsewhere
  case keep
  /// a where b is 0, all bits 0 elsewhere
  case drop
  /// The bits of a or of b: joins what the two before keep and drop.
  case unite
}
