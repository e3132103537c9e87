#ifndef ATELIER_CKERNELS_H
#define ATELIER_CKERNELS_H

/// Atelier's own vectorised kernels.
///
/// Every function picks code for the CPU at run time: AVX-512 (with BF16), AVX2 with FMA, or plain.
/// Arithmetic is float32 whatever the storage. Work is cut by shape, never by the number of threads,
/// and sums run in a fixed order: the same input gives the same bits on one machine, on any number of
/// threads. Pictures are N, H, W, C with C contiguous unless said otherwise; a batch of planes is the
/// same thing with one channel. Strides count elements. No function allocates, but the `create` ones.

#include <stdbool.h>

#include "ck_bytes.h"
#include "ck_conversion.h"
#include "ck_depthwise.h"
#include "ck_functions.h"
#include "ck_indices.h"
#include "ck_orders.h"
#include "ck_pointwise.h"
#include "ck_reductions.h"
#include "ck_regions.h"
#include "ck_sampling.h"
#include "ck_scaling.h"
#include "ck_signs.h"
#include "ck_stored.h"
#include "ck_tiles.h"
#include "ck_types.h"
#include "ck_wholes.h"

#ifdef __cplusplus
extern "C" {
#endif

// MARK: Threads

/// Calls `body(context, part)` for every part in 0 ..< parts on oneDNN's pool (libgomp), in any order,
/// and returns when all are done. Uses as many threads as `adnn_set_threads` gave the calling thread.
void ck_parallel(void (*body)(void *context, int64_t part), void *context, int64_t parts);

/// Looks, every 30 ms at most, whether threads of this machine wait for a processor; while they do, the
/// team's threads sleep after microseconds instead of spinning for milliseconds. `ck_parallel` calls it;
/// call it before other parallel work of libgomp. Does nothing where OMP_WAIT_POLICY or GOMP_SPINCOUNT is
/// set in the environment.
void ck_watch_contention(void);

/// Begins a call that may hold locks; `ck_leave` ends it, on the same thread. Calls may be nested.
///
/// - Returns: false, without having begun, in a child that was forked while another thread was inside of a call:
///   the locks which that thread held are never given back there.
bool ck_enter(void);

/// Ends a call that `ck_enter` has begun.
void ck_leave(void);

/// Whether this process is such a child.
bool ck_is_lost(void);

/// The time that processors have worked for each thread of a team of this size, all together, in nanoseconds. The
/// clock of the process knows of threads that run only what the last tick of the system saw.
uint64_t ck_team_work(int32_t threads);

/// Puts memory out of all caches, where the processor can, as if it had not been read for long: for timing.
void ck_forget(const void *memory, size_t bytes);

/// Lets threads wait briefly whatever the machine does (1), or leaves it to `ck_watch_contention` again
/// (0): for tests and for hosts that know better.
void ck_wait_briefly(int32_t brief);

/// Whether threads wait briefly now.
int32_t ck_waits_briefly(void);

/// 0 plain, 1 AVX2, 2 AVX-512, 3 AVX-512 with BF16. The environment's ATELIER_MAX_ISA lowers it for the process
/// (`plain`, `avx2`, `avx512` or `avx512_bf16`), `ck_limit_instructions` for the calling thread, for tests.
int32_t ck_instructions(void);
/// The level that ATELIER_MAX_ISA names, whatever the processor has; 4 where it names none: matrix tiles, too.
int32_t ck_allowed_instructions(void);
void ck_limit_instructions(int32_t most);

/// What the processor calls itself, with its version; printable, on one line.
const char *ck_processor_name(void);

/// How many products of bfloat16 this processor makes while it makes one of float32, measured once (a
/// tenth of a millisecond); 0 without AVX512-BF16. Twice as many on AMD's cores, as many on Intel's.
double ck_bfloat16_rate(void);

// MARK: Copies

/// Copies a strided array of rank ≤ 8 into another, converting between element types.
///
/// Permutes, slices, crops, concatenates and repeats. Equal types are moved bit by bit; float to
/// integer rounds to nearest even and clamps. Must not overlap.
int32_t ck_copy(
    int32_t rank, const int64_t *shape, const void *source, ck_type source_type,
    const int64_t *source_strides, void *destination, ck_type destination_type,
    const int64_t *destination_strides);

typedef enum ck_padding { CK_PAD_CONSTANT = 0, CK_PAD_REFLECTION = 1, CK_PAD_REPLICATION = 2 } ck_padding;

/// Pads pictures on four sides. Reflection does not repeat the edge; where it is wider than the picture
/// it goes to and fro. For NCHW pass batch = N·C and channels = 1. Types float32, bfloat16, float16.
int32_t ck_pad(
    ck_padding mode, float value, ck_type type, const void *source, void *destination,
    int64_t batch, int64_t height, int64_t width, int64_t channels, int64_t top, int64_t left,
    int64_t bottom, int64_t right);

/// Repeats every pixel `factor_y` × `factor_x` times.
int32_t ck_upsample_nearest(
    ck_type type, const void *source, void *destination, int64_t batch, int64_t height,
    int64_t width, int64_t channels, int64_t factor_y, int64_t factor_x);

/// Samples at `y · scale_y + offset_y`, `x · scale_x + offset_x`, clamped into the picture.
int32_t ck_resize_bilinear(
    ck_type type, const void *source, void *destination, int64_t batch, int64_t height,
    int64_t width, int64_t channels, int64_t output_height, int64_t output_width, float scale_y,
    float offset_y, float scale_x, float offset_x);

// MARK: Normalisation and pooling

/// Instance normalisation of pictures: per (n, c) `(x - mean) / sqrt(variance + epsilon)`, then
/// `· gamma[c] + beta[c]`, then `+ residual`, then the activation.
typedef struct ck_instance_norm {
  int64_t batch, height, width, channels;
  float epsilon;
  ck_type source_type, destination_type;
  ck_function activation;
  float alpha, beta;
  /// A picture of the destination's type to add before the activation, or nothing. Strides in
  /// elements of its batch and its rows; pixels are dense. Lets a crop of a larger picture be added.
  int32_t has_residual;
  int64_t residual_batch_stride, residual_row_stride;
  /// 1: the source's statistics are given.
  int32_t has_statistics;
} ck_instance_norm;

/// How many blocks of pixels of a picture the statistics have: `[batch, blocks, 2, channels]` floats, in each block
/// means and then sums of squared distances from them.
int64_t ck_statistics_blocks(int64_t pixels, int64_t channels);

/// The statistics of dense pictures of float32 or bfloat16, channels last.
void ck_statistics_run(
    ck_type type, const void *source, int64_t batch, int64_t pixels, int64_t channels,
    float *statistics);

size_t ck_instance_norm_scratch_bytes(const ck_instance_norm *description);

/// Mean and variance by the statistics of blocks of pixels, joined in order. In place is allowed where the
/// types have one size. `residual` may be null without `has_residual`, and `statistics` without `has_statistics`.
int32_t ck_instance_norm_run(
    const ck_instance_norm *description, const void *source, const float *gamma, const float *beta,
    const void *residual, const float *statistics, void *destination, void *scratch);

/// The gradient of an instance normalisation of pictures without residual and activation:
///
///     dx = γ / σ · (dy - mean(dy) - x̂ · mean(dy · x̂)),  dγ = Σ dy · x̂,  dβ = Σ dy
///
/// with x̂ the normalised picture and sums for each channel over all pictures. `activation`, `alpha`,
/// `beta`, `has_residual` and the residual's strides are ignored. The types are those of x
/// (`source_type`) and of dy and dx (`destination_type`).
size_t ck_instance_norm_gradient_scratch_bytes(const ck_instance_norm *description);

/// Two passes over x and dy: sums over blocks of rows, joined in order, then dx. `dx` may be `dy`, or x
/// where the types have one size; `gamma` may be null for ones, `gamma_gradient` and `beta_gradient`
/// where they are not wanted.
int32_t ck_instance_norm_gradient_run(
    const ck_instance_norm *description, const void *source, const void *gradient,
    const float *gamma, void *source_gradient, float *gamma_gradient, float *beta_gradient,
    void *scratch);

/// The gradient of a pooling of pictures: each window gives `dy · row_factors[row] · column_factors[column]`
/// to all of its pixels, or with `is_maximum` dy to the first of its largest ones.
typedef struct ck_pooling_gradient {
  int64_t batch, height, width, channels, output_height, output_width;
  int32_t is_maximum;
  /// float32 or bfloat16: x, which only a maximum reads, and dy and dx.
  ck_type source_type, gradient_type;
  /// The pixels of each window: from row_starts[row] to before row_ends[row], and columns alike.
  const int32_t *row_starts, *row_ends, *column_starts, *column_ends;
  /// Ignored by a maximum.
  const float *row_factors, *column_factors;
} ck_pooling_gradient;

/// Sums of overlapping windows run in order and in float32 within `scratch`; windows that share no pixel
/// need none.
size_t ck_pooling_gradient_scratch_bytes(const ck_pooling_gradient *description);
int32_t ck_pooling_gradient_run(
    const ck_pooling_gradient *description, const void *source, const void *gradient,
    void *source_gradient, void *scratch);

/// The maximum of every window of pictures; not a number where a pixel is none, 0 where a window has no
/// pixel. float32, bfloat16 or float16.
typedef struct ck_max_pooling {
  int64_t batch, height, width, channels, output_height, output_width;
  ck_type type;
  /// The pixels of each window: from row_starts[row] to before row_ends[row], and columns alike.
  const int32_t *row_starts, *row_ends, *column_starts, *column_ends;
} ck_max_pooling;

int32_t ck_max_pooling_run(
    const ck_max_pooling *description, const void *source, void *destination);

/// e^x / Σ e^x over the middle of [outer, axis, inner], row-major. A row that holds a value that is not a
/// number has no other. float32, bfloat16 or float16; `destination` may be `source`.
int32_t ck_softmax(
    ck_type type, const void *source, void *destination, int64_t outer, int64_t axis, int64_t inner);

/// (x − mean) / √(variance + epsilon) · gamma + beta of rows; `gamma` and `beta` hold one number for each
/// column, or are null. `destination` may be `source`.
void ck_layer_norm(
    const float *source, const float *gamma, const float *beta, float *destination, int64_t rows,
    int64_t length, float epsilon);

/// The gradient of a padding of pictures: each pixel gets the sum of its copies, in their order.
///
/// Row y of the result is the sum of the rows row_sources[row_begins[y]] … row_sources[row_begins[y + 1] - 1]
/// of the padded picture, columns alike. One type for both, float32 or bfloat16.
int32_t ck_padding_gradient(
    ck_type type, const void *gradient, void *source_gradient, int64_t batch, int64_t height,
    int64_t width, int64_t channels, int64_t padded_height, int64_t padded_width,
    const int32_t *row_begins, const int32_t *row_sources, const int32_t *column_begins,
    const int32_t *column_sources);

// MARK: Pixels

/// Where the colours of an 8-bit pixel lie.
typedef struct ck_pixel_format {
  int32_t bytes_per_pixel;
  /// Byte offsets in a pixel; alpha is -1 where there is none. Grey pictures give one offset for all.
  int32_t red, green, blue, alpha;
} ck_pixel_format;

/// 8-bit rows to tensors: `value · scale[c] + bias[c]`.
///
/// `channels` 3 or 1 (1: `0.299 R + 0.587 G + 0.114 B`, or the one grey byte). Tensor channel c is
/// red, green, blue, or blue, green, red with `blue_first`. `planar`: C, H, W; otherwise H, W, C.
typedef struct ck_pixels {
  int64_t height, width, bytes_per_row;
  ck_pixel_format format;
  int64_t channels;
  int32_t blue_first, planar;
  ck_type type;
  float scale[3], bias[3];
} ck_pixels;

int32_t ck_pixels_to_tensor(const ck_pixels *description, const uint8_t *pixels, void *tensor);

/// Tensors to 8-bit rows: `value · scale[c] + bias[c]`, rounded to nearest even, clamped to 0…255,
/// not-a-number becomes 0. Alpha becomes 255.
int32_t ck_tensor_to_pixels(const ck_pixels *description, const void *tensor, uint8_t *pixels);

// MARK: Convolution

/// A direct convolution of NHWC pictures, for what oneDNN is slow at: few input or output channels
/// with wide kernels, deconvolution, nearest upsampling before a convolution, wide zero padding.
///
/// `destination = activation(convolution + bias + residual) · scale[c] + offset[c]`
///
/// Deconvolution: `out[y] += in[i] · w[k]` for `y = i · stride - pad_top + dilation · k`; an output
/// crop is a larger pad_top and pad_left and a smaller output. Padding at the bottom and right is what
/// the output size asks for. Parts that lie in the padding cost nothing. No groups.
typedef struct ck_convolution {
  int64_t batch;
  int64_t input_channels, input_height, input_width;
  int64_t output_channels, output_height, output_width;
  int64_t kernel_height, kernel_width;
  int64_t stride_height, stride_width;
  int64_t dilation_height, dilation_width;
  int64_t pad_top, pad_left;
  int32_t deconvolution;
  /// The convolution sees the input with every pixel repeated this many times in both directions.
  /// 1 is none. Input sizes are those before the repetition. Needs strides of 1.
  int32_t upsample;
  /// float32 or bfloat16, in which it is multiplied, too; but bfloat16 is multiplied in float32 where the processor
  /// has no products of it (AVX512-BF16), as widening inside of the products would take longer.
  ck_type source_type;
  /// float32 or bfloat16.
  ck_type destination_type;
  /// Elements from row to row and from picture to picture; 0 for dense. Pixels are dense.
  int64_t source_row_stride, source_batch_stride;
  int64_t destination_row_stride, destination_batch_stride;
  int32_t has_bias;
  /// Added before the activation; of the destination's type; may be the destination itself.
  int32_t has_residual;
  int64_t residual_row_stride, residual_batch_stride;
  ck_function activation;
  float alpha, beta;
  /// 1: `scale` and `offset` follow the activation.
  int32_t has_scale;
  /// 2 or 4: by Winograd's method, F(tile × tile, 3 × 3), with 2.25 or 4 times fewer products and more
  /// rounding; 0 for the plain sum. Needs windows of 3 × 3, strides and dilations of 1, channels that
  /// are multiples of 16, and no repetition. But 4 takes `upsample` 2, too, where both paddings are odd numbers: with
  /// 2.56 times fewer products than the plain sum has there, and no more rounding than 2.
  /// 6: as 2 and 4 without repetition, with 5.06 times fewer products, in float32 whatever the types.
  /// 3: windows of 3 × 3 to 15 × 15 in blocks by F(3 × 3, 3 × 3), with 3.24 times fewer products for 9 × 9, in
  /// float32 whatever the types; at most 64 channels on either side. With strides of 2: windows of 3 × 3 and channels
  /// as for 2, with 1.65 times fewer products, and no more rounding than 2.
  int32_t tile;
  /// 1: on the processor's matrix tiles where `ck_tiles` says so, else on acted ones, which are slow; 2: on
  /// acted ones, which give the same bits. 0: on neither. Needs a source of bfloat16 and no `tile`.
  int32_t tiles;
  /// 1: the statistics of the results are taken, too, for an instance norm. Results are dense.
  int32_t has_statistics;
  /// 1: the source is read through an instance norm whose statistics are known: what the convolution sees is
  /// `gamma · (x - mean) / √(variance + norm_epsilon) + beta`, and 0 where that is negative, if `norm_relu`. What
  /// stands around the picture stays 0.
  int32_t has_norm, norm_relu;
  float norm_epsilon;
} ck_convolution;

typedef struct ck_convolution_plan ck_convolution_plan;

/// Null where the description makes no sense; never for lack of instructions.
ck_convolution_plan *ck_convolution_create(const ck_convolution *description);
void ck_convolution_destroy(ck_convolution_plan *plan);

/// `direct`, `columns`, `phases`, `winograd 4` or the like, with the instructions: `columns:avx512_bf16`. On tiles
/// `tiles direct:amx_bf16`, and `gathered` where the channels do not fill a tile's rows.
const char *ck_convolution_name(const ck_convolution_plan *plan);

/// Names the form of the packed weights: plans of one name read the same bytes for the same weights.
/// Lives as long as the plan.
const char *ck_convolution_weights_form(const ck_convolution_plan *plan);

size_t ck_convolution_weights_bytes(const ck_convolution_plan *plan);

/// Scratch memory of one run on at most `threads` threads.
size_t ck_convolution_scratch_bytes(const ck_convolution_plan *plan, int32_t threads);

/// Packs float32 weights: [output, input, kh, kw], or for deconvolution [input, output, kh, kw].
void ck_convolution_pack(const ck_convolution_plan *plan, const float *weights, void *packed);

typedef struct ck_convolution_arguments {
  const void *source;
  const void *weights;
  /// One float32 an output channel each; null where not described.
  const float *bias, *scale, *offset;
  const void *residual;
  void *destination;
  /// `[batch, blocks, 2, output channels]` (`ck_statistics_blocks`); null where not described.
  float *statistics;
  /// One float32 an input channel, and `[batch, blocks, 2, input channels]` of the source; null where not described.
  const float *norm_gamma, *norm_beta, *norm_statistics;
  void *scratch;
  /// How many threads the scratch memory was made for.
  int32_t threads;
} ck_convolution_arguments;

int32_t ck_convolution_run(const ck_convolution_plan *plan, const ck_convolution_arguments *arguments);

/// The gradient of a convolution's weights by Winograd's method: windows of 3 × 3, strides and dilations of
/// 1, channels in multiples of 16.
///
///     gradient[o, i, ky, kx] = Σ small[n, y, x, o] · large[n, y + ky - pad_top, x + kx - pad_left, i]
///
/// `large` and `small` are dense NHWC of one type, float32 or bfloat16; the gradient is float32
/// `[output, input, 3, 3]`. Every number of threads gives the same bits.
typedef struct ck_weights_gradient {
  int64_t batch;
  int64_t input_channels, input_height, input_width;
  int64_t output_channels, output_height, output_width;
  int64_t pad_top, pad_left;
  ck_type type;
  /// 2 or 4, as in `ck_convolution`.
  int32_t tile;
  int32_t threads;
} ck_weights_gradient;

/// Scratch memory in bytes; 0 where the description cannot be computed so.
size_t ck_weights_gradient_scratch_bytes(const ck_weights_gradient *description);
int32_t ck_weights_gradient_run(
    const ck_weights_gradient *description, const void *large, const void *small, float *gradient,
    void *scratch);

// MARK: Random numbers

typedef enum ck_distribution {
  /// Mean and standard deviation.
  CK_NORMAL = 0,
  /// From the first up to the second number.
  CK_UNIFORM = 1,
  /// 1 with the first number as probability, else 0.
  CK_BERNOULLI = 2,
} ck_distribution;

/// Numbers that follow from a seed: draw i comes from number i of SplitMix64. Uniform numbers have 24
/// random bits. Normal ones come in blocks of 32 by Box and Muller: 16 radii from the upper 32 bits of
/// the first 16 numbers, 16 angles from the others; cosines first, then sines.
int32_t ck_random(
    ck_distribution distribution, float first, float second, uint64_t seed, int64_t count,
    float *destination);

// MARK: Recurrence

typedef enum ck_cell { CK_CELL_SIMPLE = 0, CK_CELL_GRU = 1, CK_CELL_LSTM = 2 } ck_cell;

/// A function with its numbers; `CK_AFFINE` and what else a recurrent layer may have: sigmoid, tanh,
/// ReLU, scaled tanh, hard sigmoid.
typedef struct ck_gate_function {
  ck_function function;
  float alpha, beta;
} ck_gate_function;

/// A recurrent layer whose products with the inputs are made before. Gates in order: GRU update, reset,
/// output; LSTM input, forget, block, output. Sums are kept in -50 … 50.
typedef struct ck_recurrence {
  ck_cell cell;
  int64_t steps, batch;
  /// Units: values that go out a step and entry.
  int64_t size;
  /// From `ck_recurrence_pack`, 64-byte aligned.
  const float *weights;
  /// LSTM: [3, size] of input, forget and output gate. GRU that resets the recursion: [size], added to it.
  /// Null without.
  const float *peepholes;
  /// Simple: its function. GRU: of update and reset gate, of the output gate. LSTM: of the gates, of the
  /// block input, of the cell on its way out.
  ck_gate_function functions[3];
  /// LSTM: what is forgotten is one less the input gate.
  int32_t couples_gates;
  /// LSTM: cells are kept within ± this.
  float cell_bound;
  /// Sums are kept within ± this.
  float sum_bound;
  /// GRU: the reset gate multiplies what the recursion makes, rather than what goes into it.
  int32_t resets_recursion;
  /// The sequence is read from its end.
  int32_t reverses;
  /// All outputs, or the last alone.
  int32_t returns_sequence;
  /// Outputs of a reversed walk stand where their inputs stood, or else in the order of the walk.
  int32_t outputs_by_time;
  /// From one entry's output to the next; at least `size`.
  int64_t output_stride;
} ck_recurrence;

typedef struct ck_recurrence_run_memory {
  /// [steps, batch, gates, size]: inputs times weights, biases added.
  const float *projected;
  /// [batch, size]; null is zero.
  const float *first_output, *first_cell;
  /// [steps or 1, batch, output_stride].
  float *outputs;
  /// [batch, size]; null where not asked for.
  float *last_output, *last_cell;
  /// `ck_recurrence_scratch` bytes, 64-byte aligned.
  float *scratch;
} ck_recurrence_run_memory;

/// The number of packed recursion weights.
int64_t ck_recurrence_weights(ck_cell cell, int64_t size);
/// Packs one matrix [size, size] a gate, `y[i] = Σ matrix[i][k] · x[k]`.
void ck_recurrence_pack(
    ck_cell cell, int64_t size, const float *const *recursions, float *packed);
int64_t ck_recurrence_scratch(int64_t batch, int64_t size);
/// Walks along the sequence. Returns 0, or -1 for sizes that it does not know.
int32_t ck_recurrence_run(
    const ck_recurrence *layer, const ck_recurrence_run_memory *memory);

#ifdef __cplusplus
}
#endif
#endif
