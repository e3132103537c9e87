#pragma once

#include <cstdint>

#include "ck_quantized.h"

namespace ck {

/// A row that is quantised.
struct DynamicRow {
  const float *source;
  /// count: the length of the row. padded: the number of quantised values, the last of which are zeros. block: the
  /// number of values for each sum.
  int64_t count, padded, block;
  /// The quantised values: int8, or int16 for instruction sets without VNNI.
  void *values;
  float *scale;
  int32_t *sums;
};

/// Some rows and a panel of columns of a product with dynamic quantisation.
struct DynamicBlock {
  const ck_dynamic_product *product;
  /// All quantised rows, the distance between rows in values, the scale of each row, and the sums of each row's blocks.
  const void *values;
  int64_t rowStride;
  const float *rowScales;
  const int32_t *rowSums;
  /// The weights of the panel, its number of vectors of 16 columns, and its first column.
  const uint8_t *weights;
  int vectors;
  int64_t column;
  /// The scales and zero points of the panel's first column, for the first block. scaleStride: the distance to those of
  /// the next block.
  const float *scales;
  const int32_t *zeros;
  int64_t scaleStride;
  int64_t firstRow, endRow;
  /// The bias may be null, and the residual too.
  const float *bias, *residual;
  float *destination;
};

}  // namespace ck
