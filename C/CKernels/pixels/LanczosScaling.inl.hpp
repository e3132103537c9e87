// Included once per instruction set, after Vector.hpp. Every instruction set gives the same bits.

typedef uint8_t Bytes __attribute__((ext_vector_type(16)));
typedef Bytes LooseBytes __attribute__((aligned(1)));

CK_INLINE Vector loadBytes(const uint8_t *from) {
  return __builtin_convertvector(*(const LooseBytes *)from, Vector);
}

/// Computes weight · value + sum with one rounding. Without a fused instruction, the function uses double precision, in
/// which the product of a float and a byte is exact.
#if CK_LEVEL >= 1 || defined(__aarch64__)
CK_INLINE Vector weigh(float weight, Vector value, Vector sum) {
  return __builtin_elementwise_fma(splat(weight), value, sum);
}
CK_INLINE float weigh(float weight, float value, float sum) {
  return __builtin_fmaf(weight, value, sum);
}
#else
CK_INLINE Vector weigh(float weight, Vector value, Vector sum) {
  typedef double Wide __attribute__((ext_vector_type(16)));
  const Wide product = (Wide)(double(weight)) * __builtin_convertvector(value, Wide);
  return __builtin_convertvector(product + __builtin_convertvector(sum, Wide), Vector);
}
CK_INLINE float weigh(float weight, float value, float sum) {
  return float(double(weight) * double(value) + double(sum));
}
#endif

/// Adds `taps` weighted rows to `sums`. With `starts`, sets `sums` to the sum of these rows instead.
template <int taps>
CK_INLINE void addRows(
    float *sums, const uint8_t *rows, size_t rowStride, const float *weights, bool starts,
    size_t count) {
  size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    Vector sum = starts ? splat(0.0f) : load(sums + i);
    for (int tap = 0; tap < taps; ++tap)
      sum = weigh(weights[tap], loadBytes(rows + tap * rowStride + i), sum);
    store(sums + i, sum);
  }
  for (; i < count; ++i) {
    float sum = starts ? 0.0f : sums[i];
    for (int tap = 0; tap < taps; ++tap)
      sum = weigh(weights[tap], float(rows[tap * rowStride + i]), sum);
    sums[i] = sum;
  }
}

static void weightedSumOfRows(
    float *sums, const uint8_t *rows, size_t rowStride, const float *weights, size_t taps,
    size_t count) {
  // Blocks of sums stay in the first-level cache for all rows.
  constexpr size_t block = 2048;
  if (taps == 0) __builtin_memset(sums, 0, count * sizeof(float));
  for (size_t start = 0; start < count; start += block) {
    const size_t length = count - start < block ? count - start : block;
    float *into = sums + start;
    const uint8_t *from = rows + start;
    size_t tap = 0;
    for (; tap + 8 <= taps; tap += 8)
      addRows<8>(into, from + tap * rowStride, rowStride, weights + tap, tap == 0, length);
    for (; tap + 4 <= taps; tap += 4)
      addRows<4>(into, from + tap * rowStride, rowStride, weights + tap, tap == 0, length);
    for (; tap < taps; ++tap)
      addRows<1>(into, from + tap * rowStride, rowStride, weights + tap, tap == 0, length);
  }
}

CK_INLINE uint8_t toByte(float value) {
  const float rounded = value + 0.5f;
  return rounded <= 0 ? 0 : rounded >= 255 ? 255 : (uint8_t)rounded;
}

static void weightedSumOfColumns(
    uint8_t *out, const float *sums, const int32_t *starts, const int32_t *counts,
    const float *weights, size_t stride, size_t width, int32_t components) {
// Products are rounded before they are added, whatever the instruction set.
#pragma clang fp contract(off)
  typedef float Pixel __attribute__((vector_size(16)));
  for (size_t x = 0; x < width; ++x) {
    const float *from = sums + size_t(starts[x]) * size_t(components);
    const float *w = weights + x * stride;
    if (components == 3) {
      Pixel sum = {0, 0, 0, 0};
      for (int32_t tap = 0; tap < counts[x]; ++tap) {
        // The fourth lane holds the red of the next pixel and is dropped at the end.
        Pixel pixel;
        __builtin_memcpy(&pixel, from + tap * 3, sizeof(pixel));
        sum += w[tap] * pixel;
      }
      for (size_t c = 0; c < 3; ++c) out[x * 3 + c] = toByte(sum[c]);
    } else {
      float sum = 0;
      for (int32_t tap = 0; tap < counts[x]; ++tap) sum += w[tap] * from[tap];
      out[x] = toByte(sum);
    }
  }
}
