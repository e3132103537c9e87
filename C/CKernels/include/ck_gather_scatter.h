#ifndef ATELIER_CK_GATHER_SCATTER_H
#define ATELIER_CK_GATHER_SCATTER_H

/// Kernels that read and write elements by the indices that another tensor holds.
///
/// An index is an int32, or a float32 that is truncated towards zero and clamped to ±2³¹. An index that is not a number
/// is 0. A negative index counts from the end of its axis. Functions that return a position return -1 if all indices
/// are in range. Otherwise they return the position of the first index out of range in the memory of the indices, and
/// the contents of the destination are undefined.
///
/// Tensors are dense. Elements are float32, int32 or bfloat16.

#include "ck_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Indices or lengths: float32 or int32.
typedef struct ck_numbers {
  const void *values;
  ck_type type;
} ck_numbers;

/// Slices of a tensor. A vector of indices selects each slice, with one index for each of the tensor's first `depth`
/// axes.
typedef struct ck_slices {
  /// The number of vectors, and the number of indices in each vector.
  int64_t count, depth;
  /// For each axis that a vector indexes: its extent, and its stride in elements.
  const int64_t *extents, *strides;
  /// The number of elements of a slice.
  int64_t size;
} ck_slices;

/// A tensor [outer, extent, inner]. `count` indices select elements along its middle axis.
typedef struct ck_axis {
  int64_t outer, extent, inner, count;
} ck_axis;

/// How an update changes an element of the destination. Integers wrap around. Quotients of integers are truncated
/// towards zero, and are 0 if the divisor is 0.
typedef enum ck_scatter_mode {
  CK_SCATTER_UPDATE = 0,
  CK_SCATTER_ADD = 1,
  CK_SCATTER_SUBTRACT = 2,
  CK_SCATTER_MULTIPLY = 3,
  CK_SCATTER_DIVIDE = 4,
  /// The greater of the element and the update. A not-a-number never replaces the element.
  CK_SCATTER_MAXIMUM = 5,
  CK_SCATTER_MINIMUM = 6,
} ck_scatter_mode;

/// destination[i, …] = source[indices[i], …]. The indices are [count, depth].
int64_t ck_gather_slices(
    const ck_slices *slices, ck_type type, const void *source, ck_numbers indices,
    void *destination);

/// destination[o, i, …] = source[o, indices[i], …]. The indices are [count].
int64_t ck_gather(
    const ck_axis *axis, ck_type type, const void *source, ck_numbers indices,
    void *destination);

/// destination[o, i, r] = source[o, indices[o, i, r], r]. The indices are [outer, count, inner].
int64_t ck_gather_along_axis(
    const ck_axis *axis, ck_type type, const void *source, ck_numbers indices,
    void *destination);

/// The scatter functions are the reverse of the gather functions. They change those elements of `destination` that the
/// gather function with the same description would read. They apply the updates in order. The updates have the shape of
/// the gather function's result. `starts` is scratch memory of 8 bytes for each vector or index. bfloat16 supports
/// `CK_SCATTER_UPDATE` only.
int64_t ck_scatter_slices(
    const ck_slices *slices, ck_scatter_mode mode, ck_type type, ck_numbers indices,
    const void *updates, void *destination, int64_t *starts);
int64_t ck_scatter(
    const ck_axis *axis, ck_scatter_mode mode, ck_type type, ck_numbers indices,
    const void *updates, void *destination, int64_t *starts);
int64_t ck_scatter_along_axis(
    const ck_axis *axis, ck_scatter_mode mode, ck_type type, ck_numbers indices,
    const void *updates, void *destination);

/// A copy of blocks of bytes: `to[i, j, …] = from[offsets₀[i] + offsets₁[j] + …]`. The offset of a source block is the
/// sum of one offset for each axis.
typedef struct ck_gather_blocks {
  /// The number of axes, at least one.
  int64_t rank;
  /// The extents of the output in blocks, outermost first.
  const int64_t *extents;
  /// The offsets in bytes: all offsets of the first axis, then all offsets of the second axis, and so on.
  const int64_t *offsets;
  int64_t block_bytes;
} ck_gather_blocks;

void ck_gather_blocks_run(
    const ck_gather_blocks *description, const void *source, void *destination);

/// Writes a tensor [outer, size, inner] of vectors along its middle axis. `indices`, [outer, inner], holds one index
/// for each vector. The vector is `on` at that index and `off` elsewhere. A negative index is out of range here. If an
/// index is out of range, its vector is `off` everywhere.
void ck_one_hot(
    int64_t outer, int64_t size, int64_t inner, float on, float off, ck_numbers indices,
    float *destination);

/// Returns the number of 8-byte elements of scratch memory that `ck_where_nonzero` needs.
int64_t ck_where_nonzero_scratch(int64_t count);

/// Writes the indices of the elements that are not 0, in order, as rows of `rank` numbers. The source is float32 or
/// int32. Writes at most `most` rows and returns the number of all elements that are not 0.
int64_t ck_where_nonzero(
    int32_t rank, const int64_t *shape, ck_numbers source, int64_t most, float *destination,
    int64_t *scratch);

/// A tensor [outer, first, middle, second, inner] of sequences. One of the axes `first` and `second` is the batch. The
/// other axis runs along each sequence. `lengths` holds the length of each sequence, one per batch entry.
typedef struct ck_sequences {
  int64_t outer, first, middle, second, inner;
  /// 1: the first axis is the batch and the second the sequence; 0: the first axis is the sequence and the second the
  /// batch.
  int32_t batch_is_first;
} ck_sequences;

/// Reverses the first `lengths[entry]` elements of each sequence. Returns -1, or the index of the first length that
/// is negative or exceeds the sequence.
int64_t ck_reverse_sequences(
    const ck_sequences *sequences, ck_type type, const void *source, ck_numbers lengths,
    void *destination);

#ifdef __cplusplus
}
#endif

#endif
