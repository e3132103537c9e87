// The kernel of a matrix product, compiled once for each instruction set. The including file defines PRODUCT_LANES (the
// floats per vector), PRODUCT_ROWS (the rows that the kernel computes at a time), PRODUCT_KERNEL and PRODUCT_NAME.

#include "MatrixKernel.hpp"

namespace products {
namespace {

constexpr int kLanes = PRODUCT_LANES, kRows = PRODUCT_ROWS, kColumns = 2 * kLanes;
typedef float Vector __attribute__((vector_size(kLanes * sizeof(float)), aligned(4)));

inline Vector load(const float *from) { return *reinterpret_cast<const Vector *>(from); }
inline void store(float *to, Vector value) { *reinterpret_cast<Vector *>(to) = value; }

template <int count>
void rows(int64_t depth, const float *a, int64_t aRow, const float *b, float *c, int64_t cRow,
    bool adds) {
  Vector sums[count][2];
#pragma clang loop unroll(full)
  for (int row = 0; row < count; ++row) {
    sums[row][0] = adds ? load(c + row * cRow) : Vector{};
    sums[row][1] = adds ? load(c + row * cRow + kLanes) : Vector{};
  }
  for (int64_t k = 0; k < depth; ++k) {
    const Vector left = load(b + k * kColumns), right = load(b + k * kColumns + kLanes);
#pragma clang loop unroll(full)
    for (int row = 0; row < count; ++row) {
      const float factor = a[row * aRow + k];
      sums[row][0] += left * factor;
      sums[row][1] += right * factor;
    }
  }
#pragma clang loop unroll(full)
  for (int row = 0; row < count; ++row) {
    store(c + row * cRow, sums[row][0]);
    store(c + row * cRow + kLanes, sums[row][1]);
  }
}

void run(int64_t count, int64_t depth, const float *a, int64_t aRow, const float *b, float *c,
    int64_t cRow, bool adds) {
  for (; count >= kRows; count -= kRows, a += kRows * aRow, c += kRows * cRow)
    rows<kRows>(depth, a, aRow, b, c, cRow, adds);
  for (; count >= 2; count -= 2, a += 2 * aRow, c += 2 * cRow)
    rows<2>(depth, a, aRow, b, c, cRow, adds);
  if (count == 1) rows<1>(depth, a, aRow, b, c, cRow, adds);
}

}  // namespace

extern const MatrixKernel PRODUCT_KERNEL;
const MatrixKernel PRODUCT_KERNEL{kRows, kColumns, run, PRODUCT_NAME};

}  // namespace products
