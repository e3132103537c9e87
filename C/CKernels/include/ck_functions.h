#ifndef ATELIER_CK_FUNCTIONS_H
#define ATELIER_CK_FUNCTIONS_H

/// Functions of one value a, or of two values a and b, with the parameters alpha and beta.
///
/// The functions of the first group (up to CK_CLIP) can be activations. An activation is the last step of a
/// convolution, a norm or a gate. All functions can be operations of a pointwise program.
typedef enum ck_function {
  // MARK: Activations

  CK_IDENTITY = 0,
  /// alpha · a + beta
  CK_AFFINE = 1,
  /// max(a, 0)
  CK_RELU = 2,
  /// a where a ≥ 0, alpha · a elsewhere
  CK_LEAKY_RELU = 3,
  /// a where a ≥ 0, alpha · (e^a − 1) elsewhere
  CK_ELU = 4,
  CK_TANH = 5,
  /// alpha · tanh(beta · a)
  CK_SCALED_TANH = 6,
  CK_SIGMOID = 7,
  /// min(max(alpha · a + beta, 0), 1)
  CK_HARD_SIGMOID = 8,
  /// log(1 + e^a)
  CK_SOFTPLUS = 9,
  /// a / (1 + |a|)
  CK_SOFTSIGN = 10,
  /// a where a ≥ alpha, 0 elsewhere
  CK_THRESHOLDED_RELU = 11,
  /// alpha · log(1 + e^(beta · a))
  CK_PARAMETRIC_SOFTPLUS = 12,
  /// min(max(a, alpha), beta)
  CK_CLIP = 13,

  // MARK: Other functions of one value

  CK_EXP = 14,
  CK_LOG = 15,
  CK_SQRT = 16,
  /// 1 / √a
  CK_RSQRT = 17,
  /// 1 / a
  CK_INVERSE = 18,
  /// a^alpha
  CK_POWER = 19,
  CK_ABS = 20,
  CK_FLOOR = 21,
  CK_CEIL = 22,
  /// The nearest integer to a, halves to even.
  CK_ROUND = 23,
  /// −1, 0 or 1
  CK_SIGN = 24,
  /// 2^a
  CK_EXP2 = 25,
  CK_SIN = 26,
  CK_COS = 27,
  CK_TAN = 28,
  CK_ASIN = 29,
  CK_ACOS = 30,
  CK_ATAN = 31,
  CK_SINH = 32,
  CK_COSH = 33,
  CK_ASINH = 34,
  CK_ACOSH = 35,
  CK_ATANH = 36,
  CK_ERF = 37,
  /// 1 where a is 0, 0 elsewhere
  CK_NOT = 38,
  /// alpha everywhere; a is ignored
  CK_CONSTANT = 39,
  /// The nearest value that float16 or bfloat16 can represent, ties to even, as IEEE 754 defines. Subnormal numbers
  /// stay subnormal. Values that are too large become infinite. Not-a-number stays not-a-number.
  CK_ROUND_F16 = 40,
  CK_ROUND_BF16 = 41,

  // MARK: Activations of convolutions and products only

  /// a / (1 + e^(−alpha · a)). Gives NaN at −∞.
  CK_SWISH = 48,
  /// The Gaussian error linear unit: max(a, −100) / 2 · (1 + erf(a / √2)), and its approximation by tanh.
  CK_GELU_ERF = 49,
  CK_GELU_TANH = 50,
  /// a · g with the gate g = min(max(alpha · a + beta, 0), 1). 0 where the gate is 0, also at −∞. `CK_HARD_SWISH_F16`
  /// rounds the gate to float16.
  CK_HARD_SWISH = 51,
  CK_HARD_SWISH_F16 = 52,

  // MARK: Functions of two values

  CK_ADD = 64,
  CK_SUBTRACT = 65,
  CK_MULTIPLY = 66,
  CK_DIVIDE = 67,
  /// CK_MAXIMUM gives the greater of a and b, CK_MINIMUM the lesser. Both give not-a-number if a or b is not a number.
  CK_MAXIMUM = 68,
  CK_MINIMUM = 69,
  /// a where a ≥ 0, a · b elsewhere
  CK_PRELU = 70,
  /// a^b
  CK_POW = 71,
  /// a − floor(a / b) · b. The result has the sign of b.
  CK_MODULO = 72,
  /// floor(a / b)
  CK_FLOOR_DIVIDE = 73,
  /// Comparisons give 1 or 0.
  CK_EQUAL = 74,
  CK_NOT_EQUAL = 75,
  CK_LESS = 76,
  CK_LESS_EQUAL = 77,
  CK_GREATER = 78,
  CK_GREATER_EQUAL = 79,
  /// AND, OR and XOR treat any number except 0 as true. They give 1 or 0.
  CK_AND = 80,
  CK_OR = 81,
  CK_XOR = 82,
  /// a where b > 0, 0 elsewhere
  CK_GATE = 83,
  /// a where b is not 0, all bits 0 elsewhere
  CK_MASK = 84,
  /// a where b is 0, all bits 0 elsewhere
  CK_INVERTED_MASK = 85,
  /// The bits of a or of b: merges the results of `CK_MASK` and `CK_INVERTED_MASK`.
  CK_BITWISE_OR = 86,
} ck_function;

#endif
