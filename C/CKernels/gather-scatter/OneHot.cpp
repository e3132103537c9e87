#include "gather-scatter/Indices.hpp"

using namespace ck;

namespace {

/// The number of elements in one part.
constexpr int64_t share = 16384;

template <typename Index>
void markOf(
    int64_t outer, int64_t size, int64_t inner, float on, const Index *indices,
    float *destination) {
  const int64_t marks = outer * inner;
  forParts(ceilDivide(marks, share), [&](int64_t part, int) {
    const int64_t end = std::min(marks, (part + 1) * share);
    for (int64_t mark = part * share; mark < end; ++mark) {
      const int64_t index = integerOf(indices[mark]);
      if (index >= 0 && index < size)
        destination[(mark / inner * size + index) * inner + mark % inner] = on;
    }
  });
}

}  // namespace

extern "C" {

void ck_one_hot(
    int64_t outer, int64_t size, int64_t inner, float on, float off, ck_numbers numbers,
    float *destination) {
  const int64_t total = outer * size * inner;
  forParts(ceilDivide(total, share), [&](int64_t part, int) {
    std::fill(destination + part * share, destination + std::min(total, (part + 1) * share), off);
  });
  withNumbers(numbers, [&](auto *indices) {
    markOf(outer, size, inner, on, indices, destination);
  });
}

}  // extern "C"
