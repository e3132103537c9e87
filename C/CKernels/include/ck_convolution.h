#ifndef ATELIER_CK_CONVOLUTION_H
#define ATELIER_CK_CONVOLUTION_H

/// Convolutions of images in float32 and bfloat16.

#include "ck_functions.h"
#include "ck_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// MARK: Convolution

/// A convolution of NHWC images, for the cases in which oneDNN is slow: few input or output channels with
/// large kernels, deconvolution, nearest upsampling before a convolution, large padding with zeros.
///
/// `destination = activation(convolution + bias + residual) · scale[c] + offset[c]`
///
/// A deconvolution computes `out[y] += in[i] · w[k]` for each input row i and each kernel row k, where
/// `y = i · stride - pad_top + dilation · k`. The same holds for columns, with pad_left. To crop the output of a
/// deconvolution, increase pad_top and pad_left and decrease the output size. The output size implies the padding at
/// the bottom and at the right. A tap is one position of the kernel. Taps that lie in the padding cost no time. Groups
/// are not supported.
typedef struct ck_convolution {
  int64_t batch;
  int64_t input_channels, input_height, input_width;
  int64_t output_channels, output_height, output_width;
  int64_t kernel_height, kernel_width;
  int64_t stride_height, stride_width;
  int64_t dilation_height, dilation_width;
  int64_t pad_top, pad_left;
  int32_t deconvolution;
  /// The factor of nearest upsampling of the input before the convolution, in both directions; 1 for none.
  /// `input_height` and `input_width` are the sizes before upsampling. Upsampling needs strides of 1.
  int32_t upsample;
  /// float32 or bfloat16. This is also the type of the multiply-adds if the processor has AVX512-BF16. Other processors
  /// widen bfloat16 to float32 first, because widening inside the inner loop takes longer.
  ck_type source_type;
  /// float32 or bfloat16.
  ck_type destination_type;
  /// The distances from row to row and from image to image, in elements. 0 means dense rows or images. The pixels of a
  /// row are always dense.
  int64_t source_row_stride, source_batch_stride;
  int64_t destination_row_stride, destination_batch_stride;
  int32_t has_bias;
  /// 1: the residual is added before the activation. The residual has the destination's type, and its memory may be the
  /// destination.
  int32_t has_residual;
  int64_t residual_row_stride, residual_batch_stride;
  ck_function activation;
  float alpha, beta;
  /// 1: the output of the activation is multiplied by `scale`, then `offset` is added.
  int32_t has_scale;
  /// The output tile of Winograd's algorithm, F(tile × tile, 3 × 3); 0 for the direct convolution.
  ///
  /// - 2 or 4: 2.25 or 4 times fewer multiply-adds than the direct convolution, and more rounding. Needs kernels of
  ///   3 × 3, strides and dilations of 1, channels in multiples of 16, and `upsample` 1. Tiles of 4 also work with
  ///   `upsample` 2 if both paddings are odd. With `upsample` 2, they take 2.56 times fewer multiply-adds than the
  ///   direct convolution, and round as tiles of 2 do.
  /// - 6: 5.06 times fewer multiply-adds, which are float32 whatever the types. Has the same needs as 2 and 4, and
  ///   always needs `upsample` 1.
  /// - 3 with strides of 1: divides kernels of 3 × 3 to 15 × 15 into blocks of F(3 × 3, 3 × 3). A kernel of 9 × 9 takes
  ///   3.24 times fewer multiply-adds. Multiply-adds are float32 whatever the types. Needs at most 64 input and 64
  ///   output channels.
  /// - 3 with strides of 2: 1.65 times fewer multiply-adds. Needs kernels of 3 × 3 and channels as for 2, and rounds as
  ///   tiles of 2 do.
  int32_t winograd_tile;
  /// The matrix tiles (AMX) on which the convolution runs. 0: none. 1: the processor's tiles if `ck_has_matrix_tiles`
  /// allows them, else emulated tiles, which are slow. 2: emulated tiles, which give the same bits as the processor's.
  /// 1 and 2 need no `winograd_tile`. A source of float32 is multiplied as pairs of bfloat16, with an error of about 2⁻¹⁶
  /// of each product. It needs a destination of float32 and no norm.
  int32_t matrix_tiles;
  /// 1: also computes the statistics of the results, which a later instance norm uses. The results must be dense.
  int32_t has_statistics;
  /// If has_norm is 1, the convolution reads each source value x as
  /// `gamma · (x - mean) / √(variance + norm_epsilon) + beta`. This is an instance norm, whose statistics the caller
  /// passes. If norm_relu is 1, a ReLU follows the norm. The padding stays 0.
  int32_t has_norm, norm_relu;
  float norm_epsilon;
  /// 1: rounds to float16, and widens again, each of these: the sum with the bias, the sum with the residual, and the
  /// result of the activation. Does not go with `has_scale`.
  int32_t rounds;
  /// 1: every weight is a float16 value. Products then may keep weights as float16 and widen them while they multiply,
  /// with the same results.
  int32_t has_float16_weights;
} ck_convolution;

