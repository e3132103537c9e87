#include <algorithm>

#include "Internal.hpp"

using namespace ck;

namespace {

/// One row of runs; `bytes` is the size of a run where the compiler shall know it.
template <int64_t bytes>
void pickRow(const char *from, const int64_t *places, int64_t count, int64_t run, char *to) {
  const int64_t size = bytes > 0 ? bytes : run;
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * size, from + places[i], static_cast<size_t>(size));
}

/// The pixel that stands at an index of a picture that goes on beyond its edges, or -1 for none.
int64_t pixelAt(int64_t index, int64_t extent, ck_border border) {
  if (index >= 0 && index < extent) return index;
  switch (border) {
    case CK_BORDER_CONSTANT: return -1;
    case CK_BORDER_EDGE: return index < 0 ? 0 : extent - 1;
    case CK_BORDER_REFLECTION: {
      if (extent == 1) return 0;
      const int64_t period = 2 * (extent - 1), place = (index % period + period) % period;
      return std::min(place, period - place);
    }
    case CK_BORDER_SYMMETRY: {
      const int64_t period = 2 * extent, place = (index % period + period) % period;
      return std::min(place, period - 1 - place);
    }
  }
  return -1;
}

/// Two pixels of an axis and the share of the second; -1 stands for what is outside.
struct AxisTap {
  int64_t low, high;
  double share;
};

AxisTap axisTap(const ck_resample &d, double point, int64_t extent) {
  const double limit = 0x1p40;
  const double kept = point != point ? 0 : std::min(std::max(point, -limit), limit);
  if (d.nearest) {
    const int64_t pixel = pixelAt(static_cast<int64_t>(std::floor(kept + 0.5)), extent, d.border);
    return {pixel, pixel, 0};
  }
  const double whole = std::floor(kept);
  const int64_t first = static_cast<int64_t>(whole);
  return {pixelAt(first, extent, d.border), pixelAt(first + 1, extent, d.border), kept - whole};
}

/// The four pixels of a place, as offsets in elements, and their shares.
struct PlaceTap {
  int64_t offsets[4];
  float shares[4];
};

/// Places that are looked up together, so that all channels share them.
constexpr int64_t kBlock = 64;

template <typename Element>
void resampleBlock(
    const ck_resample &d, const PlaceTap *taps, int64_t count, const Element *picture, Element *to) {
  const int64_t plane = d.height * d.width, step = d.channels_last ? 1 : plane;
  const int64_t places = d.rows * d.columns;
  const auto read = [&](const PlaceTap &tap, int64_t channel) {
    // A share of zero counts nothing, whatever the pixel holds.
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
        fromFloat(read(taps[i], channel), to[channel * places + i]);
  }
}

template <typename Element>
void resample(
    const ck_resample &d, const Element *pictures, const float *places, Element *destination) {
  const int64_t count = d.rows * d.columns, blocks = ceilDivide(count, kBlock);
  const int64_t step = d.channels_last ? d.channels : 1;
  forParts(d.batch * blocks, [&](int64_t part, int) {
    const int64_t entry = part / blocks, start = part % blocks * kBlock;
    const int64_t size = std::min(kBlock, count - start);
    const float *own = places + ((d.shares_places ? 0 : entry * count) + start) * 2;
    PlaceTap taps[kBlock];
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

void ck_pick_run(const ck_pick *pick, const void *source, void *destination) {
  const int64_t last = pick->rank - 1, columns = pick->extents[last];
  int64_t rows = 1, before = 0;
  for (int64_t axis = 0; axis < last; ++axis) {
    rows *= pick->extents[axis];
    before += pick->extents[axis];
  }
  const int64_t run = pick->run, rowBytes = columns * run;
  const int64_t together = std::max<int64_t>(1, 65536 / std::max<int64_t>(1, rowBytes));
  const auto row = run == 4 ? pickRow<4> : run == 2 ? pickRow<2> : pickRow<0>;
  forParts(ceilDivide(rows, together), [&](int64_t part, int) {
    const int64_t end = std::min(rows, (part + 1) * together);
    for (int64_t index = part * together; index < end; ++index) {
      int64_t rest = index, offset = 0, places = before;
      for (int64_t axis = last - 1; axis >= 0; --axis) {
        places -= pick->extents[axis];
        offset += pick->places[places + rest % pick->extents[axis]];
        rest /= pick->extents[axis];
      }
      row(static_cast<const char *>(source) + offset, pick->places + before, columns, run,
          static_cast<char *>(destination) + index * rowBytes);
    }
  });
}

void ck_resample_run(
    const ck_resample *description, const void *pictures, const float *places, void *destination) {
  const ck_resample &d = *description;
  if (d.type == CK_BF16)
    resample(d, static_cast<const Brain *>(pictures), places, static_cast<Brain *>(destination));
  else
    resample(d, static_cast<const float *>(pictures), places, static_cast<float *>(destination));
}

}  // extern "C"
