#ifndef ATELIER_CK_INDICES_H
#define ATELIER_CK_INDICES_H

/// Kernels that read and write at places which another tensor names.
///
/// An index is an int32, or a float32 that is cut off towards zero and bounded by ±2³¹, not-a-number is 0; a
/// negative one counts from the end of its axis. Functions that return a position return -1, or that of the first
/// index in memory that names no place; the destination then holds nothing of use.
///
/// Tensors are dense. What is moved is float32, int32 or bfloat16.

#include "ck_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Numbers that say where: float32 or int32.
typedef struct ck_numbers {
  const void *values;
  ck_type type;
} ck_numbers;

/// Slices of a tensor, named by vectors of indices for its first axes.
typedef struct ck_slices {
  /// How many vectors, and how many indices in each.
  int64_t count, depth;
  /// Of each axis that a vector names: its extent, and elements between neighbours.
  const int64_t *extents, *strides;
  /// Elements of a slice.
  int64_t size;
} ck_slices;

/// A tensor [outer, extent, inner] of which `count` places of the middle axis are named.
typedef struct ck_axis {
  int64_t outer, extent, inner, count;
} ck_axis;

/// What a scattered value does to the one that is there. Whole numbers wrap around; their quotients are cut
/// off towards zero, and are 0 where the divisor is 0.
typedef enum ck_scatter_mode {
  CK_SCATTER_UPDATE = 0,
  CK_SCATTER_ADD = 1,
  CK_SCATTER_SUBTRACT = 2,
  CK_SCATTER_MULTIPLY = 3,
  CK_SCATTER_DIVIDE = 4,
  /// The greater one stays; not-a-number never takes the place of another value.
  CK_SCATTER_MAXIMUM = 5,
  CK_SCATTER_MINIMUM = 6,
} ck_scatter_mode;

/// destination[i, …] = source[indices[i], …]; indices are [count, depth].
int64_t ck_gather_slices(
    const ck_slices *slices, ck_type type, const void *source, ck_numbers indices,
    void *destination);

/// destination[o, i, …] = source[o, indices[i], …]; one index a place.
int64_t ck_gather(
    const ck_axis *axis, ck_type type, const void *source, ck_numbers indices,
    void *destination);

/// destination[o, i, r] = source[o, indices[o, i, r], r]; indices are [outer, count, inner].
int64_t ck_gather_along_axis(
    const ck_axis *axis, ck_type type, const void *source, ck_numbers indices,
    void *destination);

/// The reverse: updates, laid out as the destination of the gathering, change what `destination` holds, in
/// their order. `starts` are 8 bytes a vector or index of scratch memory. bfloat16 can only be updated.
int64_t ck_scatter_slices(
    const ck_slices *slices, ck_scatter_mode mode, ck_type type, ck_numbers indices,
    const void *updates, void *destination, int64_t *starts);
int64_t ck_scatter(
    const ck_axis *axis, ck_scatter_mode mode, ck_type type, ck_numbers indices,
    const void *updates, void *destination, int64_t *starts);
int64_t ck_scatter_along_axis(
    const ck_axis *axis, ck_scatter_mode mode, ck_type type, ck_numbers indices,
    const void *updates, void *destination);

/// Vectors [outer, size, inner] of `off` with `on` at the place that indices [outer, inner] name. Here
/// a negative index names no place, and one that names none leaves the vector as it is.
void ck_one_hot(
    int64_t outer, int64_t size, int64_t inner, float on, float off, ck_numbers indices,
    float *destination);

/// 8-byte numbers of scratch memory that `ck_where_nonzero` needs.
int64_t ck_where_nonzero_scratch(int64_t count);

/// The indices of all elements that are not 0, one row of `rank` numbers each, in order. The source is
/// float32 or int32. Writes `most` rows
/// at most and returns how many there are.
int64_t ck_where_nonzero(
    int32_t rank, const int64_t *shape, ck_numbers source, int64_t most, float *destination,
    int64_t *scratch);

/// [outer, first, middle, second, inner]: the sequences along one of the two named axes, each as long as
/// `lengths` says for its place on the other axis, are turned around.
typedef struct ck_sequences {
  int64_t outer, first, middle, second, inner;
  /// 1: the first axis is the batch and the second the sequence; 0: the other way.
  int32_t batch_is_first;
} ck_sequences;

/// Returns -1, or the position of the first length that is negative or beyond the sequence.
int64_t ck_reverse_sequences(
    const ck_sequences *sequences, ck_type type, const void *source, ck_numbers lengths,
    void *destination);

#ifdef __cplusplus
}
#endif
#endif
