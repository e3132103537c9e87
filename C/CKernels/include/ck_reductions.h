#ifndef ATELIER_CK_REDUCTIONS_H
#define ATELIER_CK_REDUCTIONS_H

/// Axes that are folded into one value.

#include "ck_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How an axis is folded.
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
  /// Not a number where one of the values is none.
  CK_REDUCE_MAXIMUM = 7,
  CK_REDUCE_MINIMUM = 8,
  /// The index of the first largest, or smallest, value, or of the first that is not a number.
  CK_REDUCE_ARGMAX = 9,
  CK_REDUCE_ARGMIN = 10,
  /// log Σ x
  CK_REDUCE_LOG_OF_SUM = 11,
  /// log Σ e^x, computed without overflow
  CK_REDUCE_LOG_OF_SUM_OF_EXPONENTIALS = 12,
} ck_reduction_kind;

/// A reduction of the middle of [outer, axis, inner], float32, bfloat16 or float16; the result is
/// float32 [outer, inner].
typedef struct ck_reduction {
  ck_reduction_kind kind;
  int64_t outer, axis, inner;
  float epsilon;
  ck_type type;
} ck_reduction;

/// Bytes of temporary memory that a run needs.
size_t ck_reduction_scratch_bytes(const ck_reduction *reduction);

/// Runs on the calling thread's OpenMP team. Sums are made in float32 in chunks of fixed size, added
/// up in double in their order: the same bits on any number of threads. Nothing is allocated.
///
/// Returns 0, or -1 for a kind or type that it does not know, or where positions are asked for along
/// an axis of 2³¹ values or more.
int32_t ck_reduction_run(
    const ck_reduction *reduction, const void *source, float *destination, void *scratch);

#ifdef __cplusplus
}
#endif
#endif
