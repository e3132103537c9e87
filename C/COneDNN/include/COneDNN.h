#ifndef ATELIER_CONEDNN_H
#define ATELIER_CONEDNN_H

/// A small C interface to oneDNN that builds with version 2.6 and 3.x.
///
/// It has three kinds of objects, each with one owner:
///
/// - `adnn_primitive`: a prepared computation for fixed shapes, types and layouts. Immutable and safe to share
///   between threads.
/// - `adnn_execution`: one caller's handle for running a primitive. Two threads must not use one execution at the same
///   time. The memory objects of oneDNN are created with the execution, not in each run.
/// - memory: always the caller's. Functions return the required size in bytes. Pointers must be aligned to 64 bytes.
///
/// Functions that can fail return `ADNN_OK` or an error code, and `adnn_last_error()` then returns one sentence for
/// the calling thread. No C++ exception leaves this library.
///
/// Sizes have 64 bits in this interface. oneDNN's kernels count with 32 bits. For larger sizes, functions return
/// `ADNN_UNIMPLEMENTED`.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The result of a call.
typedef enum adnn_status {
  ADNN_OK = 0,
  /// oneDNN has no implementation for this combination or size.
  ADNN_UNIMPLEMENTED = 1,
  ADNN_INVALID_ARGUMENT = 2,
  ADNN_OUT_OF_MEMORY = 3,
  ADNN_FAILED = 4,
} adnn_status;

/// Element types.
typedef enum adnn_type {
  ADNN_F32 = 1,
  ADNN_BF16 = 2,
  ADNN_F16 = 3,
  ADNN_S32 = 4,
  ADNN_S8 = 5,
  ADNN_U8 = 6,
} adnn_type;

/// Memory layouts of a batch of images. Logical dimensions are always N, C, H, W.
typedef enum adnn_layout {
  ADNN_NCHW = 1,
  ADNN_NHWC = 2,
} adnn_layout;

/// The operations that a primitive applies to a result before it writes the destination, in the given order.
typedef enum adnn_post_op_kind {
  /// `r = r + scale · destination` (the previous contents of the destination). A list may contain one sum, as its first
  /// operation.
  ADNN_SUM = 1,
  /// max(x, 0) + alpha · min(x, 0)
  ADNN_RELU = 2,
  ADNN_TANH = 3,
  /// 1 / (1 + e^-x)
  ADNN_SIGMOID = 4,
  /// x for x > 0, alpha · (e^x - 1) otherwise
  ADNN_ELU = 5,
  /// alpha · x + beta
  ADNN_LINEAR = 6,
  /// min(max(x, alpha), beta)
  ADNN_CLIP = 7,
  /// log(1 + e^x)
  ADNN_SOFT_RELU = 8,
  /// x · sigmoid(alpha · x)
  ADNN_SWISH = 9,
  /// GELU by tanh, and GELU by erf.
  ADNN_GELU_TANH = 16,
  ADNN_GELU_ERF = 17,
  /// x · min(max(x / 6 + 1 / 2, 0), 1)
  ADNN_HARD_SWISH = 18,
  /// x for x > 0, w[c] · x otherwise; w is float32, one value for each channel, passed at execution.
  ADNN_PRELU = 48,
} adnn_post_op_kind;

typedef struct adnn_post_op {
  adnn_post_op_kind kind;
  float alpha;
  float beta;
  /// The factor of the destination's previous contents for `ADNN_SUM`. Other operations ignore the field (use
  /// `ADNN_LINEAR` to scale).
  float scale;
} adnn_post_op;

typedef struct adnn_primitive adnn_primitive;
typedef struct adnn_execution adnn_execution;

/// Returns the sentence of the last failure on the calling thread; empty if there was none.
const char *adnn_last_error(void);

/// Returns oneDNN's version and the highest instruction set that it uses: `2.6.3 isa 4047`.
const char *adnn_version(void);

/// The features of the processor, as bits. The environment variable ATELIER_MAX_ISA (`plain`, `avx2`, `avx512`,
/// `avx512_bf16`) limits these features and oneDNN's instruction sets for the process.
enum {
  /// AVX-512 F, BW, VL and DQ.
  ADNN_CPU_AVX512 = 2,
  ADNN_CPU_AVX512_BF16 = 4,
  ADNN_CPU_AMX_BF16 = 8,
};
uint32_t adnn_cpu_features(void);

