#include <algorithm>

#include "common/Table.hpp"

using namespace ck;

extern "C" {

int32_t ck_cumulative_sum(
    const ck_vectors *vectors, int32_t exclusive, int32_t reverse, const float *source,
    float *destination) {
  const int64_t extent = vectors->extent, inner = vectors->inner;
  if (vectors->outer <= 0 || extent <= 0 || inner <= 0) return 0;
  constexpr int64_t most = 256;
  const int64_t pieces = ceilDivide(inner, most), units = vectors->outer * pieces;
  const int64_t work = extent * std::min(inner, most);
  const int64_t together = pieces > 1 ? 1 : std::max<int64_t>(1, 16384 / work);
  forParts(ceilDivide(units, together), [&](int64_t part, int) {
    double sums[most];
    const int64_t end = std::min(units, (part + 1) * together);
    for (int64_t unit = part * together; unit < end; ++unit) {
      const int64_t from = unit % pieces * most, some = std::min(most, inner - from);
      const int64_t base = unit / pieces * extent * inner + from;
      if (inner == 1) {
        double sum = 0;
        for (int64_t i = 0; i < extent; ++i) {
          const int64_t at = base + (reverse ? extent - 1 - i : i);
          const double before = sum;
          sum += source[at];
          destination[at] = static_cast<float>(exclusive ? before : sum);
        }
        continue;
      }
      std::fill(sums, sums + some, 0.0);
      for (int64_t i = 0; i < extent; ++i) {
        const int64_t row = base + (reverse ? extent - 1 - i : i) * inner;
        for (int64_t c = 0; c < some; ++c) {
          const double after = sums[c] + source[row + c];
          destination[row + c] = static_cast<float>(exclusive ? sums[c] : after);
          sums[c] = after;
        }
      }
    }
  });
  return 0;
}

}  // extern "C"
