#ifndef ATELIER_CK_BYTES_H
#define ATELIER_CK_BYTES_H

/// Convolutions of bytes with weights of 8 bits, summed up in whole numbers of 32 bits.

#include "ck_functions.h"
#include "ck_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Over pictures of N, H, W, C with `sum = Σ w · (in − zero)`, where `zero` stands around the picture:
///
///     real = activation(factor[c] · (sum + bias[c]))
///     out  = real                                                       float32, or with `makes_codes`
///     out  = min(max(round(real · scale), least), greatest) − least     bytes; halves to the even code
///
/// Rows times a matrix are pictures of one column with windows of one pixel.
typedef struct ck_byte_convolution {
  int64_t batch, groups;
  int64_t input_channels, input_height, input_width;
  int64_t output_channels, output_height, output_width;
  int64_t kernel_height, kernel_width, stride_height, stride_width;
  int64_t dilation_height, dilation_width;
  /// Negative where the picture is cropped.
  int64_t pad_top, pad_left;
  /// The byte that stands for 0.
  int32_t zero;
  ck_function activation;
  float alpha, beta;
  int32_t makes_codes;
  float scale;
  /// At most 256 codes.
  int32_t least, greatest;
} ck_byte_convolution;

/// Whether the sizes make sense and sums fit 32 bits.
int32_t ck_byte_convolution_suits(const ck_byte_convolution *description);

/// Whether this processor has instructions for it (VNNI), as far as `ck_instructions` lets it go: without,
/// the same sums take longer than products of float32.
int32_t ck_multiplies_bytes(void);

/// Packed weights: a byte each, rounded up to blocks of 16 outputs and 4 inputs, and the sum of each
/// output's. The same on every instruction set.
size_t ck_byte_convolution_weights_bytes(const ck_byte_convolution *description);

/// Packs whole numbers of −128 to 127, `[O, C / groups, kh, kw]`.
void ck_byte_convolution_pack(
    const ck_byte_convolution *description, const float *weights, void *packed);

/// Scratch memory of one run: a picture with what stands around it, or nothing.
size_t ck_byte_convolution_scratch_bytes(const ck_byte_convolution *description);

/// Sums are exact. What follows them is float32 with a rounding after every step: the same bits on every instruction
/// set but for activations other than those of straight lines. Source and destination must not overlap.
int32_t ck_byte_convolution_run(
    const ck_byte_convolution *description, const uint8_t *source, const void *packed,
    const float *factors, const float *bias, void *destination, void *scratch);

#ifdef __cplusplus
}
#endif

#endif
