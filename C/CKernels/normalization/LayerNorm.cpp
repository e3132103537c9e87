#include <algorithm>

#include "common/Table.hpp"

using namespace ck;

extern "C" void ck_layer_norm(
    const float *source, const float *gamma, const float *beta, float *destination, int64_t rows,
    int64_t length, float epsilon, int32_t rounds) {
  if (rows <= 0 || length <= 0) return;
  const Table &kernels = table();
  // The number of rows per part: about 10 µs of work.
  const int64_t together = std::max<int64_t>(1, 16384 / length);
  forParts(ceilDivide(rows, together), [&](int64_t part, int) {
    const int64_t first = part * together;
    kernels.layerNorm({source + first * length, gamma, beta, destination + first * length,
        std::min(together, rows - first), length, epsilon, rounds != 0});
  });
}
