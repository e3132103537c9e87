#ifndef ATELIER_CK_ATTENTION_H
#define ATELIER_CK_ATTENTION_H

/// Scaled dot-product attention.

#include <stddef.h>
#include <stdint.h>

#include "ck_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The distances between neighbouring elements of a tensor along its axes, in elements. The elements of a row are
/// contiguous. A stride of 0 repeats an element.
typedef struct ck_attention_strides {
  int64_t batch, head, row;
} ck_attention_strides;

/// softmax(scale · query × keyᵀ + mask) × value, in float32, for each head of each sample. Keys and values may be float16
/// in memory.
///
/// Query is `[batch, heads, queries, width]`, key `[batch, key_heads, keys, width]`, value `[batch, key_heads, keys,
/// value_width]`, and mask `[batch, heads, queries, keys]`. The strides say where their elements are. Head h reads the
/// keys and values of the head h · key_heads / heads.
typedef struct ck_attention {
  int64_t batch, heads, key_heads, queries, keys, width, value_width;
  ck_attention_strides query, key, value, mask, destination;
  /// CK_F32 or CK_F16.
  ck_type key_type, value_type;
  /// 1: the mask is added to the scores. 2: where the mask is 0, `fill` replaces the score.
  int32_t has_mask;
  float scale;
  /// 1: the query is multiplied by the scale. 0: the products of query and key are. Without `rounds`, both give the same
  /// results up to float32's rounding.
  int32_t scales_query;
  /// 1: rounds to float16 after each operation except the last: the scaled query, the products, the scaled products,
  /// the sums with the mask, the weights.
  int32_t rounds;
  /// 1: rounds the results to float16.
  int32_t rounds_result;
  /// The number that replaces scores if `has_mask` is 2.
  float fill;
} ck_attention;

/// Returns the bytes of scratch memory for this number of threads; 0 if the sizes make no sense. The memory does not
/// grow with the product of queries and keys: a thread holds the scores of a few queries at a time.
size_t ck_attention_scratch_bytes(const ck_attention *description, int32_t threads);

/// Computes attention. `mask` may be null without `has_mask`. No tensor may overlap `destination`. Returns -1 if the
/// sizes make no sense.
int32_t ck_attention_run(
    const ck_attention *description, const float *query, const void *key, const void *value,
    const float *mask, float *destination, void *scratch, int32_t threads);

#ifdef __cplusplus
}
#endif

#endif
