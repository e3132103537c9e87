#include <algorithm>
#include <vector>

#include "common/Table.hpp"

using namespace ck;

extern "C" int32_t ck_stored_is_valid(const ck_stored_matrix *matrix) {
  const int32_t bits = matrix->bits;
  bool isKnown = false;
  switch (matrix->kind) {
    case CK_STORED_FLOAT16: case CK_STORED_BFLOAT16: isKnown = bits == 16; break;
    case CK_STORED_FLOAT32: isKnown = bits == 32; break;
    case CK_STORED_SIGNED: case CK_STORED_UNSIGNED: isKnown = bits == 8 || bits == 4; break;
    case CK_STORED_PALETTE:
      isKnown = (bits == 1 || bits == 2 || bits == 3 || bits == 4 || bits == 6 || bits == 8)
          && matrix->table != nullptr && matrix->table_columns > 0;
      break;
  }
  if (!isKnown || matrix->columns <= 0 || matrix->inner <= 0) return 0;
  if (matrix->inner > (int64_t{1} << 40) / 16 || matrix->inner * bits % 8 != 0) return 0;
  if (matrix->scale == nullptr) return 1;
  if (matrix->scale_columns <= 0 || matrix->scale_inner <= 0) return 0;
  if (matrix->inner % matrix->scale_inner != 0) return 0;
  return matrix->scale_inner == matrix->inner || matrix->scale_inner % 16 == 0;
}

/// The product of all rows with some columns of a matrix, from `column` on, at most `columns`.
static StoredBlock blockOf(const ck_stored_matrix &matrix, const float *source, int64_t rows,
    int64_t column, int64_t columns, float *destination) {
  StoredBlock block{};
  block.matrix = &matrix;
  block.column = column;
  block.columns = std::min(columns, matrix.columns - column);
  block.count = matrix.inner;
  block.source = source;
  block.rows = rows;
  block.sums = destination + column;
  block.sumsStride = matrix.columns;
  return block;
}

extern "C" int32_t ck_stored_matmul(
    const ck_stored_matrix *matrix, const float *source, int64_t rows, const float *bias,
    ck_function activation, float alpha, float beta, float *destination) {
  if (rows >= kStoredPanelRows)
    return ck_stored_panels(
        matrix, source, rows, bias, nullptr, activation, alpha, beta, 0, destination);
  if (ck_stored_is_valid(matrix) == 0) return -1;
  const Table &kernels = table();
  // One row takes little work per column.
  const int64_t columns = rows == 1 ? 2 * kStoredColumns : kStoredColumns;
  forParts(ceilDivide(matrix->columns, columns), [&](int64_t part, int) {
    StoredBlock block = blockOf(*matrix, source, rows, part * columns, columns, destination);
    block.activation = activation;
    block.alpha = alpha;
    block.beta = beta;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t j = 0; j < block.columns; ++j)
        block.sums[row * block.sumsStride + j] = bias == nullptr ? 0.0f : bias[block.column + j];
    kernels.storedBlock(block);
  });
  return 0;
}

extern "C" int32_t ck_stored_panels(
    const ck_stored_matrix *matrix, const float *source, int64_t rows, const float *bias,
    const float *residual, ck_function activation, float alpha, float beta, int32_t rounds,
    float *destination) {
  const Table &kernels = table();
  // All rows of a tile must exist.
  if (ck_stored_is_valid(matrix) == 0 || rows < kernels.pixels[1]) return -1;
  const int64_t columns = 16 * std::min(kernels.maxVectors, 4);
  Finish finish{};
  finish.bias = bias;
  finish.activation = activation;
  finish.alpha = alpha;
  finish.beta = beta;
  finish.channels = matrix->columns;
  finish.rounds = rounds != 0;
  forParts(ceilDivide(matrix->columns, columns), [&](int64_t part, int) {
    // A thread keeps this memory, at most a few megabytes, for later products.
    static thread_local std::vector<float> panel;
    const size_t size = static_cast<size_t>(columns * matrix->inner);
    if (panel.size() < size) panel.resize(size);
    StoredBlock block = blockOf(*matrix, source, rows, part * columns, columns, destination);
    block.panel = panel.data();
    block.finish = &finish;
    block.residual = residual;
    block.pixels = kernels.pixels;
    kernels.storedBlock(block);
  });
  return 0;
}

extern "C" int32_t ck_stored_rows(
    const ck_stored_matrix *matrix, int64_t first, int64_t count, float *destination) {
  if (ck_stored_is_valid(matrix) == 0 || first < 0 || count > matrix->columns - first) return -1;
  const Table &kernels = table();
  forParts(count, [&](int64_t part, int) {
    alignas(64) float numbers[kStoredInner + 16];
    float *to = destination + part * matrix->inner;
    for (int64_t start = 0; start < matrix->inner; start += kStoredInner) {
      const int64_t some = std::min<int64_t>(kStoredInner, matrix->inner - start);
      kernels.widenStored(*matrix, first + part, start, some, numbers);
      std::memcpy(to + start, numbers, static_cast<size_t>(some) * sizeof(float));
    }
  });
  return 0;
}
