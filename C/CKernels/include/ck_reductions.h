#ifndef ATELIER_CK_REDUCTIONS_H
#define ATELIER_CK_REDUCTIONS_H

/// Reductions, sorting, cumulative sums and pooling.

#include "ck_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// MARK: Reductions of floats

/// How an axis is reduced to one value.
typedef enum ck_reduction_kind {
  CK_REDUCE_SUM = 0,
  CK_REDUCE_MEAN = 1,
  CK_REDUCE_PRODUCT = 2,
  /// Σ log(x + epsilon)
  CK_REDUCE_SUM_OF_LOGS = 3,
  CK_REDUCE_SUM_OF_SQUARES = 4,
  /// Σ |x|
  CK_REDUCE_L1 = 5,
  /// √Σ x²
  CK_REDUCE_L2 = 6,
  /// Not-a-number if one of the values is not a number.
  CK_REDUCE_MAXIMUM = 7,
  CK_REDUCE_MINIMUM = 8,
  /// ARGMAX gives the index of the first largest value, ARGMIN that of the first smallest value. If a value is not a
  /// number, both give the index of the first such value.
  CK_REDUCE_ARGMAX = 9,
  CK_REDUCE_ARGMIN = 10,
  /// log Σ x
  CK_REDUCE_LOG_OF_SUM = 11,
  /// log Σ e^x, computed without overflow
  CK_REDUCE_LOG_OF_SUM_OF_EXPONENTIALS = 12,
} ck_reduction_kind;

/// A reduction of a tensor [outer, axis, inner] along its middle axis. The source is float32, bfloat16 or float16. The
/// result is float32 [outer, inner].
typedef struct ck_reduction {
  ck_reduction_kind kind;
  int64_t outer, axis, inner;
  float epsilon;
  ck_type type;
} ck_reduction;

/// Returns the bytes of scratch memory that a run needs.
size_t ck_reduction_scratch_bytes(const ck_reduction *reduction);

/// Reduces on the calling thread's OpenMP team. Adds up chunks of fixed size in float32, and the sums of the chunks in
/// double, in order. The bits are thus the same for any number of threads. Allocates nothing.
///
/// Returns 0, or -1 for an unknown kind or type. Also returns -1 for ARGMAX or ARGMIN along an axis of 2³¹ or more
/// values.
int32_t ck_reduction_run(
    const ck_reduction *reduction, const void *source, float *destination, void *scratch);

// MARK: Vectors along an axis

/// The vectors along the middle axis of a dense tensor [outer, extent, inner].
typedef struct ck_vectors {
  int64_t outer, extent, inner;
} ck_vectors;

/// Returns the bytes of scratch memory that `ck_top_k` needs on at most `threads` threads. A vector may have at most
/// 2³¹ - 1 values.
size_t ck_top_k_scratch_bytes(const ck_vectors *vectors, int32_t threads);

/// Writes the `count` greatest values of each vector in descending order, or with `smallest` the smallest values in
/// ascending order. `values` has the source's type, or is null. The indices are float32, or int32 if the source is
/// int32. A `count` equal to the extent sorts the vector. The source is float32, bfloat16 or int32.
///
/// The order is stable: equal values, and both zeros, stay in the order of their indices. Not-a-number counts
/// as greater than every number.
///
/// If `count` is small, one pass over the vector finds the values, with a buffer of twice `count` values. Otherwise the
/// vector is sorted. A long vector is sorted by the bits of its values (radix sort). Each vector is the work of one
/// thread.
int32_t ck_top_k(
    const ck_vectors *vectors, ck_type type, int64_t count, int32_t smallest, const void *source,
    void *values, void *indices, void *scratch, int32_t threads);

/// Computes cumulative sums in double precision. With `exclusive`, a sum leaves out the element at its own index. With
/// `reverse`, sums start at the end. The type is float32. May run in place.
int32_t ck_cumulative_sum(
    const ck_vectors *vectors, int32_t exclusive, int32_t reverse, const float *source,
    float *destination);

/// Computes dot products of vectors of `channels` values, in double precision:
/// `destination[…] = Σ first[… + c] · second[… + c]`, summed over the channels c, for every element of a dense tensor
/// of `rank` ≤ 16 axes. With `cosine`, each dot product is divided by the lengths of its two vectors, and is 0 if a
/// length is 0. A stride of 0 repeats a vector. Returns 0, or -1 for more axes.
int32_t ck_dot(
    int32_t rank, const int64_t *extents, int64_t channels, int32_t cosine, const float *first,
    const int64_t *first_strides, const float *second, const int64_t *second_strides,
    float *destination);

// MARK: Integers

/// How integers along an axis are reduced to one value. Sums and products wrap around. Kinds named SATURATED give the
/// nearest end of the type's range instead.
typedef enum ck_integer_reduction_kind {
  CK_INTEGER_REDUCE_SUM = 0,
  CK_INTEGER_REDUCE_PRODUCT = 1,
  CK_INTEGER_REDUCE_SUM_OF_SQUARES = 2,
  /// Σ |x|
  CK_INTEGER_REDUCE_L1 = 3,
  CK_INTEGER_REDUCE_MAXIMUM = 4,
  CK_INTEGER_REDUCE_MINIMUM = 5,
  /// The index of the first largest, or smallest, value. The index is int32 whatever the source's type.
  CK_INTEGER_REDUCE_ARGMAX = 6,
  CK_INTEGER_REDUCE_ARGMIN = 7,
  /// The mean, computed from the exact sum and truncated towards zero.
  CK_INTEGER_REDUCE_MEAN = 8,
  CK_INTEGER_REDUCE_SATURATED_SUM = 9,
  CK_INTEGER_REDUCE_SATURATED_PRODUCT = 10,
  CK_INTEGER_REDUCE_SATURATED_SUM_OF_SQUARES = 11,
  CK_INTEGER_REDUCE_SATURATED_L1 = 12,
} ck_integer_reduction_kind;

