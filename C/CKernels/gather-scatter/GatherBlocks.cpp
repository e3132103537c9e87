#include <algorithm>

#include "ck_gather_scatter.h"
#include "common/Elements.hpp"
#include "threads/Parallel.hpp"

using namespace ck;

namespace {

/// Copies one row of blocks. If the size of a block is known at compile time, `bytes` is this size. Otherwise `bytes`
/// is 0, and `run` is the size.
template <int64_t bytes>
void copyBlocks(const char *from, const int64_t *offsets, int64_t count, int64_t run, char *to) {
  const int64_t size = bytes > 0 ? bytes : run;
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * size, from + offsets[i], static_cast<size_t>(size));
}

}  // namespace

extern "C" {

void ck_gather_blocks_run(const ck_gather_blocks *description, const void *source, void *destination) {
  const ck_gather_blocks &d = *description;
  const int64_t last = d.rank - 1, columns = d.extents[last];
  int64_t rows = 1, before = 0;
  for (int64_t axis = 0; axis < last; ++axis) {
    rows *= d.extents[axis];
    before += d.extents[axis];
  }
  const int64_t run = d.block_bytes, rowBytes = columns * run;
  const int64_t together = std::max<int64_t>(1, 65536 / std::max<int64_t>(1, rowBytes));
  const auto row = run == 4 ? copyBlocks<4> : run == 2 ? copyBlocks<2> : copyBlocks<0>;
  forParts(ceilDivide(rows, together), [&](int64_t part, int) {
    const int64_t end = std::min(rows, (part + 1) * together);
    for (int64_t index = part * together; index < end; ++index) {
      int64_t rest = index, offset = 0, first = before;
      for (int64_t axis = last - 1; axis >= 0; --axis) {
        first -= d.extents[axis];
        offset += d.offsets[first + rest % d.extents[axis]];
        rest /= d.extents[axis];
      }
      row(static_cast<const char *>(source) + offset, d.offsets + before, columns, run,
          static_cast<char *>(destination) + index * rowBytes);
    }
  });
}

}  // extern "C"
