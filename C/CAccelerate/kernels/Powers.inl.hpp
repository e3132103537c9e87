// Powers in single precision: 2 to the power of y log2 x. With AVX-512, pairs of floats hold the logarithm, and the
// error is at most 1.4 units in the last place. Otherwise the arithmetic is in double precision, and the error is at
// most 0.6 units.

typedef int32_t IntegerLanes __attribute__((ext_vector_type(16)));

#if CA_LEVEL == 2

/// For factors from 0.75 to 1.5, by the five highest bits of their fraction: a number of six bits near 1 / factor, and
/// its negative logarithm as a sum of two floats. The first has at most 16 bits after the point.
static const float inverses[32] = {
    0x1p+0f, 0x1.e8p-1f, 0x1.d8p-1f, 0x1.dp-1f, 0x1.cp-1f, 0x1.b8p-1f, 0x1.a8p-1f, 0x1.ap-1f, 0x1.98p-1f,
    0x1.88p-1f, 0x1.8p-1f, 0x1.78p-1f, 0x1.7p-1f, 0x1.68p-1f, 0x1.6p-1f, 0x1.58p-1f, 0x1.5p+0f, 0x1.48p+0f,
    0x1.48p+0f, 0x1.4p+0f, 0x1.38p+0f, 0x1.3p+0f, 0x1.3p+0f, 0x1.28p+0f, 0x1.2p+0f, 0x1.2p+0f, 0x1.18p+0f,
    0x1.1p+0f, 0x1.1p+0f, 0x1.08p+0f, 0x1.08p+0f, 0x1p+0f};
static const float logarithms[32] = {
    0, 0x1.1bbp-4f, 0x1.e0bp-4f, 0x1.22d8p-3f, 0x1.8a88p-3f, 0x1.bfc8p-3f, 0x1.169cp-2f, 0x1.32cp-2f,
    0x1.4f7p-2f, 0x1.8a88p-2f, 0x1.a9p-2f, 0x1.c818p-2f, 0x1.e7ep-2f, 0x1.042cp-1f, 0x1.14c6p-1f,
    0x1.25cp-1f, -0x1.91bcp-2f, -0x1.6e24p-2f, -0x1.6e24p-2f, -0x1.49a8p-2f, -0x1.244p-2f, -0x1.fbcp-3f,
    -0x1.fbcp-3f, -0x1.acf8p-3f, -0x1.5cp-3f, -0x1.5cp-3f, -0x1.08c8p-3f, -0x1.664p-4f, -0x1.664p-4f,
    -0x1.6bap-5f, -0x1.6bap-5f, 0};
static const float logarithmRests[32] = {
    0, 0x1.953002p-19f, 0x1.ae8f3p-20f, 0x1.6e155ap-18f, 0x1.80abfcp-19f, -0x1.858p-19f, 0x1.4d8fc6p-24f,
    -0x1.1c8f12p-22f, -0x1.134c4ep-20f, 0x1.80abfcp-18f, -0x1.a39fbep-20f, 0x1.dc2d46p-18f,
    -0x1.40358ep-19f, -0x1.5a32c2p-20f, -0x1.3e032ep-18f, 0x1.408c78p-18f, 0x1.5db83ap-20f, 0x1.e3263p-18f,
    0x1.e3263p-18f, 0x1.ed0cbap-20f, -0x1.eac382p-20f, -0x1.6b9026p-19f, -0x1.6b9026p-19f, 0x1.0e9258p-18f,
    -0x1.a39fbep-19f, -0x1.a39fbep-19f, 0x1.3b992cp-18f, 0x1.20a6dep-21f, 0x1.20a6dep-21f, -0x1.a6eb1ep-18f,
    -0x1.a6eb1ep-18f, 0};

/// 2 to the power of i / 16, as sums of two floats.
static const float roots[16] = {
    0x1p+0f, 0x1.0b5586p+0f, 0x1.172b84p+0f, 0x1.2387a6p+0f, 0x1.306fep+0f, 0x1.3dea64p+0f, 0x1.4bfdaep+0f,
    0x1.5ab07ep+0f, 0x1.6a09e6p+0f, 0x1.7a1148p+0f, 0x1.8ace54p+0f, 0x1.9c4918p+0f, 0x1.ae89fap+0f,
    0x1.c199bep+0f, 0x1.d5818ep+0f, 0x1.ea4afap+0f};
static const float rootRests[16] = {
    0, 0x1.9f3122p-25f, -0x1.c15742p-27f, 0x1.ceac48p-25f, 0x1.4636e2p-25f, 0x1.824684p-25f,
    -0x1.593abcp-25f, -0x1.5bd5ecp-27f, 0x1.9fcef4p-26f, -0x1.829fdp-25f, 0x1.15506ep-27f, 0x1.51f848p-27f,
    -0x1.a94b14p-26f, -0x1.3d56b2p-27f, -0x1.822dbcp-27f, 0x1.52486cp-27f};

