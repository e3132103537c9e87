#include <algorithm>

#include "common/Table.hpp"

using namespace ck;

namespace {

/// The number of elements in one part.
constexpr int64_t share = 32768;

template <typename From, typename To>
void shared(
    void (*run)(const From *, To *, int64_t), int64_t count, const From *source, To *destination) {
  if (count <= 0) return;
  forParts(ceilDivide(count, share), [=](int64_t part, int) {
    const int64_t start = part * share;
    run(source + start, destination + start, std::min(share, count - start));
  });
}

}  // namespace

extern "C" {

void ck_float_to_int32(int64_t count, const float *source, int32_t *destination) {
  shared(table().truncateRun, count, source, destination);
}

void ck_int32_to_float(int64_t count, const int32_t *source, float *destination) {
  shared(table().widenRun, count, source, destination);
}

}  // extern "C"
