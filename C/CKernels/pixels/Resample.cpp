#include <algorithm>

#include "common/Table.hpp"

using namespace ck;

namespace {

/// Returns the pixel that an index reads. Outside the image, the border says which pixel this is. Returns -1 if there
/// is no pixel.
int64_t pixelAt(int64_t index, int64_t extent, ck_border border) {
  if (index >= 0 && index < extent) return index;
  switch (border) {
    case CK_BORDER_CONSTANT: return -1;
    case CK_BORDER_EDGE: return index < 0 ? 0 : extent - 1;
    case CK_BORDER_REFLECTION: {
      if (extent == 1) return 0;
      const int64_t period = 2 * (extent - 1), position = (index % period + period) % period;
      return std::min(position, period - position);
    }
    case CK_BORDER_SYMMETRY: {
      const int64_t period = 2 * extent, position = (index % period + period) % period;
      return std::min(position, period - 1 - position);
    }
  }
  return -1;
}

/// Two neighbouring pixels along an axis, and the share of the second in the result. A pixel of -1 is outside the
/// image.
struct AxisTap {
  int64_t low, high;
  double share;
};

AxisTap axisTap(const ck_resample &d, double point, int64_t extent) {
  const double limit = 0x1p40;
  const double clamped = point != point ? 0 : std::min(std::max(point, -limit), limit);
  if (d.nearest) {
    const int64_t pixel = pixelAt(static_cast<int64_t>(std::floor(clamped + 0.5)), extent, d.border);
    return {pixel, pixel, 0};
  }
  const double lower = std::floor(clamped);
  const int64_t first = static_cast<int64_t>(lower);
  return {pixelAt(first, extent, d.border), pixelAt(first + 1, extent, d.border), clamped - lower};
}

/// The four pixels around a point, as offsets in elements, and their shares.
struct PointTap {
  int64_t offsets[4];
  float shares[4];
};

/// The number of points whose taps are computed together, for all channels.
constexpr int64_t kBlock = 64;

template <typename Element>
void resampleBlock(
    const ck_resample &d, const PointTap *taps, int64_t count, const Element *picture, Element *to) {
  const int64_t plane = d.height * d.width, step = d.channels_last ? 1 : plane;
  const int64_t points = d.rows * d.columns;
  const auto read = [&](const PointTap &tap, int64_t channel) {
    // A pixel with a share of zero does not count, whatever its value.
    float sum = 0;
    for (int corner = 0; corner < 4; ++corner) {
      if (tap.shares[corner] == 0) continue;
      const int64_t offset = tap.offsets[corner];
      sum += tap.shares[corner]
          * (offset < 0 ? d.outside : toFloat(picture[offset + channel * step]));
    }
    return sum;
  };
  if (d.channels_last) {
    for (int64_t i = 0; i < count; ++i)
      for (int64_t channel = 0; channel < d.channels; ++channel)
        fromFloat(read(taps[i], channel), to[i * d.channels + channel]);
  } else {
    for (int64_t channel = 0; channel < d.channels; ++channel)
      for (int64_t i = 0; i < count; ++i)
        fromFloat(read(taps[i], channel), to[channel * points + i]);
  }
}

template <typename Element>
void resample(
    const ck_resample &d, const Element *pictures, const float *points, Element *destination) {
  const int64_t count = d.rows * d.columns, blocks = ceilDivide(count, kBlock);
  const int64_t step = d.channels_last ? d.channels : 1;
  forParts(d.batch * blocks, [&](int64_t part, int) {
    const int64_t entry = part / blocks, start = part % blocks * kBlock;
    const int64_t size = std::min(kBlock, count - start);
    const float *own = points + ((d.shares_points ? 0 : entry * count) + start) * 2;
    PointTap taps[kBlock];
    for (int64_t i = 0; i < size; ++i) {
      const AxisTap x = axisTap(d, own[2 * i] * d.x_scale + d.x_offset, d.width);
      const AxisTap y = axisTap(d, own[2 * i + 1] * d.y_scale + d.y_offset, d.height);
      const int64_t rows[2] = {y.low, y.high}, columns[2] = {x.low, x.high};
      const double down[2] = {1 - y.share, y.share}, across[2] = {1 - x.share, x.share};
      for (int corner = 0; corner < 4; ++corner) {
        const int64_t row = rows[corner / 2], column = columns[corner % 2];
        taps[i].offsets[corner] = row < 0 || column < 0 ? -1 : (row * d.width + column) * step;
        taps[i].shares[corner] = static_cast<float>(down[corner / 2] * across[corner % 2]);
      }
    }
    resampleBlock(
        d, taps, size, pictures + entry * d.channels * d.height * d.width,
        destination + entry * d.channels * count + start * step);
  });
}

}  // namespace

extern "C" {

void ck_resample_run(
    const ck_resample *description, const void *pictures, const float *points, void *destination) {
  const ck_resample &d = *description;
  if (d.type == CK_BF16)
    resample(d, static_cast<const BFloat16 *>(pictures), points, static_cast<BFloat16 *>(destination));
  else
    resample(d, static_cast<const float *>(pictures), points, static_cast<float *>(destination));
}

}  // extern "C"
