#include "quantized/DynamicProduct.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "quantized/QuantizedConvolution.hpp"

using namespace ck;

namespace {

/// The maximum number of elements of a block. With more, a sum could exceed 32 bits: 2 · 255 · 127 · 33,000 < 2³¹.
constexpr int64_t kMostInner = 33000;
/// Rows with at most this many values together are quantised by one thread, because starting the others takes longer.
constexpr int64_t kFewValues = 16384;
/// The minimum number of multiply-adds of a part of the work.
constexpr int64_t kProductsPerPart = 1 << 19;

/// The sizes of packed weights and quantised rows.
struct DynamicShape {
  int64_t blocks, steps, columns, vectors, padded;

  DynamicShape(const ck_dynamic_product &d, const QuantizedTable &kernels) {
    blocks = d.inner / d.block;
    // A step is 64 bytes of each vector of 16 columns: four elements of 8 bits, or eight of 4 bits.
    steps = ceilDivide(d.inner, 32 / d.bits);
    columns = ceilDivide(d.columns, 16) * 16;
    vectors = kernels.dynamicVectors;
    padded = ceilDivide(d.inner, 16) * 16;
  }

  size_t scaleBytes() const { return rounded(size_t(blocks * columns) * 4); }
  size_t weightBytes() const { return size_t(steps * columns) * 4; }
};

/// Packs the values of columns, which `read` writes as integers: element − lowest, where `lowest` is the smallest value
/// of the type.
template <typename Read>
void packColumns(const ck_dynamic_product &d, uint8_t *weights, const Read &read) {
  const DynamicShape shape(d, quantizedTable());
  forParts(ceilDivide(d.columns, 16), [&](int64_t vector, int) {
    const int64_t panel = vector / shape.vectors * shape.vectors;
    const int64_t together = std::min(shape.vectors, shape.columns / 16 - panel);
    uint8_t *to = weights + panel * shape.steps * 64 + (vector - panel) * 64;
    std::vector<uint8_t> bytes(size_t(ceilDivide(d.inner, 8) * 8));
    for (int64_t step = 0; step < shape.steps; ++step) std::memset(to + step * together * 64, 0, 64);
    for (int64_t lane = 0; lane < std::min<int64_t>(16, d.columns - vector * 16); ++lane) {
      read(vector * 16 + lane, bytes.data());
      for (int64_t step = 0; step < shape.steps; ++step) {
        uint8_t *quad = to + step * together * 64 + lane * 4;
        if (d.bits == 8) {
          std::memcpy(quad, bytes.data() + step * 4, 4);
        } else {
          const uint8_t *from = bytes.data() + step * 8;
          for (int i = 0; i < 4; ++i) quad[i] = uint8_t((from[i] & 15) | from[4 + i] << 4);
        }
      }
    }
  });
}

}  // namespace

