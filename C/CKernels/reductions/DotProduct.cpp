#include <algorithm>

#include "common/Table.hpp"

using namespace ck;

extern "C" {

int32_t ck_dot(
    int32_t rank, const int64_t *extents, int64_t channels, int32_t cosine, const float *first,
    const int64_t *first_strides, const float *second, const int64_t *second_strides,
    float *destination) {
  if (rank < 0 || rank > 16) return -1;
  int64_t rows = 1;
  for (int32_t axis = 0; axis < rank; ++axis) rows *= extents[axis];
  const int64_t together = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, channels));
  const Table &kernels = table();
  forParts(ceilDivide(rows, together), [&](int64_t part, int) {
    const int64_t end = std::min(rows, (part + 1) * together);
    for (int64_t row = part * together; row < end; ++row) {
      int64_t rest = row, a = 0, b = 0;
      for (int32_t axis = rank - 1; axis >= 0; --axis) {
        const int64_t index = rest % extents[axis];
        rest /= extents[axis];
        a += index * first_strides[axis];
        b += index * second_strides[axis];
      }
      destination[row] = kernels.dotProduct(first + a, second + b, channels, cosine);
    }
  });
  return 0;
}

}  // extern "C"
