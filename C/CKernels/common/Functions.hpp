// Included once per instruction set, after Vector.hpp.

/// The integers n nearest to x / ln 2, so that e^x = 2^n · e^r with a small r.
struct PowersOfTwo {
  Vector n;
#if CK_LEVEL < 2
  /// Its low bits hold n, because adding 1.5 · 2²³ rounds to an integer.
  Vector shifted;
#endif

  __attribute__((always_inline)) explicit PowersOfTwo(Vector x) {
#if CK_LEVEL >= 2
    n = __builtin_elementwise_rint(x * splat(1.44269504088896341f));
#else
    shifted = multiplyAdd(x, splat(1.44269504088896341f), splat(12582912.0f));
    n = shifted - splat(12582912.0f);
#endif
  }

  /// Returns p · 2^n.
  __attribute__((always_inline)) Vector times(Vector p) const {
#if CK_LEVEL >= 2
    return __builtin_bit_cast(
        Vector, _mm512_scalef_ps(__builtin_bit_cast(__m512, p), __builtin_bit_cast(__m512, n)));
#else
    // In two steps, because 2^n itself may lie outside the range of float32.
    const Integers power = __builtin_bit_cast(Integers, asBits(shifted) - 0x4b400000u);
    const Integers half = power >> 1;
    const Vector first = asFloat((Bits)(half + 127) << 23);
    const Vector second = asFloat((Bits)(power - half + 127) << 23);
    return p * first * second;
#endif
  }
};

/// Computes e^x within 2 units in the last place. With x = n · ln 2 + r and |r| ≤ ln 2 / 2, the result is 2^n · e^r. A
/// series up to r^7 gives e^r.
CK_INLINE Vector exponential(Vector x) {
  // NaN is passed through.
  Vector clamped = choose(x < splat(-104.0f), splat(-104.0f), x);
  clamped = choose(clamped > splat(89.0f), splat(89.0f), clamped);
  const PowersOfTwo powers(clamped);
  Vector r = multiplyAdd(powers.n, splat(-0.693359375f), clamped);
  r = multiplyAdd(powers.n, splat(2.12194440e-4f), r);
  Vector p = splat(1.0f / 5040.0f);
  p = multiplyAdd(p, r, splat(1.0f / 720.0f));
  p = multiplyAdd(p, r, splat(1.0f / 120.0f));
  p = multiplyAdd(p, r, splat(1.0f / 24.0f));
  p = multiplyAdd(p, r, splat(1.0f / 6.0f));
  p = multiplyAdd(p, r, splat(0.5f));
  p = multiplyAdd(p, r, splat(1.0f));
  p = multiplyAdd(p, r, splat(1.0f));
  return powers.times(p);
}

/// Computes e^x - 1 without cancellation near 0.
CK_INLINE Vector exponentialLessOne(Vector x) {
  Vector p = splat(1.0f / 40320.0f);
  p = multiplyAdd(p, x, splat(1.0f / 5040.0f));
  p = multiplyAdd(p, x, splat(1.0f / 720.0f));
  p = multiplyAdd(p, x, splat(1.0f / 120.0f));
  p = multiplyAdd(p, x, splat(1.0f / 24.0f));
  p = multiplyAdd(p, x, splat(1.0f / 6.0f));
  p = multiplyAdd(p, x, splat(0.5f));
  p = multiplyAdd(p, x, splat(1.0f));
  return choose(absolute(x) < 0.5f, p * x, exponential(x) - splat(1.0f));
}

/// Computes ln x = ln m + e · ln 2, where x = m · 2^e and m is in [√½, √2). A polynomial in m - 1 gives ln m.
CK_INLINE Vector logarithm(Vector x) {
  const Integers denormal = x < 0x1p-126f;
  const Vector scaled = choose(denormal, x * splat(0x1p24f), x);
  const Bits offset = asBits(scaled) - 0x3f3504f3u;
  const Integers exponent = __builtin_bit_cast(Integers, offset) >> 23;
  const Vector m = asFloat((offset & 0x007fffffu) + 0x3f3504f3u) - splat(1.0f);
  const Vector e =
      __builtin_convertvector(exponent, Vector) - choose(denormal, splat(24.0f), splat(0.0f));
  Vector z = m * m;
  Vector p = splat(7.0376836292e-2f);
  p = multiplyAdd(p, m, splat(-1.1514610310e-1f));
  p = multiplyAdd(p, m, splat(1.1676998740e-1f));
  p = multiplyAdd(p, m, splat(-1.2420140846e-1f));
  p = multiplyAdd(p, m, splat(1.4249322787e-1f));
  p = multiplyAdd(p, m, splat(-1.6668057665e-1f));
  p = multiplyAdd(p, m, splat(2.0000714765e-1f));
  p = multiplyAdd(p, m, splat(-2.4999993993e-1f));
  p = multiplyAdd(p, m, splat(3.3333331174e-1f));
  Vector y = p * m * z;
  y = multiplyAdd(e, splat(-2.12194440e-4f), y);
  y = multiplyAdd(z, splat(-0.5f), y);
  Vector result = multiplyAdd(e, splat(0.693359375f), m + y);
  result = choose(x == splat(0.0f), splat(-__builtin_inff()), result);
  result = choose(x == splat(__builtin_inff()), x, result);
  return choose((x < 0.0f) | (x != x), splat(__builtin_nanf("")), result);
}