extern "C" {

int32_t ck_dynamic_product_suits(const ck_dynamic_product *product) {
  const ck_dynamic_product &d = *product;
  if (d.rows <= 0 || d.inner <= 0 || d.columns <= 0 || d.block <= 0) return 0;
  if (d.rows > INT32_MAX || d.inner > INT32_MAX || d.columns > INT32_MAX) return 0;
  if (d.block > kMostInner || d.inner % d.block != 0) return 0;
  if (d.block != d.inner && d.block % 16 != 0) return 0;
  return d.bits == 8 || d.bits == 4;
}

int32_t ck_dynamic_product_panel(void) { return quantizedTable().dynamicVectors; }

size_t ck_dynamic_product_weights_bytes(const ck_dynamic_product *product) {
  const DynamicShape shape(*product, quantizedTable());
  return rounded(2 * shape.scaleBytes() + shape.weightBytes());
}

int32_t ck_dynamic_product_pack(
    const ck_dynamic_product *product, const float *weights, int32_t is_transposed, void *packed) {
  const ck_dynamic_product &d = *product;
  if (!ck_dynamic_product_suits(product) || d.bits != 8 || d.block != d.inner) return -1;
  const DynamicShape shape(d, quantizedTable());
  float *scales = static_cast<float *>(packed);
  int32_t *zeros = reinterpret_cast<int32_t *>(static_cast<char *>(packed) + shape.scaleBytes());
  std::fill(scales, scales + shape.columns, 0.0f);
  std::fill(zeros, zeros + shape.columns, 128);
  packColumns(d, static_cast<uint8_t *>(packed) + 2 * shape.scaleBytes(),
      [&](int64_t column, uint8_t *bytes) {
        const float *from = is_transposed ? weights + column * d.inner : weights + column;
        const int64_t step = is_transposed ? 1 : d.columns;
        float largest = 0.0f, poison = 0.0f;
        for (int64_t k = 0; k < d.inner; ++k) {
          largest = std::max(largest, std::fabs(from[k * step]));
          poison += from[k * step] - from[k * step];
        }
        const float factor = 127.0f / largest;
        const bool isZero = !(factor < HUGE_VALF);
        if (poison != poison || isZero) {
          scales[column] = poison != poison ? NAN : 0.0f;
          std::memset(bytes, 128, size_t(d.inner));
          return;
        }
        scales[column] = largest / 127.0f;
        for (int64_t k = 0; k < d.inner; ++k)
          bytes[k] = uint8_t(128 + int(std::nearbyintf(from[k * step] * factor)));
      });
  return 0;
}

int32_t ck_dynamic_product_pack_stored(
    const ck_dynamic_product *product, const ck_stored_matrix *matrix, const float *scales,
    const float *zeros, void *packed) {
  const ck_dynamic_product &d = *product;
  const bool isSigned = matrix->kind == CK_STORED_SIGNED;
  if (!ck_dynamic_product_suits(product) || ck_stored_is_valid(matrix) == 0
      || matrix->columns != d.columns || matrix->inner != d.inner || matrix->bits != d.bits
      || matrix->scale != nullptr || matrix->rounds_to_float16 || !scales
      || matrix->scale_columns <= 0 || (!isSigned && matrix->kind != CK_STORED_UNSIGNED))
    return -1;
  const DynamicShape shape(d, quantizedTable());
  // Signed integers are counted from the smallest one.
  const int lowest = isSigned ? -(1 << (d.bits - 1)) : 0;
  float *scaleTo = static_cast<float *>(packed);
  int32_t *zeroTo = reinterpret_cast<int32_t *>(static_cast<char *>(packed) + shape.scaleBytes());
  for (int64_t block = 0; block < shape.blocks; ++block)
    for (int64_t column = 0; column < shape.columns; ++column) {
      const bool isPadding = column >= d.columns;
      const int64_t from = column / matrix->scale_columns * shape.blocks + block;
      scaleTo[block * shape.columns + column] = isPadding ? 0.0f : scales[from];
      zeroTo[block * shape.columns + column] =
          isPadding || !zeros ? -lowest : int32_t(zeros[from]) - lowest;
    }
  const Table &kernels = table();
  packColumns(d, static_cast<uint8_t *>(packed) + 2 * shape.scaleBytes(),
      [&](int64_t column, uint8_t *bytes) {
        alignas(64) float numbers[kStoredInner + 16];
        for (int64_t start = 0; start < d.inner; start += kStoredInner) {
          const int64_t some = std::min<int64_t>(kStoredInner, d.inner - start);
          kernels.widenStored(*matrix, column, start, some, numbers);
          for (int64_t k = 0; k < some; ++k) bytes[start + k] = uint8_t(int(numbers[k]) - lowest);
        }
      });
  return 0;
}

size_t ck_dynamic_product_scratch_bytes(const ck_dynamic_product *product) {
  const ck_dynamic_product &d = *product;
  const QuantizedTable &kernels = quantizedTable();
  const DynamicShape shape(d, kernels);
  return rounded(size_t(d.rows * shape.padded) * size_t(kernels.dynamicValueBytes))
      + rounded(size_t(d.rows) * 4) + rounded(size_t(d.rows * shape.blocks) * 4);
}

int32_t ck_dynamic_product_run(
    const ck_dynamic_product *product, const float *source, const void *packed, const float *bias,
    const float *residual, float *destination, void *scratch) {
  const ck_dynamic_product &d = *product;
  if (!ck_dynamic_product_suits(product) || !source || !packed || !destination || !scratch) return -1;
  const QuantizedTable &kernels = quantizedTable();
  const DynamicShape shape(d, kernels);
  char *values = static_cast<char *>(scratch);
  const size_t rowBytes = size_t(shape.padded) * size_t(kernels.dynamicValueBytes);
  float *rowScales = reinterpret_cast<float *>(values + rounded(size_t(d.rows) * rowBytes));
  int32_t *rowSums =
      reinterpret_cast<int32_t *>(reinterpret_cast<char *>(rowScales) + rounded(size_t(d.rows) * 4));
  const auto quantize = [&](int64_t row, int) {
    DynamicRow part{};
    part.source = source + row * d.inner;
    part.count = d.inner;
    part.padded = shape.padded;
    part.block = d.block;
    part.values = values + size_t(row) * rowBytes;
    part.scale = rowScales + row;
    part.sums = rowSums + row * shape.blocks;
    kernels.quantizeRow(part);
  };
  if (d.rows * d.inner <= kFewValues) {
    for (int64_t row = 0; row < d.rows; ++row) quantize(row, 0);
  } else {
    forParts(d.rows, quantize);
  }

  const int64_t panels = ceilDivide(shape.columns / 16, shape.vectors);
  const int64_t products = shape.vectors * 16 * d.inner;
  // Whole tiles for every instruction set: the number of rows is a multiple of 4, 6, 7 and 8.
  const int64_t rowsPerPart = std::max<int64_t>(168, ceilDivide(kProductsPerPart, products * 168) * 168);
  const int64_t rowParts = ceilDivide(d.rows, rowsPerPart);
  const char *start = static_cast<const char *>(packed);
  // With few rows, a part has several panels.
  const int64_t panelsPerPart =
      std::max<int64_t>(1, kProductsPerPart / 8 / (products * std::min(d.rows, rowsPerPart)));
  const int64_t panelParts = ceilDivide(panels, panelsPerPart);
  forParts(panelParts * rowParts, [&](int64_t part, int) {
    const int64_t first = part / rowParts * panelsPerPart;
    for (int64_t panel = first; panel < std::min(panels, first + panelsPerPart); ++panel) {
      DynamicBlock block{};
      block.product = &d;
      block.values = values;
      block.rowStride = shape.padded;
      block.rowScales = rowScales;
      block.rowSums = rowSums;
      const int64_t vector = panel * shape.vectors;
      block.vectors = int(std::min(shape.vectors, shape.columns / 16 - vector));
      block.column = vector * 16;
      block.weights = reinterpret_cast<const uint8_t *>(start) + 2 * shape.scaleBytes()
          + vector * shape.steps * 64;
      block.scales = reinterpret_cast<const float *>(start) + block.column;
      block.zeros = reinterpret_cast<const int32_t *>(start + shape.scaleBytes()) + block.column;
      block.scaleStride = shape.columns;
      block.firstRow = part % rowParts * rowsPerPart;
      block.endRow = std::min(d.rows, block.firstRow + rowsPerPart);
      block.bias = bias;
      block.residual = residual;
      block.destination = destination;
      kernels.dynamicBlock(block);
    }
  });
  return 0;
}

}  // extern "C"
