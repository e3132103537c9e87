#include <algorithm>

#include "common/Table.hpp"

using namespace ck;

namespace {

/// A window along one axis: the range of its elements that are inside the volume, and the number of its positions that
/// are inside the declared padding.
struct Span {
  int64_t first, end, positions;

  int64_t count() const { return end - first; }
};

Span spanOf(const ck_volume_pooling &d, int axis, int64_t window) {
  const int64_t extent = d.input[axis];
  const int64_t start = window * d.stride[axis] - d.before[axis];
  const int64_t end = start + d.kernel[axis];
  const int64_t first = std::clamp<int64_t>(start, 0, extent);
  return {first, std::max(std::min(end, extent), first),
      std::max<int64_t>(1, std::min(end, extent + d.after[axis]) - start)};
}

size_t threadShare(const ck_volume_pooling &d) {
  return rounded(static_cast<size_t>(d.input[2]) * sizeof(double));
}

/// Computes one row of results. First reduces all input rows of the windows to one row, then reduces each window of
/// that one row.
template <typename Element>
void poolRow(
    const ck_volume_pooling &d, const Element *plane, const Span &depth, const Span &height,
    Element *to, void *memory, const Table &kernels) {
  const bool isEmpty = depth.count() == 0 || height.count() == 0;
  float *largest = static_cast<float *>(memory);
  double *sums = static_cast<double *>(memory);
  bool starts = true;
  for (int64_t z = depth.first; z < depth.end; ++z)
    for (int64_t y = height.first; y < height.end; ++y) {
      const Element *row = plane + (z * d.input[1] + y) * d.input[2];
      if (d.is_maximum)
        kernels.foldMaximum(row, d.type, d.input[2], starts, largest);
      else
        kernels.foldSum(row, d.type, d.input[2], starts, sums);
      starts = false;
    }
  for (int64_t window = 0; window < d.output[2]; ++window) {
    const Span width = spanOf(d, 2, window);
    if (isEmpty || width.count() == 0) {
      fromFloat(0.0f, to[window]);
      continue;
    }
    if (d.is_maximum) {
      float best = largest[width.first];
      for (int64_t x = width.first + 1; x < width.end; ++x)
        if (largest[x] > best || largest[x] != largest[x]) best = largest[x];
      fromFloat(best, to[window]);
      continue;
    }
    double sum = 0;
    for (int64_t x = width.first; x < width.end; ++x) sum += sums[x];
    const int64_t inside = depth.count() * height.count() * width.count();
    const int64_t all = depth.positions * height.positions * width.positions;
    fromFloat(
        static_cast<float>(sum / static_cast<double>(d.excludes_padding ? inside : all)),
        to[window]);
  }
}

template <typename Element>
void poolOf(
    const ck_volume_pooling &d, const Element *source, Element *destination, char *scratch,
    int32_t threads) {
  const int64_t rows = d.planes * d.output[0] * d.output[1];
  const int64_t volume = d.input[0] * d.input[1] * d.input[2];
  const int64_t work = std::min(d.kernel[0], d.input[0]) * std::min(d.kernel[1], d.input[1])
      * d.input[2];
  const int64_t together = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, work));
  const size_t share = threadShare(d);
  const Table &kernels = table();
  forParts(
      ceilDivide(rows, together),
      [&](int64_t part, int thread) {
        void *memory = scratch + static_cast<size_t>(thread) * share;
        const int64_t end = std::min(rows, (part + 1) * together);
        for (int64_t row = part * together; row < end; ++row) {
          const Span height = spanOf(d, 1, row % d.output[1]);
          const Span depth = spanOf(d, 0, row / d.output[1] % d.output[0]);
          const Element *plane = source + row / d.output[1] / d.output[0] * volume;
          poolRow(d, plane, depth, height, destination + row * d.output[2], memory, kernels);
        }
      },
      std::max(threads, 1));
}

}  // namespace

extern "C" {

size_t ck_volume_pooling_scratch_bytes(const ck_volume_pooling *description, int32_t threads) {
  return threadShare(*description) * static_cast<size_t>(std::max(threads, 1));
}

int32_t ck_volume_pooling_run(
    const ck_volume_pooling *description, const void *source, void *destination, void *scratch,
    int32_t threads) {
  const ck_volume_pooling &d = *description;
  for (int axis = 0; axis < 3; ++axis)
    if (d.input[axis] < 1 || d.output[axis] < 1 || d.kernel[axis] < 1 || d.stride[axis] < 1)
      return -1;
  char *memory = static_cast<char *>(scratch);
  switch (d.type) {
    case CK_F32:
      poolOf(d, static_cast<const float *>(source), static_cast<float *>(destination), memory,
          threads);
      return 0;
    case CK_BF16:
      poolOf(d, static_cast<const BFloat16 *>(source), static_cast<BFloat16 *>(destination), memory,
          threads);
      return 0;
    default: return -1;
  }
}

}  // extern "C"