CK_INLINE Vector hyperbolicTangent(Vector x) {
  Vector magnitude = absolute(x);
  Vector z = x * x;
  Vector p = splat(-5.70498872745e-3f);
  p = multiplyAdd(p, z, splat(2.06390887954e-2f));
  p = multiplyAdd(p, z, splat(-5.37397155531e-2f));
  p = multiplyAdd(p, z, splat(1.33314422036e-1f));
  p = multiplyAdd(p, z, splat(-3.33332819422e-1f));
  Vector small = multiplyAdd(p * z, x, x);
  Vector large =
      splat(1.0f) - splat(2.0f) / (exponential(magnitude + magnitude) + splat(1.0f));
  large = asFloat(asBits(large) | (asBits(x) & 0x80000000u));
  return choose(magnitude < 0.625f, small, large);
}

/// Computes erf x within 2 units in the last place: x times a polynomial in x² for |x| ≤ 1, and 1 − e^p(|x|) for larger
/// |x|. The polynomial p approximates ln(1 − erf x). From |x| = 4 on, the magnitude of the result is 1.
CK_INLINE Vector errorFunction(Vector x) {
  // NaN is passed through.
  const Vector magnitude = choose(absolute(x) > splat(4.0f), splat(4.0f), absolute(x));
  const Vector z = magnitude * magnitude;
  Vector small = splat(7.853839633753523e-05f);
  small = multiplyAdd(small, z, splat(-8.010187302716076e-04f));
  small = multiplyAdd(small, z, splat(5.188326817005873e-03f));
  small = multiplyAdd(small, z, splat(-2.6853810995817184e-02f));
  small = multiplyAdd(small, z, splat(1.128358542919159e-01f));
  small = multiplyAdd(small, z, splat(-3.761262595653534e-01f));
  small = multiplyAdd(small, z, splat(1.1283791065216064f));
  Vector p = splat(1.8558022021110949e-04f);
  p = multiplyAdd(p, magnitude, splat(-2.939666388556361e-03f));
  p = multiplyAdd(p, magnitude, splat(2.1805549040436745e-02f));
  p = multiplyAdd(p, magnitude, splat(-1.0303783416748047e-01f));
  p = multiplyAdd(p, magnitude, splat(-6.382251381874084e-01f));
  p = multiplyAdd(p, magnitude, splat(-1.1270403861999512f));
  p = multiplyAdd(p, magnitude, splat(-3.5364547511562705e-04f));
  Vector large = splat(1.0f) - exponential(p);
  large = asFloat(asBits(large) | (asBits(x) & 0x80000000u));
  return choose(magnitude < 1.0f, x * small, large);
}

CK_INLINE Vector logistic(Vector x) {
  return splat(1.0f) / (splat(1.0f) + exponential(-x));
}

/// Computes ln(1 + e^x) = max(x, 0) + ln(1 + e^-|x|), with ln(1 + y) = 2 artanh(y / (2 + y)).
CK_INLINE Vector softPlus(Vector x) {
  const Vector y = exponential(-absolute(x));
  const Vector s = y / (splat(2.0f) + y);
  const Vector z = s * s;
  Vector p = splat(2.0f / 17.0f);
  p = multiplyAdd(p, z, splat(2.0f / 15.0f));
  p = multiplyAdd(p, z, splat(2.0f / 13.0f));
  p = multiplyAdd(p, z, splat(2.0f / 11.0f));
  p = multiplyAdd(p, z, splat(2.0f / 9.0f));
  p = multiplyAdd(p, z, splat(2.0f / 7.0f));
  p = multiplyAdd(p, z, splat(2.0f / 5.0f));
  p = multiplyAdd(p, z, splat(2.0f / 3.0f));
  const Vector tail = multiplyAdd(s * z, p, s + s);
  return choose(x > 0.0f, x, splat(0.0f)) + tail;
}

/// Returns min(max(alpha · x + beta, 0), 1). NaN stays NaN.
CK_INLINE Vector hardSigmoid(Vector x, Vector alpha, Vector beta) {
  const Vector zero = splat(0.0f), one = splat(1.0f);
  Vector y = alpha * x + beta;
  y = choose(y < zero, zero, y);
  return choose(y > one, one, y);
}

/// Returns x · gate, and 0 where the gate is 0, so that −∞ · 0 is not NaN.
CK_INLINE Vector gated(Vector x, Vector gate) {
  const Vector zero = splat(0.0f);
  return choose(gate <= zero, zero, x * gate);
}

