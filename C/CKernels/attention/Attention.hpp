#pragma once

#include <cstdint>

#include "ck_attention.h"

namespace ck {

/// Some rows of one head of the keys, and the scratch memory of the thread. The rows of such a head are the queries of all
/// heads that read it, one head after the other.
struct AttentionBlock {
  const ck_attention *attention;
  const float *query, *mask;
  const void *key, *value;
  float *destination;
  int64_t sample, keyHead, firstRow, endRow;
  /// The maximum number of vectors in a panel of columns.
  int maxVectors;
  /// The number of rows whose scores are in memory at a time: a multiple of the rows of all tiles.
  int64_t together;
  /// Whether several such steps read the keys and values, so that panels of them are kept.
  bool keepsPanels;
  /// Keys and values in panels; some queries; their scores; their results; their factors. If panels are not kept, there is
  /// one panel of keys, and none of values that fill vectors.
  float *keys, *values, *queries, *scores, *sums, *factors;
  /// The distance between two rows of `scores`.
  int64_t scoreStride;
};

}  // namespace ck