/// Reduces each vector to one number of `destination`, [outer, inner]. The type is int32 or int64. A vector has 1 to
/// 2³¹ - 1 numbers. Returns 0, or -1 for another type, kind or length.
int32_t ck_integer_reduce(
    ck_integer_reduction_kind kind, ck_type type, const ck_vectors *vectors, const void *source,
    void *destination);

/// Computes cumulative sums that wrap around, or with `saturates` are clamped to the type's range. With `exclusive`, a
/// sum leaves out the element at its own index. With `reverse`, sums start at the end. The type is int32 or int64. May
/// run in place. Returns 0, or -1 for another type.
int32_t ck_integer_cumulative_sum(
    const ck_vectors *vectors, ck_type type, int32_t exclusive, int32_t reverse, int32_t saturates,
    const void *source, void *destination);

/// Matrix products of int32 or int64. The sums wrap around, or with `saturates` are clamped to the type's range.
typedef struct ck_integer_matmul {
  ck_type type;
  int32_t saturates;
  int64_t batch, rows, inner, columns;
  /// The distances from one left matrix to the next, from row to row, and along a row, in elements. A distance of 0
  /// repeats elements.
  int64_t left_strides[3];
  /// The distances from one right matrix to the next, from row to row, and along a row, in elements. A distance of 0
  /// repeats elements.
  int64_t right_strides[3];
} ck_integer_matmul;

/// Computes `destination[b, r, c] = Σ left[b, r, k] · right[b, k, c]`. The destination is dense. Returns 0, or -1 for
/// another type.
int32_t ck_integer_matmul_run(
    const ck_integer_matmul *description, const void *left, const void *right, void *destination);

// MARK: Pooling

/// Max pooling of images: the maximum of every window. The maximum is not-a-number if a pixel of the window is not a
/// number, and 0 if the window contains no pixel. The type is float32, bfloat16 or float16.
typedef struct ck_max_pooling {
  int64_t batch, height, width, channels, output_height, output_width;
  ck_type type;
  /// The pixels of the window in row r and column c of the result: the rows `row_starts[r] ..< row_ends[r]` and the
  /// columns `column_starts[c] ..< column_ends[c]` of the image.
  const int32_t *row_starts, *row_ends, *column_starts, *column_ends;
} ck_max_pooling;

int32_t ck_max_pooling_run(
    const ck_max_pooling *description, const void *source, void *destination);

/// The gradient of a pooling of images. For average pooling, each window adds its
/// `dy · row_factors[row] · column_factors[column]` to all its pixels, where `row` and `column` are the window's
/// indices. With `is_maximum`, each window adds its dy to the first of its largest pixels.
typedef struct ck_pooling_gradient {
  int64_t batch, height, width, channels, output_height, output_width;
  int32_t is_maximum;
  /// `source_type` is the type of x, which only a maximum reads. `gradient_type` is the type of dy and dx. Both are
  /// float32 or bfloat16.
  ck_type source_type, gradient_type;
  /// The pixels of the window in row r and column c of the result: the rows `row_starts[r] ..< row_ends[r]` and the
  /// columns `column_starts[c] ..< column_ends[c]` of the image.
  const int32_t *row_starts, *row_ends, *column_starts, *column_ends;
  /// One factor for each row and for each column of windows. Ignored with `is_maximum`.
  const float *row_factors, *column_factors;
} ck_pooling_gradient;

/// Returns the bytes of scratch memory. If windows overlap, a run adds up their gradients in order, in float32: in the
/// result if it is float32, else in `scratch`. Windows that share no pixel need no scratch memory.
size_t ck_pooling_gradient_scratch_bytes(const ck_pooling_gradient *description);
int32_t ck_pooling_gradient_run(
    const ck_pooling_gradient *description, const void *source, const void *gradient,
    void *source_gradient, void *scratch);

/// Pooling of dense volumes [planes, D, H, W]. Sizes are in the order depth, height, width.
typedef struct ck_volume_pooling {
  int64_t planes;
  int64_t input[3], output[3], kernel[3], stride[3];
  /// The declared padding before and after the volume, along each axis. Positions of a window beyond this padding do
  /// not count.
  int64_t before[3], after[3];
  /// 1: the maximum, which is not-a-number if an element is, and 0 for a window without an element. 0: the average.
  int32_t is_maximum;
  /// 1: the average divides only by the number of elements inside the volume.
  int32_t excludes_padding;
  /// float32 or bfloat16.
  ck_type type;
} ck_volume_pooling;

size_t ck_volume_pooling_scratch_bytes(const ck_volume_pooling *description, int32_t threads);

/// Computes the pooling. Reduces the rows of a window to one row first, element by element, then the elements of that
/// row. Sums are in double precision.
int32_t ck_volume_pooling_run(
    const ck_volume_pooling *description, const void *source, void *destination, void *scratch,
    int32_t threads);

#ifdef __cplusplus
}
#endif

#endif