/// The number of threads that primitives use. The setting belongs to the calling thread. A primitive keeps the setting
/// of the thread that creates it, and this setting determines the size of the primitive's scratchpad. So set the same
/// number on the threads that run the primitive. Each thread that runs primitives has its own thread pool, so run
/// predictions on few threads.
void adnn_set_threads(int32_t count);
int32_t adnn_threads(void);

// MARK: Convolution

/// A convolution, or a deconvolution, of a batch of images.
///
/// Deconvolution is the gradient of a convolution with respect to its input. Along each axis, the output has the extent
/// `(in - 1) · stride - before - after + dilation · (kernel - 1) + 1`, where `in` is the extent of the input, and
/// `before` and `after` are the padding.
typedef struct adnn_convolution {
  int64_t batch;
  int64_t input_channels, input_height, input_width;
  int64_t output_channels, output_height, output_width;
  int64_t kernel_height, kernel_width;
  int64_t stride_height, stride_width;
  /// 1 means a kernel without gaps.
  int64_t dilation_height, dilation_width;
  int64_t pad_top, pad_left, pad_bottom, pad_right;
  int64_t groups;
  /// 1: a deconvolution; 0: a convolution.
  int32_t deconvolution;
  /// 0 or 1; the bias is float32, one value for each output channel.
  int32_t has_bias;
  /// 0: direct; 1: oneDNN may use Winograd's algorithm if it implements that (float32 3×3; about 1e-4 relative error).
  int32_t allow_winograd;
  adnn_type source_type, weights_type, destination_type;
  adnn_layout source_layout, destination_layout;
  const adnn_post_op *post_ops;
  int32_t post_op_count;
  /// One factor for each output channel if the source is `ADNN_U8` and the weights are `ADNN_S8`; otherwise null. With
  /// factors, the result is
  ///
  ///     destination = post_ops(factor · (bias + Σ weights · (source − source_zero)))
  ///
  /// with sums in 32 bits. For a destination of integers, results are rounded to nearest, ties to even, and clamped to
  /// the range of the type. Only oneDNN before version 3 supports factors. The function returns `ADNN_UNIMPLEMENTED`
  /// for other versions, and on processors that would not compute exact sums.
  const float *factors;
  int32_t source_zero;
} adnn_convolution;

adnn_status adnn_convolution_create(const adnn_convolution *description, adnn_primitive **result);

/// A convolution, or a deconvolution, of a batch of volumes. Sizes are in the order depth, height, width. The other
/// fields are as in `adnn_convolution`.
typedef struct adnn_volume_convolution {
  int64_t batch, input_channels, output_channels, groups;
  int64_t input[3], output[3], kernel[3], stride[3];
  /// 1 means a kernel without gaps.
  int64_t dilation[3];
  int64_t before[3], after[3];
  /// 0 or 1 each; the bias is float32, one value for each output channel.
  int32_t deconvolution, has_bias;
  adnn_type source_type, weights_type, destination_type;
  /// `ADNN_NCHW`: N, C, D, H, W; `ADNN_NHWC`: N, D, H, W, C.
  adnn_layout layout;
} adnn_volume_convolution;

adnn_status adnn_volume_convolution_create(
    const adnn_volume_convolution *description, adnn_primitive **result);

/// The gradient of a convolution with respect to its weights: `Σ source · gradient` over batch and pixels.
///
/// The argument describes the forward convolution. `source_type` is also the gradient's type, and `destination_layout`
/// is the gradient's layout. A run gets the forward source as `source` and the gradient of the destination as
/// `weights`. The run writes `adnn_primitive_destination_bytes` of packed float32. `adnn_unpack_weights` converts them
/// to the order [output, input / groups, kh, kw].
adnn_status adnn_convolution_weights_gradient_create(
    const adnn_convolution *description, adnn_primitive **result);

// MARK: Matrices

/// `destination[b] = source[b] × weights[b] + bias` for each b of the batch. The matrices are in row-major order.
///
/// source is rows × inner, weights inner × columns, destination rows × columns. With `weights_are_constant`, the
/// weights are packed once (`adnn_pack_weights`) and used for every b.
typedef struct adnn_matmul {
  int64_t batch;
  int64_t rows, inner, columns;
  /// 1: the matrix is transposed in memory.
  int32_t transpose_source, transpose_weights;
  /// 1: the source, or the weights, are the same for every b.
  int32_t broadcast_source, broadcast_weights;
  /// 1: `adnn_pack_weights` packs the weights from float32; 0: the weights are a plain matrix of `weights_type`.
  int32_t weights_are_constant;
  /// 0 or 1; the bias is one float32 for each column.
  int32_t has_bias;
  adnn_type source_type, weights_type, destination_type;
  const adnn_post_op *post_ops;
  int32_t post_op_count;
} adnn_matmul;

