// Included once per instruction set, after Vector.hpp.

/// e^x within 2 units in the last place: x = n · ln 2 + r, |r| ≤ ln 2 / 2, and the series up to r^7.
CK_INLINE Vector exponential(Vector x) {
  Vector clamped = least(greatest(x, splat(-104.0f)), splat(89.0f));
  Vector n = __builtin_elementwise_rint(clamped * splat(1.44269504088896341f));
  Vector r = multiplyAdd(n, splat(-0.693359375f), clamped);
  r = multiplyAdd(n, splat(2.12194440e-4f), r);
  Vector p = splat(1.0f / 5040.0f);
  p = multiplyAdd(p, r, splat(1.0f / 720.0f));
  p = multiplyAdd(p, r, splat(1.0f / 120.0f));
  p = multiplyAdd(p, r, splat(1.0f / 24.0f));
  p = multiplyAdd(p, r, splat(1.0f / 6.0f));
  p = multiplyAdd(p, r, splat(0.5f));
  p = multiplyAdd(p, r, splat(1.0f));
  p = multiplyAdd(p, r, splat(1.0f));
  // 2^n in two factors, so that neither leaves the range.
  Integers whole = __builtin_convertvector(n, Integers);
  Integers half = whole >> 1;
  Vector first = asFloat((Bits)(half + 127) << 23);
  Vector second = asFloat((Bits)(whole - half + 127) << 23);
  return choose(x != x, x, p * first * second);
}

/// e^x - 1 without cancellation near 0.
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

/// ln x: x = m · 2^e with m in [√½, √2), and a polynomial in m - 1.
CK_INLINE Vector logarithm(Vector x) {
  Integers denormal = x < 0x1p-126f;
  Vector scaled = choose(denormal, x * splat(0x1p24f), x);
  Integers bits = __builtin_bit_cast(Integers, scaled);
  Integers exponent = (bits >> 23) - 126;
  Vector m = asFloat(((Bits)bits & 0x007fffffu) | 0x3f000000u);
  Integers low = m < 0.70710678118654752f;
  m = choose(low, m + m, m) - splat(1.0f);
  Vector e = __builtin_convertvector(exponent + low, Vector);
  e = choose(denormal, e - splat(24.0f), e);
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

CK_INLINE Vector logistic(Vector x) {
  return splat(1.0f) / (splat(1.0f) + exponential(-x));
}

/// ln(1 + e^x), with the small term's own error put right.
CK_INLINE Vector softPlus(Vector x) {
  Vector u = exponential(-absolute(x));
  Vector w = splat(1.0f) + u;
  Vector tail = logarithm(w) * (u / (w - splat(1.0f)));
  tail = choose(w == splat(1.0f), u, tail);
  return greatest(x, splat(0.0f)) + tail;
}

static Vector powers(Vector x, Vector y) {
  Vector result;
  for (int i = 0; i < 16; ++i) result[i] = __builtin_powf(x[i], y[i]);
  return result;
}

CK_INLINE Vector apply(ck_function function, Vector x, Vector alpha, Vector beta) {
  const Vector zero = splat(0.0f), one = splat(1.0f);
  switch (function) {
    case CK_IDENTITY: return x;
    case CK_RELU: return choose(x < zero, zero, x);
    case CK_LEAKY_RELU: return choose(x < zero, x * alpha, x);
    case CK_ELU: return choose(x < zero, alpha * exponentialLessOne(least(x, zero)), x);
    case CK_TANH: return hyperbolicTangent(x);
    case CK_SCALED_TANH: return alpha * hyperbolicTangent(beta * x);
    case CK_SIGMOID: return logistic(x);
    case CK_HARD_SIGMOID: {
      Vector y = alpha * x + beta;
      y = choose(y < zero, zero, y);
      return choose(y > one, one, y);
    }
    case CK_LINEAR: return multiplyAdd(alpha, x, beta);
    case CK_SOFTPLUS: return softPlus(x);
    case CK_SOFTSIGN: return x / (one + absolute(x));
    case CK_THRESHOLDED_RELU: return choose(x < alpha, zero, x);
    case CK_PARAMETRIC_SOFTPLUS: return alpha * softPlus(beta * x);
    case CK_SQRT: return __builtin_elementwise_sqrt(x);
    case CK_RSQRT: return one / __builtin_elementwise_sqrt(x + beta);
    case CK_INVERSE: return one / (x + beta);
    case CK_POWER: return powers(x, alpha);
    case CK_EXP: return exponential(x);
    case CK_LOG: return logarithm(x);
    case CK_ABS: return absolute(x);
    case CK_THRESHOLD: return choose(x < alpha, alpha, x);
    case CK_CLIP: {
      Vector y = choose(x < alpha, alpha, x);
      return choose(y > beta, beta, y);
    }
    case CK_SQUARE: return x * x;
    case CK_SWISH: return x * logistic(alpha * x);
  }
  return x;
}

CK_INLINE Vector combine(ck_operation operation, Vector a, Vector b) {
  switch (operation) {
    case CK_ADD: return a + b;
    case CK_SUBTRACT: return a - b;
    case CK_MULTIPLY: return a * b;
    case CK_DIVIDE: return a / b;
    // Not a number where one of the two is none.
    case CK_MAXIMUM: return choose((a < b) | (b != b), b, a);
    case CK_MINIMUM: return choose((a > b) | (b != b), b, a);
    case CK_POW: return powers(a, b);
  }
  return a;
}
