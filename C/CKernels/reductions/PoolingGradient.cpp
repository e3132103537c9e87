#include <algorithm>

#include "common/Table.hpp"

using namespace ck;

static bool isKnown(ck_type type) { return type == CK_F32 || type == CK_BF16; }

namespace {

/// Whether neighbouring windows share pixels.
bool overlaps(const int32_t *starts, const int32_t *ends, int64_t count) {
  for (int64_t i = 1; i < count; ++i)
    if (starts[i] < ends[i - 1]) return true;
  return false;
}

bool overlaps(const ck_pooling_gradient &d) {
  return overlaps(d.row_starts, d.row_ends, d.output_height)
      || overlaps(d.column_starts, d.column_ends, d.output_width);
}

/// Returns the number of channels in one part of the work, for windows that overlap.
int64_t sharedChannels(const ck_pooling_gradient &d) { return std::min<int64_t>(d.channels, 64); }

}  // namespace

extern "C" size_t ck_pooling_gradient_scratch_bytes(const ck_pooling_gradient *d) {
  if (d->gradient_type == CK_F32 || !overlaps(*d)) return 0;
  return static_cast<size_t>(d->batch * d->height * d->width * d->channels) * sizeof(float);
}

extern "C" int32_t ck_pooling_gradient_run(
    const ck_pooling_gradient *description, const void *source, const void *gradient,
    void *sourceGradient, void *scratch) {
  const ck_pooling_gradient &d = *description;
  if (!isKnown(d.gradient_type) || (d.is_maximum && !isKnown(d.source_type))) return -1;
  if (d.batch <= 0 || d.height <= 0 || d.width <= 0 || d.channels <= 0) return 0;
  const bool adds = overlaps(d);
  const bool isDirect = d.gradient_type == CK_F32 || !adds;
  const ck_type type = isDirect ? d.gradient_type : CK_F32;
  char *target = static_cast<char *>(isDirect ? sourceGradient : scratch);
  const int64_t size = static_cast<int64_t>(sizeOf(type));
  const int64_t gradientSize = static_cast<int64_t>(sizeOf(d.gradient_type));
  const int64_t sourceSize = d.is_maximum ? static_cast<int64_t>(sizeOf(d.source_type)) : 0;
  const int64_t rowStride = d.width * d.channels, planeSize = d.height * rowStride;
  const Table &kernels = table();

  auto giveRow = [&](int64_t picture, int64_t row, int64_t channel, int64_t channels) {
    const int64_t top = d.row_starts[row], rows = d.row_ends[row] - top;
    for (int64_t column = 0; column < d.output_width; ++column) {
      const int64_t left = d.column_starts[column];
      const int64_t offset = picture * planeSize + top * rowStride + left * d.channels + channel;
      PoolingWindow window{};
      window.rows = rows;
      window.columns = d.column_ends[column] - left;
      if (window.rows <= 0 || window.columns <= 0) continue;
      window.channels = channels;
      window.rowStride = window.destinationRowStride = rowStride;
      window.pixelStride = window.destinationPixelStride = d.channels;
      window.source = static_cast<const char *>(source) + offset * sourceSize;
      window.gradient = static_cast<const char *>(gradient)
          + (((picture * d.output_height + row) * d.output_width + column) * d.channels + channel)
              * gradientSize;
      window.sourceType = d.source_type;
      window.gradientType = d.gradient_type;
      window.destinationType = type;
      window.destination = target + offset * size;
      window.isMaximum = d.is_maximum != 0;
      window.adds = adds;
      window.factor = d.is_maximum ? 1.0f : d.row_factors[row] * d.column_factors[column];
      kernels.poolingGradient(window);
    }
  };

  if (adds) {
    const int64_t together = sharedChannels(d), parts = ceilDivide(d.channels, together);
    forParts(d.batch * d.height, [&](int64_t part, int) {
      std::memset(target + part * rowStride * size, 0, static_cast<size_t>(rowStride * size));
    });
    forParts(d.batch * parts, [&](int64_t part, int) {
      const int64_t channel = part % parts * together;
      for (int64_t row = 0; row < d.output_height; ++row)
        giveRow(part / parts, row, channel, std::min(together, d.channels - channel));
    });
    if (isDirect) return 0;
    const int64_t total = d.batch * planeSize, run = 32768;
    forParts(ceilDivide(total, run), [&](int64_t part, int) {
      const int64_t first = part * run;
      kernels.convertRun(
          target + first * size, CK_F32,
          static_cast<char *>(sourceGradient) + first * gradientSize, d.gradient_type,
          std::min(run, total - first));
    });
    return 0;
  }

  // Each part is one row of windows, with the band of pixel rows that ends at the start of the next row of windows.
  // Pixels that are in no window become zero.
  forParts(d.batch * d.output_height, [&](int64_t part, int) {
    const int64_t picture = part / d.output_height, row = part % d.output_height;
    const int64_t first = row == 0 ? 0 : d.row_starts[row];
    const int64_t end = row + 1 == d.output_height ? d.height : d.row_starts[row + 1];
    bool covers = first == d.row_starts[row] && end == d.row_ends[row];
    int64_t next = 0;
    for (int64_t column = 0; covers && column < d.output_width; ++column) {
      covers = d.column_starts[column] == next;
      next = d.column_ends[column];
    }
    if ((!covers || next != d.width) && end > first) {
      std::memset(
          target + (picture * planeSize + first * rowStride) * size, 0,
          static_cast<size_t>((end - first) * rowStride * size));
    }
    giveRow(picture, row, 0, d.channels);
  });
  return 0;
}
