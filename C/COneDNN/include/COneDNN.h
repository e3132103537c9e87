#ifndef ATELIER_CONEDNN_H
#define ATELIER_CONEDNN_H

/// A small C face over oneDNN that builds against version 2.6 and 3.x.
///
/// Three things, each with one owner:
///  - `adnn_primitive`: a prepared computation for fixed shapes, types and layouts. Immutable and safe
///    to share between threads.
///  - `adnn_execution`: one caller's handle for running a primitive. Not for two threads at once.
///    After creation a run allocates nothing of ours.
///  - memory: always the caller's. Sizes are asked for in bytes; pointers want 64-byte alignment.
///
/// Functions that can fail return `ADNN_OK` or an error code, and `adnn_last_error()` then holds one
/// sentence for the calling thread. No C++ exception leaves this library.
///
/// Sizes have 64 bits here; oneDNN's kernels count in 32, and what is beyond is `ADNN_UNIMPLEMENTED`.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a call came to.
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

/// Memory layouts of a batch of pictures. Logical dimensions are always N, C, H, W.
typedef enum adnn_layout {
  ADNN_NCHW = 1,
  ADNN_NHWC = 2,
} adnn_layout;

/// What happens to a result before it is stored, in the order given.
typedef enum adnn_post_op_kind {
  /// `r = r + scale · destination` (what the destination held before). At most one, and first.
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
  /// GELU by tanh and by erf.
  ADNN_GELU_TANH = 16,
  ADNN_GELU_ERF = 17,
  /// x for x > 0, w[c] · x otherwise; w is float32, one value a channel, given at execution.
  ADNN_PRELU = 48,
} adnn_post_op_kind;

typedef struct adnn_post_op {
  adnn_post_op_kind kind;
  float alpha;
  float beta;
  /// For `ADNN_SUM` the factor of the old destination; ignored elsewhere (use `ADNN_LINEAR`).
  float scale;
} adnn_post_op;

typedef struct adnn_primitive adnn_primitive;
typedef struct adnn_execution adnn_execution;

/// The sentence for the last failure on the calling thread; empty where there was none.
const char *adnn_last_error(void);

/// oneDNN's version and the instruction set up to which it goes: `2.6.3 isa 4047`.
const char *adnn_version(void);

/// What the CPU has, as bits. The environment's ATELIER_MAX_ISA (`plain`, `avx2`, `avx512`, `avx512_bf16`) lowers
/// it for the process, and what oneDNN uses.
enum {
  /// AVX-512 F, BW, VL and DQ.
  ADNN_CPU_AVX512 = 2,
  ADNN_CPU_AVX512_BF16 = 4,
  ADNN_CPU_AMX_BF16 = 8,
};
uint32_t adnn_cpu_features(void);

/// How many threads primitives use. The setting belongs to the calling thread, and a primitive keeps
/// the number that its creator had, as its scratchpad is made for it: set the same number on the thread
/// that creates primitives and on the one that runs them. Each running thread has a pool of its own,
/// so run predictions from few threads.
void adnn_set_threads(int32_t count);
int32_t adnn_threads(void);

// MARK: Convolution

/// A convolution, or a deconvolution, of a batch of pictures.
///
/// Deconvolution is the gradient of a convolution with respect to its input:
/// `out = (in - 1) · stride - before - after + dilation · (kernel - 1) + 1`.
typedef struct adnn_convolution {
  int64_t batch;
  int64_t input_channels, input_height, input_width;
  int64_t output_channels, output_height, output_width;
  int64_t kernel_height, kernel_width;
  int64_t stride_height, stride_width;
  /// 1 is a dense kernel.
  int64_t dilation_height, dilation_width;
  int64_t pad_top, pad_left, pad_bottom, pad_right;
  int64_t groups;
  /// 0 or 1.
  int32_t deconvolution;
  /// 0 or 1; the bias is float32, one value an output channel.
  int32_t has_bias;
  /// 0 direct; 1 lets oneDNN use Winograd where it has it (float32 3×3; about 1e-4 relative error).
  int32_t allow_winograd;
  adnn_type source_type, weights_type, destination_type;
  adnn_layout source_layout, destination_layout;
  const adnn_post_op *post_ops;
  int32_t post_op_count;
  /// For a source of `ADNN_U8` with weights of `ADNN_S8`, null for others: one factor an output channel. Then
  ///
  ///     destination = post_ops(factor · (bias + Σ weights · (source − source_zero)))
  ///
  /// with sums in 32 bits, and a destination of whole numbers is rounded to nearest, ties to even, and kept to
  /// its range. oneDNN before version 3 only; `ADNN_UNIMPLEMENTED` elsewhere, and where the processor would
  /// not sum up exactly.
  const float *factors;
  int32_t source_zero;
} adnn_convolution;

adnn_status adnn_convolution_create(const adnn_convolution *description, adnn_primitive **result);

