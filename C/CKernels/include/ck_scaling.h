#ifndef ATELIER_CK_SCALING_H
#define ATELIER_CK_SCALING_H

/// Weighted sums of 8-bit pixels: the loops of scaling by Lanczos' kernel. Every instruction set gives
/// the same bytes.

#include "ck_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// sums[i] = Σ weights[t] · rows[t · row_stride + i] for i in 0..<count, summed in the order of t, each
/// step in one rounding.
///
/// `sums` and `rows` do not overlap.
void ck_weigh_rows(
    float *sums, const uint8_t *rows, size_t row_stride, const float *weights, size_t taps,
    size_t count);

/// out[x] = Σ weights[x · stride + t] · sums[starts[x] + t] for each pixel x and component, t in
/// 0..<counts[x] in their order, rounded and clamped to 0…255.
///
/// `components` is 1 or 3. One float after the last pixel of `sums` may be read; it does not count.
void ck_weigh_columns(
    uint8_t *out, const float *sums, const int32_t *starts, const int32_t *counts,
    const float *weights, size_t stride, size_t width, int32_t components);

#ifdef __cplusplus
}
#endif
#endif