CA_INLINE Lanes<float> entries(const float (&table)[32], IntegerLanes indices) {
  return _mm512_permutex2var_ps(
      _mm512_loadu_ps(table), __m512i(indices), _mm512_loadu_ps(table + 16));
}

CA_INLINE Lanes<float> entries(const float (&table)[16], IntegerLanes indices) {
  return _mm512_permutexvar_ps(__m512i(indices), _mm512_loadu_ps(table));
}

/// Computes x to the power of y, times 2 to the power of y times `added`, for positive normal x and finite y.
CA_INLINE Lanes<float> positivePowers(Lanes<float> x, Lanes<float> y, IntegerLanes added) {
  const auto fused = [](Lanes<float> a, Lanes<float> b, Lanes<float> c) __attribute__((always_inline)) {
    return __builtin_elementwise_fma(a, b, c);
  };
  // x = factor * 2^k. `exponent` is k shifted by the 23 bits of a fraction. 0x3f400000 are the bits of 0.75.
  const IntegerLanes exponent = (IntegerLanes(x) - 0x3f400000) & ~0x7fffff;
  const IntegerLanes factor = IntegerLanes(x) - exponent, index = factor >> 18;
  // The product has few enough bits that r is exact. |r| <= 1/32.
  const Lanes<float> r = fused(Lanes<float>(factor), entries(inverses, index), Lanes<float>(-1));
  // log2(1 + r) = r / ln 2 + r^2 (c + r q). Each sum is followed by its rounding error.
  const Lanes<float> k = __builtin_convertvector(exponent + (added << 23), Lanes<float>) * 0x1p-23f;
  const Lanes<float> whole = k + entries(logarithms, index);
  const Lanes<float> slope = 0x1.715476p+0f, c = -0x1.715476p-1f, square = r * r;
  const Lanes<float> linear = fused(r, slope, whole), linearError = fused(r, slope, whole - linear);
  const Lanes<float> quadratic = fused(square, c, linear), quadraticError = fused(square, c, linear - quadratic);
  const Lanes<float> q =
      ((-0x1.c4ac68p-3f * r + 0x1.27ad0cp-2f) * r - 0x1.715c0ep-2f) * r + 0x1.ec709cp-2f;
  const Lanes<float> small =
      square * (q * r) + (r * 0x1.4ae0cp-26f + entries(logarithmRests, index));
  const Lanes<float> logarithm = quadratic + small;
  const Lanes<float> rest = linearError + quadraticError + (small - (logarithm - quadratic));
  const Lanes<float> product = y * logarithm, productRest = fused(y, rest, fused(y, logarithm, -product));
  // Rounds to a multiple of 1/16, which the low bits of the sum contain.
  const Lanes<float> shifted = product + 0x1.8p19f, power = shifted - 0x1.8p19f;
  // Large products have no meaningful fraction: limits its magnitude, so that the result is 0 or infinity.
  const Lanes<float> fraction =
      _mm512_range_ps((product - power) + productRest, Lanes<float>(0x1p-4f), 2);
  const Lanes<float> p = ((0x1.c6b3f8p-5f * fraction + 0x1.ebff92p-3f) * fraction + 0x1.62e430p-1f) * fraction;
  const Lanes<float> root = entries(roots, IntegerLanes(shifted));
  return _mm512_scalef_ps(root + (root * p + entries(rootRests, IntegerLanes(shifted))), power);
}

#else

/// Computes 2 to the power of x.
CA_INLINE Lanes<double> powersOfTwo(Lanes<double> x) {
  // These limits have the powers 0 and infinity in single precision.
  x = __builtin_elementwise_min(__builtin_elementwise_max(x, Lanes<double>(-1000)), Lanes<double>(1000));
  // Rounds to an integer, which the low bits of the sum contain.
  const Lanes<double> shifted = x + 0x1.8p52, rest = x - (shifted - 0x1.8p52);
  const Lanes<double> p =
      (((((1.5345779771296525e-4 * rest + 1.3399929818629383e-3) * rest + 9.618489060964235e-3) * rest +
         5.5503287816624156e-2) * rest + 0.24022646890115523) * rest + 0.6931472057348868) * rest +
      1.0000000005541099;
  typedef int64_t Integers __attribute__((ext_vector_type(8)));
  return Lanes<double>(Integers(p) + (Integers(shifted) << 52));
}

