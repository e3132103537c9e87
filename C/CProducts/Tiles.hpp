#pragma once

#include <algorithm>

#include "CKernels.h"
#include "Primitive.hpp"

namespace products {

/// Calls `body(index)` for every index on the team of threads.
template <typename Body>
void forParts(int64_t count, const Body &body) {
  ck_parallel(
      [](void *context, int64_t index) { (*static_cast<const Body *>(context))(index); },
      const_cast<Body *>(&body), count);
}

/// The memory of one thread: a part of the left matrix, a part of the right matrix, and a tile of the result.
struct Buffers {
  alignas(64) float left[kTileRows * kDepth];
  alignas(64) float right[kDepth * kTileColumns];
  alignas(64) float result[kTileRows * kTileColumns];
  alignas(64) float former[kTileColumns];
};

Buffers &buffers();

inline int64_t ceilings(int64_t value, int64_t step) { return (value + step - 1) / step; }

/// The panels of a packed right matrix of `depth` rows and `columns` columns.
struct Panels {
  /// The kernel that reads the panels. The thread that creates the primitive chooses the kernel.
  const MatrixKernel &kernel;
  int64_t depth, columns, width;

  Panels(int64_t depth, int64_t columns, const MatrixKernel &kernel = matrixKernel())
      : kernel(kernel), depth(depth), columns(columns), width(kernel.columns) {}
  int64_t count() const { return ceilings(columns, width); }
  int64_t floats() const { return count() * depth * width; }
  /// The number of panels per tile, and the number of tiles per row of tiles.
  int64_t perTile() const { return kTileColumns / width; }
  int64_t tiles() const { return ceilings(count(), perTile()); }

  /// Packs one panel. `at(k, column)` returns an element.
  template <typename Element>
  void pack(int64_t panel, float *packed, const Element &at) const {
    float *to = packed + panel * depth * width;
    for (int64_t k = 0; k < depth; ++k)
      for (int64_t lane = 0; lane < width; ++lane) {
        const int64_t column = panel * width + lane;
        *to++ = column < columns ? at(k, column) : 0;
      }
  }
};

/// Multiplies a tile: `rows` rows of the left matrix and the panels of one tile of the right matrix.
///
/// `chunk(k)` returns the number of terms to add in the next call of the kernel, from term k on, at most `kDepth`. If
/// the number is negative, this function skips these terms. `left(k, count, rowLength)` returns the rows' elements from
/// k on. `finish(row, results, column, count)` gets the results of a row.
template <typename Chunk, typename Left, typename Finish>
void multiply(const Panels &panels, const float *packed, int64_t tile, int64_t rows,
    const Chunk &chunk, const Left &left, const Finish &finish) {
  float *result = buffers().result;
  const int64_t first = tile * panels.perTile();
  const int64_t count = std::min(panels.perTile(), panels.count() - first);
  const int64_t length = count * panels.width;
  bool adds = false;
  for (int64_t k = 0; k < panels.depth;) {
    const int64_t terms = chunk(k);
    if (terms < 0) {
      k -= terms;
      continue;
    }
    int64_t rowLength = 0;
    const float *a = left(k, terms, rowLength);
    for (int64_t panel = 0; panel < count; ++panel)
      panels.kernel.run(rows, terms, a, rowLength,
          packed + (first + panel) * panels.depth * panels.width + k * panels.width,
          result + panel * panels.width, length, adds);
    adds = true;
    k += terms;
  }
  if (!adds) std::fill(result, result + rows * length, 0.0f);
  const int64_t column = first * panels.width;
  for (int64_t row = 0; row < rows; ++row)
    finish(row, result + row * length, column, std::min(length, panels.columns - column));
}

/// Returns the number of rows of a tile. Small products get smaller tiles, so that many threads have work. The number
/// does not depend on the number of threads.
inline int64_t tileRows(int64_t rows) {
  return rows >= 4 * kTileRows ? kTileRows : std::clamp<int64_t>(ceilings(ceilings(rows, 4), 12) * 12, 12, kTileRows);
}

}  // namespace products
