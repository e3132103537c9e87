#pragma once

#include <cstdint>

namespace products {

/// The maximum rows and columns of a tile, and the maximum terms of a sum that one call of a kernel adds.
constexpr int64_t kTileRows = 48, kTileColumns = 256, kDepth = 256;

/// A kernel for the inner part of a matrix product, for one instruction set.
///
/// `run` computes `c[i][j] (+)= Σ a[i][k] · b[k][j]` for i < count, j < columns, k < depth. `aRow` and `cRow` are the
/// distances between the rows of a and of c, in floats. b is a packed panel: depth rows of `columns` floats. Sums are
/// in the order of k.
struct MatrixKernel {
  /// The number of rows that the kernel computes at a time, and the number of columns of a panel.
  int rows, columns;
  void (*run)(int64_t count, int64_t depth, const float *a, int64_t aRow, const float *b, float *c,
      int64_t cRow, bool adds);
  const char *name;
};

extern const MatrixKernel plainKernel, avx2Kernel, avx512Kernel;

/// The kernel for the instructions that the calling thread may use.
const MatrixKernel &matrixKernel();

}  // namespace products
