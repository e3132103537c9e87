#ifndef ATELIER_CK_WINOGRAD_H
#define ATELIER_CK_WINOGRAD_H

/// Gradients by Winograd's algorithm. For convolutions see `winograd_tile` in `ck_convolution`.

#include "ck_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The gradient of a convolution's weights by Winograd's algorithm. Needs kernels of 3 × 3, strides and dilations of 1,
/// and channels in multiples of 16.
///
///     gradient[o, i, ky, kx] = Σ small[n, y, x, o] · large[n, y + ky - pad_top, x + kx - pad_left, i]
///
/// `large` is the convolution's input and `small` the gradient of its output. For a transposed convolution, `small` is
/// the input and `large` the gradient of the output. Both tensors are dense NHWC of one type, float32 or bfloat16. The
/// gradient is float32 `[output, input, 3, 3]`. Every number of threads gives the same bits.
typedef struct ck_winograd_weights_gradient {
  int64_t batch;
  int64_t input_channels, input_height, input_width;
  int64_t output_channels, output_height, output_width;
  int64_t pad_top, pad_left;
  ck_type type;
  /// 2 or 4, as in `ck_convolution`.
  int32_t winograd_tile;
  int32_t threads;
} ck_winograd_weights_gradient;

/// Returns the bytes of scratch memory. Returns 0 for a description that this algorithm does not support.
size_t ck_winograd_weights_gradient_scratch_bytes(const ck_winograd_weights_gradient *description);
int32_t ck_winograd_weights_gradient_run(
    const ck_winograd_weights_gradient *description, const void *large, const void *small,
    float *gradient, void *scratch);

#ifdef __cplusplus
}
#endif

#endif