/// A convolution, or a deconvolution, of a batch of volumes. Sizes go depth, height, width; everything
/// else as for pictures.
typedef struct adnn_volume_convolution {
  int64_t batch, input_channels, output_channels, groups;
  int64_t input[3], output[3], kernel[3], stride[3];
  /// 1 is a dense kernel.
  int64_t dilation[3];
  int64_t before[3], after[3];
  /// 0 or 1 each; the bias is float32, one value an output channel.
  int32_t deconvolution, has_bias;
  adnn_type source_type, weights_type, destination_type;
  /// `ADNN_NCHW`: N, C, D, H, W; `ADNN_NHWC`: N, D, H, W, C.
  adnn_layout layout;
} adnn_volume_convolution;

adnn_status adnn_volume_convolution_create(
    const adnn_volume_convolution *description, adnn_primitive **result);

/// The gradient of a convolution with respect to its weights: `Σ source · gradient` over batch and
/// pixels.
///
/// The description is that of the forward convolution; `source_type` is also the gradient's,
/// `destination_layout` the gradient's layout. A run gets the forward source as `source`, the gradient
/// of the destination as `weights`, and writes `adnn_primitive_destination_bytes` of packed float32,
/// which `adnn_unpack_weights` brings into the order [output, input / groups, kh, kw].
adnn_status adnn_convolution_weights_gradient_create(
    const adnn_convolution *description, adnn_primitive **result);

// MARK: Matrices

/// `destination[b] = source[b] × weights[b] + bias`, row-major matrices.
///
/// source is rows × inner, weights inner × columns, destination rows × columns. With
/// `weights_are_constant` the weights are packed once (`adnn_pack_weights`) and belong to every b.
typedef struct adnn_matmul {
  int64_t batch;
  int64_t rows, inner, columns;
  /// 1: the matrix lies transposed in memory.
  int32_t transpose_source, transpose_weights;
  /// 1: the source, or the weights, are the same for every b.
  int32_t broadcast_source, broadcast_weights;
  /// 1: weights go through `adnn_pack_weights` from float32; 0: raw memory of `weights_type`.
  int32_t weights_are_constant;
  /// One float32 a column.
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
  /// The divisor counts only what lies in the picture.
  ADNN_POOLING_AVERAGE_EXCLUDE_PADDING = 2,
  /// Passes over NaN: for whole numbers.
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

/// `y = x / (k + alpha / size · Σ x²)^beta` over `size` neighbouring channels.
typedef struct adnn_lrn {
  int64_t batch, channels, height, width;
  int32_t size;
  float alpha, beta, k;
  adnn_type type;
  adnn_layout layout;
} adnn_lrn;

adnn_status adnn_lrn_create(const adnn_lrn *description, adnn_primitive **result);

// MARK: Reorder

/// Copies a batch of pictures between layouts and element types.
typedef struct adnn_reorder {
  int64_t batch, channels, height, width;
  adnn_type source_type, destination_type;
  adnn_layout source_layout, destination_layout;
} adnn_reorder;

adnn_status adnn_reorder_create(const adnn_reorder *description, adnn_primitive **result);

// MARK: Primitives

void adnn_primitive_destroy(adnn_primitive *primitive);

/// The name of oneDNN's implementation, `brgconv:avx512_core_bf16`. Lives as long as the primitive.
const char *adnn_primitive_implementation(const adnn_primitive *primitive);

/// Temporary memory that one run needs. Two runs at the same time need two.
size_t adnn_primitive_scratchpad_bytes(const adnn_primitive *primitive);

/// Bytes of the packed weights; 0 where the primitive has none.
size_t adnn_primitive_weights_bytes(const adnn_primitive *primitive);

/// Writes a name of the form of the packed weights, zero-terminated and cut to `capacity`: primitives of
/// one name read the same bytes for the same weights. Returns the length of the whole name.
size_t adnn_primitive_weights_form(const adnn_primitive *primitive, char *name, size_t capacity);

size_t adnn_primitive_destination_bytes(const adnn_primitive *primitive);

/// Packs float32 weights into `packed` (`adnn_primitive_weights_bytes` bytes, 64-byte aligned).
///
/// Order of `weights`: convolution [output, input / groups, kh, kw]; deconvolution
/// [input, output / groups, kh, kw]; the window of volumes kd, kh, kw; matmul [inner, columns], or [columns, inner] when transposed.
adnn_status adnn_pack_weights(const adnn_primitive *primitive, const float *weights, void *packed);

/// The reverse for the gradients of weights: packed float32 into plain order.
adnn_status adnn_unpack_weights(const adnn_primitive *primitive, const void *packed, float *weights);

// MARK: Running

adnn_status adnn_execution_create(const adnn_primitive *primitive, adnn_execution **result);
void adnn_execution_destroy(adnn_execution *execution);

/// Where a run finds its memory.
typedef struct adnn_arguments {
  const void *source;
  /// Packed weights, or for matmul without constant weights the right matrix.
  const void *weights;
  const float *bias;
  void *destination;
  /// For post-op i of kind PReLU its operand; other entries are ignored. May be null when no post-op
  /// takes an operand.
  const void *const *operands;
  void *scratchpad;
} adnn_arguments;

/// Runs and waits. The primitive must outlive the execution.
adnn_status adnn_execution_run(adnn_execution *execution, const adnn_arguments *arguments);

#ifdef __cplusplus
}
#endif
#endif
