// Included once per instruction set, inside its namespace and its target attribute.

typedef float Vector __attribute__((ext_vector_type(16)));
typedef int32_t Integers __attribute__((ext_vector_type(16)));
typedef uint32_t Bits __attribute__((ext_vector_type(16)));
typedef uint16_t Halves __attribute__((ext_vector_type(16)));
typedef uint8_t Octets __attribute__((ext_vector_type(16)));
typedef float HalfVector __attribute__((ext_vector_type(8)));
typedef Vector LooseVector __attribute__((aligned(4)));
typedef HalfVector LooseHalfVector __attribute__((aligned(4)));
typedef Bits LooseBits __attribute__((aligned(4)));
typedef Halves LooseHalves __attribute__((aligned(2)));
typedef Octets LooseOctets __attribute__((aligned(1)));

/// For methods of a value, and for functions.
#define CK_INLINE_MEMBER inline __attribute__((always_inline))
#define CK_INLINE static CK_INLINE_MEMBER

CK_INLINE Vector splat(float value) { return (Vector)(value); }
CK_INLINE Vector asFloat(Bits bits) { return __builtin_bit_cast(Vector, bits); }
CK_INLINE Bits asBits(Vector value) { return __builtin_bit_cast(Bits, value); }
CK_INLINE Vector choose(Integers condition, Vector yes, Vector no) {
  return condition ? yes : no;
}
CK_INLINE Vector least(Vector a, Vector b) { return choose(a < b, a, b); }
CK_INLINE Vector greatest(Vector a, Vector b) { return choose(a > b, a, b); }
CK_INLINE Vector absolute(Vector a) { return asFloat(asBits(a) & 0x7fffffffu); }

/// Computes a · b + c, with one rounding if the instruction set has a fused multiply-add.
CK_INLINE Vector multiplyAdd(Vector a, Vector b, Vector c) {
#if CK_LEVEL >= 1
  return __builtin_elementwise_fma(a, b, c);
#else
  return a * b + c;
#endif
}

// MARK: Rounding

#if CK_LEVEL >= 1
CK_INLINE Vector roundedToEven(Vector a) { return __builtin_elementwise_rint(a); }
CK_INLINE Vector roundedDown(Vector a) { return __builtin_elementwise_floor(a); }
CK_INLINE Vector roundedUp(Vector a) { return __builtin_elementwise_ceil(a); }
#else
/// Rounds to the nearest integer, halves to even. Adds a number so large that no fraction bits remain. Values from 2²³
/// on are integers already. NaN and the sign of zero are preserved.
CK_INLINE Vector roundedToEven(Vector a) {
  const Vector size = absolute(a);
  const Vector integral = (size + splat(8388608.0f)) - splat(8388608.0f);
  return choose(size < splat(8388608.0f), asFloat(asBits(integral) | (asBits(a) & 0x80000000u)), a);
}
CK_INLINE Vector roundedDown(Vector a) {
  const Vector near = roundedToEven(a);
  return choose(near > a, near - splat(1.0f), near);
}
CK_INLINE Vector roundedUp(Vector a) {
  const Vector near = roundedToEven(a);
  const Vector up = choose(near < a, near + splat(1.0f), near);
  return asFloat(asBits(up) | (asBits(a) & 0x80000000u));
}
#endif

// MARK: bfloat16 and float16

CK_INLINE Vector widenBFloat16(Halves bits) {
  return asFloat(__builtin_convertvector(bits, Bits) << 16);
}

/// Rounds to the nearest bfloat16, ties to even; NaN stays NaN.
CK_INLINE Halves narrowToBFloat16(Vector value) {
#if CK_LEVEL >= 3
  return __builtin_bit_cast(Halves, _mm512_cvtneps_pbh(__builtin_bit_cast(__m512, value)));
#else
  Bits bits = asBits(value);
  Bits rounded = bits + 0x7fffu + ((bits >> 16) & 1u);
  rounded = (value != value) ? (bits | 0x400000u) : rounded;
  return __builtin_convertvector(rounded >> 16, Halves);
#endif
}

#if CK_LEVEL == 1
/// The two halves of a vector of 16 floats. Each half fills one AVX register.
struct VectorParts {
  __m256 low, high;
};
struct HalfParts {
  __m128i low, high;
};
#endif

CK_INLINE Vector widenHalf(Halves bits) {
#if CK_LEVEL >= 2
  return __builtin_bit_cast(Vector, _mm512_cvtph_ps(__builtin_bit_cast(__m256i, bits)));
#elif CK_LEVEL >= 1
  const HalfParts parts = __builtin_bit_cast(HalfParts, bits);
  return __builtin_bit_cast(
      Vector, (VectorParts{_mm256_cvtph_ps(parts.low), _mm256_cvtph_ps(parts.high)}));
#else
  Bits h = __builtin_convertvector(bits, Bits);
  Bits sign = (h & 0x8000u) << 16;
  // The multiplication normalises a denormal. The largest exponent means infinity or NaN.
  Vector magnitude = asFloat((h & 0x7fffu) << 13) * splat(0x1p112f);
  Bits special = (h & 0x7fffu) >= 0x7c00u ? (Bits)(0x7f800000u) : (Bits)(0u);
  return asFloat(asBits(magnitude) | sign | special);
#endif
}

