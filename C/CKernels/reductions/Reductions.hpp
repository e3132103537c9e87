#pragma once

#include <cstdint>

#include "ck_reductions.h"

namespace ck {

/// The number of neighbouring columns that are reduced together.
constexpr int64_t kReductionColumns = 256;

/// Some neighbouring columns of `count` values each. The values of a column are `stride` apart. If `stride` is 1, the
/// block is instead some contiguous rows of `count` values each.
struct ReductionBlock {
  ck_reduction_kind kind;
  ck_type type;
  int64_t count, stride, columns, rows;
  float epsilon;
  const void *source;
  float *result;
};

/// One output row of a max pooling of channels-last images. Window x has the columns from `columnStarts[x]` to
/// `columnEnds[x] - 1`.
struct MaxPoolingRow {
  ck_type type;
  int64_t rows, rowStride, channels, outputWidth;
  const int32_t *columnStarts, *columnEnds;
  /// The first pixel of the first input row of the windows, and the end of all pixels.
  const void *source, *sourceEnd;
  /// The row's first output, and the end of the row.
  void *destination;
  const void *destinationEnd;
};

/// A window of a pooled image, for some neighbouring channels. Strides count elements.
struct PoolingWindow {
  int64_t rows, columns, channels;
  int64_t rowStride, pixelStride;
  const void *source, *gradient;
  ck_type sourceType, gradientType, destinationType;
  void *destination;
  int64_t destinationRowStride, destinationPixelStride;
  bool isMaximum, adds;
  float factor;
};

}  // namespace ck
