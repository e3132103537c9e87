#ifndef ATELIER_CK_DEPTHWISE_H
#define ATELIER_CK_DEPTHWISE_H

/// Convolutions that give each channel a window of its own.

#include "ck_functions.h"
#include "ck_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// `out[y, x, c] = activation(bias[c] + Σ w[c, ky, kx] · in[y · s + ky · d − top, x · s + kx − left, c])`
/// over pictures of N, H, W, C; what lies outside of the picture is left out of the sum.
typedef struct ck_depthwise {
  int64_t batch, channels;
  int64_t input_height, input_width, output_height, output_width;
  int64_t kernel_height, kernel_width;
  int64_t stride_height, stride_width;
  /// Along the height; columns of a window lie side by side.
  int64_t dilation_height;
  int64_t pad_top, pad_left;
  /// Source and destination: float32 or bfloat16. Sums are float32.
  ck_type type;
  ck_function activation;
  float alpha, beta;
} ck_depthwise;

/// Whether this is computed here: windows of 3 or 5 columns and at most 16 rows, strides of 1 or 2 along
/// the width, 16 channels or more, 4 output columns or more.
int32_t ck_depthwise_suits(const ck_depthwise *description);

/// Packed weights are float32, `[kh, kw, C]`.
size_t ck_depthwise_weights_bytes(const ck_depthwise *description);

/// Packs float32 weights `[C, kh, kw]`.
void ck_depthwise_pack(const ck_depthwise *description, const float *weights, float *packed);

/// Sums go through the window in rows and columns, then comes the bias, which may be null. Source and
/// destination must not overlap.
int32_t ck_depthwise_run(
    const ck_depthwise *description, const void *source, const float *weights, const float *bias,
    void *destination);

#ifdef __cplusplus
}
#endif

#endif