CK_INLINE Halves narrowToHalf(Vector value) {
#if CK_LEVEL >= 2
  return __builtin_bit_cast(
      Halves, _mm512_cvtps_ph(__builtin_bit_cast(__m512, value), _MM_FROUND_TO_NEAREST_INT));
#elif CK_LEVEL >= 1
  const VectorParts parts = __builtin_bit_cast(VectorParts, value);
  return __builtin_bit_cast(
      Halves, (HalfParts{_mm256_cvtps_ph(parts.low, _MM_FROUND_TO_NEAREST_INT),
                  _mm256_cvtps_ph(parts.high, _MM_FROUND_TO_NEAREST_INT)}));
#else
  Bits bits = asBits(value);
  Bits sign = (bits >> 16) & 0x8000u;
  Bits magnitude = bits & 0x7fffffffu;
  Bits normal = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  // Below 2^-14 an addition rounds to multiples of the smallest denormal.
  Bits denormal = asBits(asFloat(magnitude) + splat(0.5f)) - 0x3f000000u;
  Bits result = magnitude < 0x38800000u ? denormal : normal;
  result = magnitude >= 0x477ff000u ? (Bits)(0x7c00u) : result;
  result = magnitude > 0x7f800000u ? (Bits)(0x7e00u) : result;
  return __builtin_convertvector(result | sign, Halves);
#endif
}

// MARK: Loads and stores of 16 values of any float type

CK_INLINE Vector load(const float *from) { return *(const LooseVector *)from; }
CK_INLINE Vector load(const BFloat16 *from) { return widenBFloat16(*(const LooseHalves *)from); }
CK_INLINE Vector load(const Half *from) { return widenHalf(*(const LooseHalves *)from); }
CK_INLINE void store(float *to, Vector value) { *(LooseVector *)to = value; }
CK_INLINE void store(BFloat16 *to, Vector value) { *(LooseHalves *)to = narrowToBFloat16(value); }
CK_INLINE void store(Half *to, Vector value) { *(LooseHalves *)to = narrowToHalf(value); }

// MARK: Halves of a vector

CK_INLINE HalfVector loadHalfVector(const float *from) { return *(const LooseHalfVector *)from; }
CK_INLINE void storeHalfVector(float *to, HalfVector value) { *(LooseHalfVector *)to = value; }
CK_INLINE Vector joined(HalfVector low, HalfVector high) {
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
CK_INLINE HalfVector lowHalf(Vector a) { return __builtin_shufflevector(a, a, 0, 1, 2, 3, 4, 5, 6, 7); }
CK_INLINE HalfVector highHalf(Vector a) { return __builtin_shufflevector(a, a, 8, 9, 10, 11, 12, 13, 14, 15); }

#if CK_LEVEL >= 2
CK_INLINE __mmask16 maskOf(int64_t count) {
  return static_cast<__mmask16>(count >= 16 ? 0xffffu : (1u << count) - 1u);
}

CK_INLINE Vector loadMasked(const float *from, int64_t count) {
  return __builtin_bit_cast(Vector, _mm512_maskz_loadu_ps(maskOf(count), from));
}
CK_INLINE Vector loadMasked(const BFloat16 *from, int64_t count) {
  return widenBFloat16(__builtin_bit_cast(Halves, _mm256_maskz_loadu_epi16(maskOf(count), from)));
}
CK_INLINE Vector loadMasked(const Half *from, int64_t count) {
  return widenHalf(__builtin_bit_cast(Halves, _mm256_maskz_loadu_epi16(maskOf(count), from)));
}
CK_INLINE void storeMasked(float *to, Vector value, int64_t count) {
  _mm512_mask_storeu_ps(to, maskOf(count), __builtin_bit_cast(__m512, value));
}
CK_INLINE void storeMasked(BFloat16 *to, Vector value, int64_t count) {
  _mm256_mask_storeu_epi16(to, maskOf(count), __builtin_bit_cast(__m256i, narrowToBFloat16(value)));
}
CK_INLINE void storeMasked(Half *to, Vector value, int64_t count) {
  _mm256_mask_storeu_epi16(to, maskOf(count), __builtin_bit_cast(__m256i, narrowToHalf(value)));
}
#endif

/// Loads the first `count` values, at least one, and zeros after them.
template <typename Element>
CK_INLINE Vector loadSome(const Element *from, int64_t count) {
  if (count >= 16) return load(from);
#if CK_LEVEL >= 2
  return loadMasked(from, count);
#else
  alignas(64) Element values[16] = {};
  for (int64_t i = 0; i < count; ++i) values[i] = from[i];
  return load(values);
#endif
}

template <typename Element>
CK_INLINE void storeSome(Element *to, Vector value, int64_t count) {
  if (count >= 16) return store(to, value);
#if CK_LEVEL >= 2
  storeMasked(to, value, count);
#else
  alignas(64) Element values[16];
  store(values, value);
  for (int64_t i = 0; i < count; ++i) to[i] = values[i];
#endif
}