/// Computes (factor * 2^k) to the power of y, for factors from 0.75 to 1.5.
CA_INLINE Lanes<double> splitPowers(Lanes<double> factor, Lanes<double> k, Lanes<double> y) {
  // log2 m = (2 / ln 2) artanh s
  const Lanes<double> s = (factor - 1) / (factor + 1), square = s * s;
  const Lanes<double> p =
      (((0x1.64bbfb20d219cp-2 * square + 0x1.a513ab80bfc9bp-2) * square + 0x1.2778a4980a902p-1) * square +
       0x1.ec709b5a13b34p-1) * square + 0x1.71547652d7f1bp+1;
  return powersOfTwo((s * p + k) * y);
}

/// Computes x to the power of y, times 2 to the power of y times `added`, for positive normal x and finite y.
CA_INLINE Lanes<float> positivePowers(Lanes<float> x, Lanes<float> y, IntegerLanes added) {
  // 0x3f400000 are the bits of 0.75.
  const IntegerLanes exponent = (IntegerLanes(x) - 0x3f400000) >> 23;
  const Lanes<float> factor = Lanes<float>(IntegerLanes(x) - (exponent << 23));
  const IntegerLanes k = exponent + added;
  typedef float Half __attribute__((ext_vector_type(8)));
  const Half low = __builtin_convertvector(
      splitPowers(
          __builtin_convertvector(factor.lo, Lanes<double>), __builtin_convertvector(k.lo, Lanes<double>),
          __builtin_convertvector(y.lo, Lanes<double>)),
      Half);
  const Half high = __builtin_convertvector(
      splitPowers(
          __builtin_convertvector(factor.hi, Lanes<double>), __builtin_convertvector(k.hi, Lanes<double>),
          __builtin_convertvector(y.hi, Lanes<double>)),
      Half);
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

#endif

/// Returns whether an x is not positive and normal, or a y is not finite.
CA_INLINE bool haveSpecialPower(Lanes<float> x, Lanes<float> y) {
#if CA_LEVEL == 2
  // Classes of numbers: NaN 0x81, infinity 0x18, zero 0x06, subnormal 0x20, negative 0x40.
  return _mm512_fpclass_ps_mask(x, 0xff) | _mm512_fpclass_ps_mask(y, 0x99);
#else
  typedef std::numeric_limits<float> Limits;
  return __builtin_reduce_or(
      ~((x >= Limits::min()) & (x <= Limits::max()) & (magnitude(y) <= Limits::max())));
#endif
}

/// Computes x to the power of y for any numbers, as C's powf.
__attribute__((noinline)) inline Lanes<float> specialPowers(Lanes<float> x, Lanes<float> y) {
  const Lanes<float> base = magnitude(x), one = 1, zero = 0, infinity = std::numeric_limits<float>::infinity();
  const IntegerLanes isSubnormal = base < std::numeric_limits<float>::min();
  Lanes<float> powers = positivePowers(isSubnormal ? base * 0x1p23f : base, y, isSubnormal & -23);
  const IntegerLanes isExtreme = (base == zero) | (base == infinity) | (magnitude(y) == infinity);
  const IntegerLanes isLarge = (base > one) == (y > zero);
  powers = isExtreme ? (isLarge ? infinity : zero) : powers;
  powers = base == one ? one : powers;
  const Lanes<float> half = y * 0.5f;
  const IntegerLanes isInteger = truncated(y) == y, isOdd = isInteger & (truncated(half) != half);
  powers = (IntegerLanes(x) < 0) & isOdd ? -powers : powers;
  const IntegerLanes isUndefined = (x < zero) & (base != infinity) & ~isInteger;
  powers = isUndefined ? Lanes<float>(std::numeric_limits<float>::quiet_NaN()) : powers;
  const IntegerLanes isNaN = (x != x) | (y != y), isOne = (x == one) | (y == zero);
  return isOne ? one : (isNaN ? x + y : powers);
}

CA_INLINE Lanes<float> powers(Lanes<float> x, Lanes<float> y) {
  if (__builtin_expect(haveSpecialPower(x, y), false)) return specialPowers(x, y);
  return positivePowers(x, y, IntegerLanes(0));
}

/// z[i] = x[i] to the power of y[i * step]. `step` is 1, or 0 if y is a scalar.
inline void powFunction(float *z, const float *x, const float *y, long step, long n) {
  constexpr long width = laneCount<float>;
  if (n <= 0) return;
  Lanes<float> exponents = y[0];
  const long whole = n / width * width;
  for (long i = 0; i < whole; i += width) {
    if (step) exponents = load(y + i);
    store(z + i, powers(load(x + i), exponents));
  }
  const size_t left = size_t(n - whole) * sizeof(float);
  if (left == 0) return;
  Lanes<float> bases = 1;
  memcpy(&bases, x + whole, left);
  if (step) {
    exponents = 1;
    memcpy(&exponents, y + whole, left);
  }
  const Lanes<float> last = powers(bases, exponents);
  memcpy(z + whole, &last, left);
}
