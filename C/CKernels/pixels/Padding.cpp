#include <algorithm>

#include "common/Table.hpp"

using namespace ck;

namespace {

/// Returns the source coordinate that a coordinate of the padded image copies, or -1 if the padding is constant there.
int64_t padSource(ck_padding mode, int64_t position, int64_t size) {
  if (position >= 0 && position < size) return position;
  switch (mode) {
    case CK_PAD_CONSTANT: return -1;
    case CK_PAD_REPLICATION: return position < 0 ? 0 : size - 1;
    case CK_PAD_REFLECTION: {
      if (size == 1) return 0;
      const int64_t period = 2 * (size - 1);
      const int64_t phase = (position % period + period) % period;
      return std::min(phase, period - phase);
    }
  }
  return -1;
}

template <typename Element>
void padOf(
    ck_padding mode, float value, const Element *source, Element *destination, int64_t batch,
    int64_t height, int64_t width, int64_t channels, int64_t top, int64_t left, int64_t bottom,
    int64_t right) {
  const int64_t rows = height + top + bottom, columns = width + left + right;
  Element constant;
  fromFloat(value, constant);
  forParts(batch * rows, [&](int64_t part, int) {
    const int64_t picture = part / rows;
    const int64_t y = padSource(mode, part % rows - top, height);
    Element *to = destination + part * columns * channels;
    if (y < 0) {
      std::fill(to, to + columns * channels, constant);
      return;
    }
    const Element *from = source + (picture * height + y) * width * channels;
    std::memcpy(to + left * channels, from, sizeof(Element) * static_cast<size_t>(width * channels));
    auto edge = [&](int64_t column) {
      const int64_t x = padSource(mode, column - left, width);
      Element *pixel = to + column * channels;
      if (x < 0)
        std::fill(pixel, pixel + channels, constant);
      else
        std::copy(from + x * channels, from + (x + 1) * channels, pixel);
    };
    for (int64_t column = 0; column < left; ++column) edge(column);
    for (int64_t column = left + width; column < columns; ++column) edge(column);
  });
}

}  // namespace

extern "C" int32_t ck_pad(
    ck_padding mode, float value, ck_type type, const void *source, void *destination,
    int64_t batch, int64_t height, int64_t width, int64_t channels, int64_t top, int64_t left,
    int64_t bottom, int64_t right) {
  if (top < 0 || left < 0 || bottom < 0 || right < 0) return -1;
  if (mode != CK_PAD_CONSTANT && (height < 1 || width < 1)) return -1;
  switch (type) {
    case CK_F32:
      padOf(mode, value, static_cast<const float *>(source), static_cast<float *>(destination),
          batch, height, width, channels, top, left, bottom, right);
      return 0;
    case CK_BF16:
      padOf(mode, value, static_cast<const BFloat16 *>(source), static_cast<BFloat16 *>(destination),
          batch, height, width, channels, top, left, bottom, right);
      return 0;
    case CK_U8:
      padOf(mode, value, static_cast<const uint8_t *>(source), static_cast<uint8_t *>(destination),
          batch, height, width, channels, top, left, bottom, right);
      return 0;
    case CK_F16:
      padOf(mode, value, static_cast<const Half *>(source), static_cast<Half *>(destination),
          batch, height, width, channels, top, left, bottom, right);
      return 0;
    default: return -1;
  }
}
