#include "gather-scatter/Indices.hpp"

using namespace ck;

namespace {

/// The number of elements in one part.
constexpr int64_t share = 16384;

template <typename Number>
int64_t listOf(
    int32_t rank, const int64_t *shape, const Number *source, int64_t most, float *destination,
    int64_t *scratch) {
  int64_t count = 1;
  for (int32_t axis = 0; axis < rank; ++axis) count *= shape[axis];
  const int64_t parts = ceilDivide(count, share);
  forParts(parts, [&](int64_t part, int) {
    const int64_t end = std::min(count, (part + 1) * share);
    int64_t found = 0;
    for (int64_t at = part * share; at < end; ++at) found += source[at] != 0;
    scratch[part] = found;
  });
  int64_t total = 0;
  for (int64_t part = 0; part < parts; ++part) {
    const int64_t found = scratch[part];
    scratch[part] = total;
    total += found;
  }
  forParts(parts, [&](int64_t part, int) {
    int64_t index[16];
    int64_t rest = part * share;
    for (int32_t axis = rank - 1; axis >= 0; --axis) {
      index[axis] = rest % shape[axis];
      rest /= shape[axis];
    }
    const int64_t end = std::min(count, (part + 1) * share);
    int64_t row = scratch[part];
    for (int64_t at = part * share; at < end; ++at) {
      if (source[at] != 0) {
        if (row >= most) return;
        for (int32_t axis = 0; axis < rank; ++axis)
          destination[row * rank + axis] = static_cast<float>(index[axis]);
        ++row;
      }
      for (int32_t axis = rank - 1; axis >= 0; --axis) {
        if (++index[axis] < shape[axis]) break;
        index[axis] = 0;
      }
    }
  });
  return total;
}

}  // namespace

extern "C" {

int64_t ck_where_nonzero_scratch(int64_t count) { return ceilDivide(count, share) + 1; }

int64_t ck_where_nonzero(
    int32_t rank, const int64_t *shape, ck_numbers numbers, int64_t most, float *destination,
    int64_t *scratch) {
  if (rank < 0 || rank > 16) return -1;
  return withNumbers(numbers, [&](auto *source) {
    return listOf(rank, shape, source, most, destination, scratch);
  });
}

}  // extern "C"
