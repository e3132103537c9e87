#pragma once

#include <cstdint>

#include "ck_quantized.h"

namespace ck {

/// kStoredColumns: the number of columns in one part of the work. kStoredInner: the number of elements of a stored row
/// that are widened at a time.
constexpr int64_t kStoredColumns = 24, kStoredInner = 1024;

/// With this number of rows or more, the columns are widened to a panel, which tiles of rows are multiplied by.
constexpr int64_t kStoredPanelRows = 64;

struct Finish;

/// Part of a matrix product: some columns of the result, a range of the inner dimension, and all rows of the source.
/// Each column of the result belongs to one row of the stored matrix.
struct StoredBlock {
  const ck_stored_matrix *matrix;
  int64_t column, columns, first, count;
  const float *source;
  int64_t rows;
  /// The sums of these columns, to which the block adds its products.
  float *sums;
  int64_t sumsStride;
  /// For many rows, memory for the block's columns in a panel of float32, and what follows the sums; else null. Sums then
  /// need no initial values.
  float *panel;
  const Finish *finish;
  const float *residual;
  /// The number of rows of a tile with n vectors of columns.
  const int *pixels;
  ck_function activation;
  float alpha, beta;
};

}  // namespace ck
