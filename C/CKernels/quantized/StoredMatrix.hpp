#pragma once

#include <cstdint>

#include "ck_quantized.h"

namespace ck {

/// kStoredColumns: the number of columns in one part of the work. kStoredInner: the number of elements of a stored row
/// that are widened at a time.
constexpr int64_t kStoredColumns = 24, kStoredInner = 1024;

/// Part of a matrix product: some columns of the result, a range of the inner dimension, and all rows of the source.
/// Each column of the result belongs to one row of the stored matrix.
struct StoredBlock {
  const ck_stored_matrix *matrix;
  int64_t column, columns, first, count;
  const float *source;
  int64_t rows;
  /// The sums of these columns, to which the block adds its products. The block with the last range of the inner
  /// dimension then applies the activation to the sums.
  float *sums;
  int64_t sumsStride;
  ck_function activation;
  float alpha, beta;
};

}  // namespace ck