typedef struct ck_convolution_plan ck_convolution_plan;

/// Returns null for an invalid description, or if memory is short. Every processor can run every valid description.
ck_convolution_plan *ck_convolution_create(const ck_convolution *description);
void ck_convolution_destroy(ck_convolution_plan *plan);

/// Returns the names of the algorithm and of the instruction set, such as `columns:avx512_bf16`. The algorithms are
/// `direct`, `columns`, `phases`, `winograd 4` and the like. On matrix tiles the name is `tiles direct:amx_bf16`, with
/// `gathered` if the channels do not fill the rows of a tile.
const char *ck_convolution_name(const ck_convolution_plan *plan);

/// Names the layout of the packed weights. Plans with equal names read the same bytes for the same weights. The name is
/// valid until the plan is destroyed.
const char *ck_convolution_weights_form(const ck_convolution_plan *plan);

size_t ck_convolution_weights_bytes(const ck_convolution_plan *plan);

/// Returns the bytes of scratch memory of one run on at most `threads` threads.
size_t ck_convolution_scratch_bytes(const ck_convolution_plan *plan, int32_t threads);

/// Packs float32 weights: [output, input, kh, kw], or for deconvolution [input, output, kh, kw].
void ck_convolution_pack(const ck_convolution_plan *plan, const float *weights, void *packed);

/// Packs weights that are stored as float16, in the same order. Returns 0, or -1 if the plan does not keep float16
/// weights. `ck_convolution_pack` then packs them, widened.
int32_t ck_convolution_pack_float16(const ck_convolution_plan *plan, const void *weights, void *packed);

typedef struct ck_convolution_arguments {
  const void *source;
  const void *weights;
  /// One float32 for each output channel. `bias` is null without `has_bias`. `scale` and `offset` are null without
  /// `has_scale`.
  const float *bias, *scale, *offset;
  const void *residual;
  void *destination;
  /// The statistics that the run writes, `[batch, blocks, 2, output channels]` (see `ck_statistics_blocks`). Null
  /// without `has_statistics`.
  float *statistics;
  /// The instance norm's gamma and beta, one float32 for each input channel, and the statistics of the source,
  /// `[batch, blocks, 2, input channels]`. Null without `has_norm`.
  const float *norm_gamma, *norm_beta, *norm_statistics;
  void *scratch;
  /// The number of threads that was passed to `ck_convolution_scratch_bytes`.
  int32_t threads;
} ck_convolution_arguments;

int32_t ck_convolution_run(const ck_convolution_plan *plan, const ck_convolution_arguments *arguments);

// MARK: Depthwise convolution

/// A convolution in which every channel has its own kernel, over NHWC images:
///
/// `out[y, x, c] = activation(bias[c] + Σ w[c, ky, kx] · in[y · s + ky · d − top, x · s + kx − left, c])`
///
/// Here s is the stride, d the dilation along the height, and top and left are the padding. The sum leaves out taps
/// (kernel positions) that lie outside the image.
typedef struct ck_depthwise {
  int64_t batch, channels;
  int64_t input_height, input_width, output_height, output_width;
  int64_t kernel_height, kernel_width;
  int64_t stride_height, stride_width;
  /// The dilation along the height. The dilation along the width is 1.
  int64_t dilation_height;
  int64_t pad_top, pad_left;
  /// The type of source and destination: float32 or bfloat16. Sums are float32.
  ck_type type;
  ck_function activation;
  float alpha, beta;
  /// 1: rounds the sum with the bias and the result of the activation to float16, and widens them again.
  int32_t rounds;
} ck_depthwise;

/// Returns 1 if `ck_depthwise_run` supports the description. The kernel must have 3 or 5 columns and at most 16 rows.
/// The stride along the width must be 1 or 2. There must be at least 16 channels and at least 4 output columns.
int32_t ck_depthwise_suits(const ck_depthwise *description);

/// Returns the bytes of the packed weights, which are float32, `[kh, kw, C]`.
size_t ck_depthwise_weights_bytes(const ck_depthwise *description);

/// Packs float32 weights `[C, kh, kw]`.
void ck_depthwise_pack(const ck_depthwise *description, const float *weights, float *packed);

/// Computes the convolution. Adds up the taps row by row, then adds the bias. `bias` may be null. Source and
/// destination must not overlap.
int32_t ck_depthwise_run(
    const ck_depthwise *description, const void *source, const float *weights, const float *bias,
    void *destination);

#ifdef __cplusplus
}
#endif

#endif
