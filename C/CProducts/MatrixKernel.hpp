#pragma once

#include <cstdint>

namespace products {

/// The most rows of a tile, the most columns, and the most terms of a sum that one call of a kernel adds.
constexpr int64_t kTileRows = 48, kTileColumns = 256, kDepth = 256;

/// A kernel for the inner part of a matrix product, for one instruction set.
///
/// `run` computes `c[i][j] (+)= Σ a[i][k] · b[k][j]` for i < count, j < columns, k < depth. a has `aRow` floats between
/// rows, c `cRow`. b is a packed panel: depth rows of `columns` floats. Sums are in the order of k.
struct MatrixKernel {
  /// The most rows of one call, and the columns of a panel.
  int rows, columns;
  void (*run)(int64_t count, int64_t depth, const float *a, int64_t aRow, const float *b, float *c,
      int64_t cRow, bool adds);
  const char *name;
};

extern const MatrixKernel plainKernel, avx2Kernel, avx512Kernel;

/// The kernel for the instructions that the calling thread may use.
const MatrixKernel &matrixKernel();

}  // namespace products