adnn_status adnn_matmul_create(const adnn_matmul *description, adnn_primitive **result);

// MARK: Pooling and normalisation

typedef enum adnn_pooling_kind {
  /// The divisor counts padding.
  ADNN_POOLING_AVERAGE_INCLUDE_PADDING = 1,
  /// The divisor counts only pixels of the image.
  ADNN_POOLING_AVERAGE_EXCLUDE_PADDING = 2,
  /// Does not propagate NaN, so it is meant for integers.
  ADNN_POOLING_MAXIMUM = 3,
} adnn_pooling_kind;

typedef struct adnn_pooling {
  adnn_pooling_kind kind;
  int64_t batch, channels;
  int64_t input_height, input_width, output_height, output_width;
  int64_t kernel_height, kernel_width, stride_height, stride_width;
  int64_t pad_top, pad_left, pad_bottom, pad_right;
  adnn_type type;
  adnn_layout layout;
} adnn_pooling;

adnn_status adnn_pooling_create(const adnn_pooling *description, adnn_primitive **result);

/// `y = x / (k + alpha / size · Σ x²)^beta`, where the sum runs over `size` neighbouring channels.
typedef struct adnn_lrn {
  int64_t batch, channels, height, width;
  int32_t size;
  float alpha, beta, k;
  adnn_type type;
  adnn_layout layout;
} adnn_lrn;

adnn_status adnn_lrn_create(const adnn_lrn *description, adnn_primitive **result);

// MARK: Reorder

/// Copies a batch of images between layouts and element types.
typedef struct adnn_reorder {
  int64_t batch, channels, height, width;
  adnn_type source_type, destination_type;
  adnn_layout source_layout, destination_layout;
} adnn_reorder;

adnn_status adnn_reorder_create(const adnn_reorder *description, adnn_primitive **result);

// MARK: Primitives

void adnn_primitive_destroy(adnn_primitive *primitive);

/// Returns the name of oneDNN's implementation, such as `brgconv:avx512_core_bf16`. The string is valid until the
/// primitive is destroyed.
const char *adnn_primitive_implementation(const adnn_primitive *primitive);

/// Returns the bytes of scratch memory of one run. Runs at the same time need separate scratch memory.
size_t adnn_primitive_scratchpad_bytes(const adnn_primitive *primitive);

/// Returns the bytes of the packed weights; 0 if the primitive has none.
size_t adnn_primitive_weights_bytes(const adnn_primitive *primitive);

/// Writes the name of the layout of the packed weights, zero-terminated and truncated to `capacity`. Primitives with
/// equal names read the same bytes for the same weights. Returns the length of the whole name.
size_t adnn_primitive_weights_form(const adnn_primitive *primitive, char *name, size_t capacity);

size_t adnn_primitive_destination_bytes(const adnn_primitive *primitive);

/// Packs float32 weights into `packed` (`adnn_primitive_weights_bytes` bytes, 64-byte aligned).
///
/// The order of `weights` is [output, input / groups, kh, kw] for a convolution, and [input, output / groups, kh, kw]
/// for a deconvolution. For volumes, the kernel is kd, kh, kw. For a matmul, the order is [inner, columns], or
/// [columns, inner] if the weights are transposed.
adnn_status adnn_pack_weights(const adnn_primitive *primitive, const float *weights, void *packed);

/// Converts packed float32 gradients of weights to plain order, the reverse of `adnn_pack_weights`.
adnn_status adnn_unpack_weights(const adnn_primitive *primitive, const void *packed, float *weights);

// MARK: Running

adnn_status adnn_execution_create(const adnn_primitive *primitive, adnn_execution **result);
void adnn_execution_destroy(adnn_execution *execution);

/// The memory of a run.
typedef struct adnn_arguments {
  const void *source;
  /// Packed weights, or the right matrix of a matmul without constant weights.
  const void *weights;
  const float *bias;
  void *destination;
  /// Element i is the operand of post-op i if that post-op is a PReLU. Other elements are ignored. The array may be
  /// null if no post-op has an operand.
  const void *const *operands;
  void *scratchpad;
} adnn_arguments;

/// Runs and waits. The primitive must outlive the execution.
adnn_status adnn_execution_run(adnn_execution *execution, const adnn_arguments *arguments);

#ifdef __cplusplus
}
#endif
#endif
