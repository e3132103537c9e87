// Included once per instruction set, after Functions.hpp.

typedef uint64_t Wide __attribute__((ext_vector_type(16)));

constexpr uint64_t kWeyl = 0x9E3779B97F4A7C15u;

/// Returns numbers `first` to `first + 15` of SplitMix64's sequence for a seed.
CK_INLINE Wide randomBits(uint64_t seed, uint64_t first) {
  const Wide lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  Wide bits = (Wide)(seed + (first + 1) * kWeyl) + lanes * (Wide)(kWeyl);
  bits = (bits ^ (bits >> 30)) * (Wide)(0xBF58476D1CE4E5B9u);
  bits = (bits ^ (bits >> 27)) * (Wide)(0x94D049BB133111EBu);
  return bits ^ (bits >> 31);
}

/// Returns numbers in 0 ..< 1 from the upper 24 bits, without rounding.
CK_INLINE Vector unitOf(Wide bits) {
  return __builtin_convertvector(__builtin_convertvector(bits >> 40, Integers), Vector)
      * splat(0x1p-24f);
}

/// Computes sqrt(-2 ln u) for u in 0 … 1 from the upper 32 bits.
CK_INLINE Vector radiusOf(Wide bits) {
  const Vector number = __builtin_convertvector(__builtin_convertvector(bits >> 32, Bits), Vector);
  const Vector u = (number + splat(0.5f)) * splat(0x1p-32f);
  return __builtin_elementwise_sqrt(greatest(splat(-2.0f) * logarithm(u), splat(0.0f)));
}

/// Computes the cosine and the sine of 2πu.
CK_INLINE void cosineAndSine(Vector u, Vector &cosine, Vector &sine) {
  const Vector quarters = u * splat(4.0f);
  const Vector nearest = __builtin_elementwise_rint(quarters);
  const Vector x = (quarters - nearest) * splat(1.57079632679489662f);
  const Vector z = x * x;
  Vector s = splat(1.0f / 362880.0f);
  s = multiplyAdd(s, z, splat(-1.0f / 5040.0f));
  s = multiplyAdd(s, z, splat(1.0f / 120.0f));
  s = multiplyAdd(s, z, splat(-1.0f / 6.0f));
  s = multiplyAdd(s * z, x, x);
  Vector c = splat(1.0f / 40320.0f);
  c = multiplyAdd(c, z, splat(-1.0f / 720.0f));
  c = multiplyAdd(c, z, splat(1.0f / 24.0f));
  c = multiplyAdd(c, z, splat(-0.5f));
  c = multiplyAdd(c, z, splat(1.0f));
  const Integers quadrant = __builtin_convertvector(nearest, Integers);
  const Integers swapped = -(quadrant & 1);
  const Vector first = choose(swapped, s, c), second = choose(swapped, c, s);
  cosine = asFloat(asBits(first) ^ ((Bits)((quadrant + 1) & 2) << 30));
  sine = asFloat(asBits(second) ^ ((Bits)(quadrant & 2) << 30));
}

static void randomRange(const RandomRange &range) {
  const Vector first = splat(range.first), second = splat(range.second);
  const int64_t end = range.start + range.count;
  for (int64_t at = range.start; at < end; at += 32) {
    const uint64_t position = static_cast<uint64_t>(at);
    float *to = range.destination + at;
    const int64_t left = end - at;
    Vector low, high;
    if (range.distribution == CK_NORMAL) {
      const Vector radius = radiusOf(randomBits(range.seed, position)) * second;
      cosineAndSine(unitOf(randomBits(range.seed, position + 16)), low, high);
      low = multiplyAdd(radius, low, first);
      high = multiplyAdd(radius, high, first);
    } else {
      low = unitOf(randomBits(range.seed, position));
      high = unitOf(randomBits(range.seed, position + 16));
      if (range.distribution == CK_UNIFORM) {
        low = multiplyAdd(second - first, low, first);
        high = multiplyAdd(second - first, high, first);
      } else {
        low = choose(low < first, splat(1.0f), splat(0.0f));
        high = choose(high < first, splat(1.0f), splat(0.0f));
      }
    }
    storeSome(to, low, left);
    if (left > 16) storeSome(to + 16, high, left - 16);
  }
}
