#include <algorithm>

#include "common/Table.hpp"

using namespace ck;

static bool isKnown(ck_type type) { return type == CK_F32 || type == CK_BF16; }

extern "C" int32_t ck_padding_gradient(
    ck_type type, const void *gradient, void *sourceGradient, int64_t batch, int64_t height,
    int64_t width, int64_t channels, int64_t paddedHeight, int64_t paddedWidth,
    const int32_t *rowBegins, const int32_t *rowSources, const int32_t *columnBegins,
    const int32_t *columnSources) {
  if (!isKnown(type)) return -1;
  const int64_t size = static_cast<int64_t>(sizeOf(type)), pixel = channels * size;
  auto isSingle = [&](int64_t x) { return columnBegins[x + 1] - columnBegins[x] == 1; };
  const Table &kernels = table();
  forParts(batch * height, [&](int64_t part, int) {
    const int64_t picture = part / height, y = part % height;
    const int32_t *rows = rowSources + rowBegins[y];
    const int64_t rowCount = rowBegins[y + 1] - rowBegins[y];
    const char *padded = static_cast<const char *>(gradient)
        + picture * paddedHeight * paddedWidth * pixel;
    char *to = static_cast<char *>(sourceGradient) + part * width * pixel;
    constexpr int64_t most = 64;
    const void *sources[most];
    // If a pixel has more copies than `sources` can hold, computes its sum in several runs. Each later run adds to the
    // result of the run before it.
    auto sum = [&](int64_t x, int64_t columns) {
      const int64_t columnCount = columnBegins[x + 1] - columnBegins[x];
      SumRange range{sources, 0, to + x * pixel, type, columns * channels};
      for (int64_t r = 0; r < rowCount; ++r) {
        for (int64_t c = 0; c < columnCount; ++c) {
          if (range.sourceCount == most) {
            kernels.sumRange(range);
            sources[0] = range.destination;
            range.sourceCount = 1;
          }
          sources[range.sourceCount++] =
              padded + (rows[r] * paddedWidth + columnSources[columnBegins[x] + c]) * pixel;
        }
      }
      if (range.sourceCount == 1 && sources[0] != range.destination) {
        std::memcpy(range.destination, sources[0], static_cast<size_t>(columns * pixel));
      } else {
        kernels.sumRange(range);
      }
    };
    // Computes neighbouring columns together if each of them has only one copy in a row and these copies are
    // neighbours, too.
    for (int64_t x = 0; x < width;) {
      int64_t end = x + 1;
      while (isSingle(x) && end < width && isSingle(end)
          && columnSources[columnBegins[end]] == columnSources[columnBegins[x]] + end - x)
        ++end;
      sum(x, end - x);
      x = end;
    }
  });
  return 0;
}
