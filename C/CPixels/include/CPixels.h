// Loops over pixels that want vector instructions, also where Swift is built for debugging.

#ifndef CPIXELS_H
#define CPIXELS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// sums[i] = Σ weights[t] · rows[t · row_stride + i] for i in 0..<count, summed in the order of t.
///
/// `sums` and `rows` do not overlap.
void cpixels_weigh_rows(float *sums, const uint8_t *rows, size_t row_stride, const float *weights,
                        size_t taps, size_t count);

/// out[x] = Σ weights[x · stride + t] · sums[starts[x] + t] for each pixel x and component, t in
/// 0..<counts[x], rounded and clamped to 0…255.
///
/// `components` is 1 or 3. One float behind the last pixel of `sums` may be read; it does not count.
void cpixels_weigh_columns(uint8_t *out, const float *sums, const int32_t *starts,
                           const int32_t *counts, const float *weights, size_t stride,
                           size_t width, int components);

#ifdef __cplusplus
}
#endif

#endif
