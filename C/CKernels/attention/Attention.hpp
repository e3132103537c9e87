#pragma once

#include <cstdint>

#include "ck_attention.h"

namespace ck {

/// Some queries of all heads that read one head's keys and values, and the scratch memory of the thread.
struct AttentionBlock {
  const ck_attention *attention;
  const float *query, *key, *value, *mask;
  float *destination;
  int64_t sample, keyHead, firstQuery, endQuery;
  /// The maximum number of vectors in a panel of columns.
  int maxVectors;
  /// The number of queries whose scores are in memory at a time: a multiple of the rows of all tiles.
  int64_t together;
  /// Keys and values in panels; some queries; their scores; their results; their factors.
  float *keys, *values, *queries, *scores, *sums, *factors;
  /// The distance between two rows of `scores`.
  int64_t scoreStride;
};

}  // namespace ck
