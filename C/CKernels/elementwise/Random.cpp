#include <algorithm>

#include "common/Table.hpp"

using namespace ck;

extern "C" int32_t ck_random(
    ck_distribution distribution, float first, float second, uint64_t seed, int64_t count,
    float *destination) {
  if (distribution < CK_NORMAL || distribution > CK_BERNOULLI) return -1;
  // A multiple of the 32 numbers that are drawn together.
  constexpr int64_t part = 32768;
  const Table &kernels = table();
  forParts(ceilDivide(count, part), [&](int64_t index, int) {
    kernels.randomRange({distribution, first, second, seed, index * part,
        std::min(part, count - index * part), destination});
  });
  return 0;
}