/// Applies an activation: a function that can be the last step of a convolution, a norm or a gate.
CK_INLINE Vector activate(ck_function function, Vector x, Vector alpha, Vector beta) {
  const Vector zero = splat(0.0f), one = splat(1.0f);
  switch (function) {
    case CK_AFFINE: return multiplyAdd(alpha, x, beta);
    case CK_RELU: return choose(x < zero, zero, x);
    case CK_LEAKY_RELU: return choose(x < zero, x * alpha, x);
    case CK_ELU: return choose(x < zero, alpha * exponentialLessOne(least(x, zero)), x);
    case CK_TANH: return hyperbolicTangent(x);
    case CK_SCALED_TANH: return alpha * hyperbolicTangent(beta * x);
    case CK_SIGMOID: return logistic(x);
    case CK_HARD_SIGMOID: return hardSigmoid(x, alpha, beta);
    case CK_SOFTPLUS: return softPlus(x);
    case CK_SOFTSIGN: return x / (one + absolute(x));
    case CK_THRESHOLDED_RELU: return choose(x < alpha, zero, x);
    case CK_PARAMETRIC_SOFTPLUS: return alpha * softPlus(beta * x);
    // NaN stays NaN.
    case CK_CLIP: {
      Vector y = choose(x < alpha, alpha, x);
      return choose(y > beta, beta, y);
    }
    case CK_SWISH: return x * logistic(alpha * x);
    case CK_HARD_SWISH: return gated(x, hardSigmoid(x, alpha, beta));
    case CK_HARD_SWISH_F16: return gated(x, roundToHalf(hardSigmoid(x, alpha, beta)));
    // The factor is clipped, so that −∞ · 0 is not NaN.
    case CK_GELU_ERF:
      return choose(x < splat(-100.0f), splat(-100.0f), x)
          * multiplyAdd(splat(0.5f), errorFunction(x * splat(0.70710678118654752f)), splat(0.5f));
    case CK_GELU_TANH: {
      const Vector inner = multiplyAdd(x * x, splat(0.035677408136300125f), splat(0.79788456080286536f)) * x;
      return choose(x < splat(-100.0f), splat(-100.0f), x)
          * multiplyAdd(splat(0.5f), hyperbolicTangent(inner), splat(0.5f));
    }
    default: return x;
  }
}

/// Applies any function of one value, except the functions that the C library computes.
CK_INLINE Vector apply(ck_function function, Vector x, Vector alpha, Vector beta) {
  const Vector zero = splat(0.0f), one = splat(1.0f);
  switch (function) {
    case CK_EXP: return exponential(x);
    case CK_LOG: return logarithm(x);
    case CK_ERF: return errorFunction(x);
    case CK_SQRT: return __builtin_elementwise_sqrt(x);
    case CK_RSQRT: return one / __builtin_elementwise_sqrt(x);
    case CK_INVERSE: return one / x;
    case CK_ABS: return absolute(x);
    case CK_FLOOR: return roundedDown(x);
    case CK_CEIL: return roundedUp(x);
    case CK_ROUND: return roundedToEven(x);
    case CK_SIGN: return choose(x > zero, one, zero) - choose(x < zero, one, zero);
    case CK_NOT: return choose(x == zero, one, zero);
    case CK_ROUND_F16: return roundToHalf(x);
    case CK_ROUND_BF16: return roundToBFloat16(x);
    default: return activate(function, x, alpha, beta);
  }
}

/// Applies any function of two values except powers.
CK_INLINE Vector combine(ck_function function, Vector a, Vector b) {
  const Vector zero = splat(0.0f), one = splat(1.0f);
  switch (function) {
    case CK_ADD: return a + b;
    case CK_SUBTRACT: return a - b;
    case CK_MULTIPLY: return a * b;
    case CK_DIVIDE: return a / b;
    // The result is not-a-number if a or b is not a number.
    case CK_MAXIMUM: return choose((a < b) | (b != b), b, a);
    case CK_MINIMUM: return choose((a > b) | (b != b), b, a);
    case CK_PRELU: return choose(a < zero, a * b, a);
    case CK_MODULO: return a - roundedDown(a / b) * b;
    case CK_FLOOR_DIVIDE: return roundedDown(a / b);
    case CK_EQUAL: return choose(a == b, one, zero);
    case CK_NOT_EQUAL: return choose(a != b, one, zero);
    case CK_LESS: return choose(a < b, one, zero);
    case CK_LESS_EQUAL: return choose(a <= b, one, zero);
    case CK_GREATER: return choose(a > b, one, zero);
    case CK_GREATER_EQUAL: return choose(a >= b, one, zero);
    case CK_AND: return choose((a != zero) & (b != zero), one, zero);
    case CK_OR: return choose((a != zero) | (b != zero), one, zero);
    case CK_XOR: return choose((a != zero) ^ (b != zero), one, zero);
    case CK_GATE: return choose(b > zero, a, zero);
    case CK_MASK: return choose(b != zero, a, zero);
    case CK_INVERTED_MASK: return choose(b == zero, a, zero);
    case CK_BITWISE_OR: return asFloat(asBits(a) | asBits(b));
    default: return a;
  }
}
