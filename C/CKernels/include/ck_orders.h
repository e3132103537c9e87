#ifndef ATELIER_CK_ORDERS_H
#define ATELIER_CK_ORDERS_H

/// Sorting, selecting and summing along the middle of dense [outer, extent, inner].
///
/// Orders: equal values, and both zeros, stay in the order of their places. Not-a-number counts as
/// greater than every number.

#include "ck_types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ck_lines {
  int64_t outer, extent, inner;
} ck_lines;

/// Scratch memory of `ck_top` on at most `threads` threads; at most 2³¹ - 1 values a line.
size_t ck_top_scratch_bytes(const ck_lines *lines, int32_t threads);

/// The `count` greatest values of each line, the greatest first, or the smallest, the smallest first:
/// `values` (of the source's type, or null) and where they stood: as float32, or int32 where the source is so.
/// With `count` the extent, a sorting. float32, bfloat16 or int32.
///
/// Few of many are found in one pass that keeps twice as many; else a line is sorted, longer ones by
/// their bits (radix). One line is one thread's.
int32_t ck_top(
    const ck_lines *lines, ck_type type, int64_t count, int32_t smallest, const void *source,
    void *values, void *indices, void *scratch, int32_t threads);

/// Running sums in double precision; without its own element where `exclusive`, from the end where
/// `reverse`. float32; may run in place.
int32_t ck_cumulative_sum(
    const ck_lines *lines, int32_t exclusive, int32_t reverse, const float *source,
    float *destination);

/// Products of vectors of `channels` values each: `destination[…] = Σ first[… + c] · second[… + c]` for every
/// place of a dense tensor of `rank` ≤ 16 axes, in double precision; with `cosine` divided by both lengths, or
/// 0 where one of them is. A stride of 0 repeats a vector. Returns 0, or -1 for more axes.
int32_t ck_dot(
    int32_t rank, const int64_t *extents, int64_t channels, int32_t cosine, const float *first,
    const int64_t *first_strides, const float *second, const int64_t *second_strides,
    float *destination);

#ifdef __cplusplus
}
#endif
#endif
