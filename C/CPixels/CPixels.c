#include "CPixels.h"

#include <string.h>

// The loader chooses before ThreadSanitizer is ready, so that there is one version under it.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ONE_VERSION
#endif
#endif
// One version for each vector width; the loader chooses the one for this CPU.
#if defined(__x86_64__) && defined(__linux__) && !defined(ONE_VERSION)
#define EACH_CPU __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define EACH_CPU
#endif

EACH_CPU
void cpixels_weigh_rows(float *restrict sums, const uint8_t *restrict rows, size_t row_stride,
                        const float *restrict weights, size_t taps, size_t count) {
  // Blocks of sums stay in the first-level cache while the rows pass by.
  const size_t block = 2048;
  for (size_t start = 0; start < count; start += block) {
    size_t length = count - start < block ? count - start : block;
    float *restrict into = sums + start;
    memset(into, 0, length * sizeof(float));
    size_t tap = 0;
    for (; tap + 4 <= taps; tap += 4) {
      const uint8_t *restrict row = rows + tap * row_stride + start;
      const uint8_t *restrict row1 = row + row_stride;
      const uint8_t *restrict row2 = row1 + row_stride;
      const uint8_t *restrict row3 = row2 + row_stride;
      float w = weights[tap], w1 = weights[tap + 1], w2 = weights[tap + 2], w3 = weights[tap + 3];
      for (size_t i = 0; i < length; i++) {
        into[i] = into[i] + w * row[i] + w1 * row1[i] + w2 * row2[i] + w3 * row3[i];
      }
    }
    for (; tap < taps; tap++) {
      const uint8_t *restrict row = rows + tap * row_stride + start;
      float w = weights[tap];
      for (size_t i = 0; i < length; i++) {
        into[i] += w * row[i];
      }
    }
  }
}

static inline uint8_t to_byte(float value) {
  float rounded = value + 0.5f;
  return rounded <= 0 ? 0 : rounded >= 255 ? 255 : (uint8_t)rounded;
}

typedef float Float4 __attribute__((vector_size(16)));

static void weigh_columns_of_three(uint8_t *out, const float *sums, const int32_t *starts,
                                   const int32_t *counts, const float *weights, size_t stride,
                                   size_t width) {
  for (size_t x = 0; x < width; x++) {
    const float *from = sums + (size_t)starts[x] * 3;
    const float *w = weights + x * stride;
    Float4 sum = {0, 0, 0, 0};
    for (int32_t tap = 0; tap < counts[x]; tap++) {
      // The fourth lane holds the next pixel's red and is dropped at the end.
      Float4 pixel;
      memcpy(&pixel, from + tap * 3, sizeof(pixel));
      sum += w[tap] * pixel;
    }
    out[x * 3] = to_byte(sum[0]);
    out[x * 3 + 1] = to_byte(sum[1]);
    out[x * 3 + 2] = to_byte(sum[2]);
  }
}

void cpixels_weigh_columns(uint8_t *out, const float *sums, const int32_t *starts,
                           const int32_t *counts, const float *weights, size_t stride,
                           size_t width, int components) {
  if (components == 3) {
    weigh_columns_of_three(out, sums, starts, counts, weights, stride, width);
    return;
  }
  for (size_t x = 0; x < width; x++) {
    const float *from = sums + starts[x];
    const float *w = weights + x * stride;
    float sum = 0;
    for (int32_t tap = 0; tap < counts[x]; tap++) {
      sum += w[tap] * from[tap];
    }
    out[x] = to_byte(sum);
  }
}
