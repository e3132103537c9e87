#include <algorithm>

#include "common/Table.hpp"

using namespace ck;

namespace {

template <typename Element>
void nearestOf(
    const Element *source, Element *destination, int64_t batch, int64_t height, int64_t width,
    int64_t channels, int64_t factorY, int64_t factorX) {
  const int64_t columns = width * factorX;
  forParts(batch * height, [&](int64_t part, int) {
    const Element *from = source + part * width * channels;
    Element *to = destination + part * factorY * columns * channels;
    const size_t bytes = sizeof(Element) * static_cast<size_t>(channels);
    for (int64_t x = 0; x < width; ++x)
      for (int64_t repeat = 0; repeat < factorX; ++repeat)
        if (channels == 1)
          to[x * factorX + repeat] = from[x];
        else
          std::memcpy(to + (x * factorX + repeat) * channels, from + x * channels, bytes);
    for (int64_t repeat = 1; repeat < factorY; ++repeat)
      std::memcpy(to + repeat * columns * channels, to,
          sizeof(Element) * static_cast<size_t>(columns * channels));
  });
}

/// Two neighbouring pixels and the share of the second in the result.
struct Sample {
  int64_t low, high;
  float share;
};

Sample sampleAt(int64_t index, float scale, float offset, int64_t size) {
  const float last = static_cast<float>(size - 1);
  float position = static_cast<float>(index) * scale + offset;
  if (!(position > 0)) position = 0;
  if (position > last) position = last;
  const int64_t low = std::min(static_cast<int64_t>(position), size - 1);
  return {low, std::min(low + 1, size - 1), position - static_cast<float>(low)};
}

template <typename Element>
void bilinearOf(
    const Element *source, Element *destination, int64_t batch, int64_t height, int64_t width,
    int64_t channels, int64_t rows, int64_t columns, float scaleY, float offsetY, float scaleX,
    float offsetX) {
  forParts(batch * rows, [&](int64_t part, int) {
    const Sample y = sampleAt(part % rows, scaleY, offsetY, height);
    const Element *picture = source + part / rows * height * width * channels;
    const Element *upper = picture + y.low * width * channels;
    const Element *lower = picture + y.high * width * channels;
    Element *to = destination + part * columns * channels;
    for (int64_t column = 0; column < columns; ++column) {
      const Sample x = sampleAt(column, scaleX, offsetX, width);
      const int64_t a = x.low * channels, b = x.high * channels;
      for (int64_t c = 0; c < channels; ++c) {
        const float left = toFloat(upper[a + c]), right = toFloat(upper[b + c]);
        const float lowLeft = toFloat(lower[a + c]), lowRight = toFloat(lower[b + c]);
        const float above = left + (right - left) * x.share;
        const float below = lowLeft + (lowRight - lowLeft) * x.share;
        fromFloat(above + (below - above) * y.share, to[column * channels + c]);
      }
    }
  });
}

}  // namespace

extern "C" int32_t ck_upsample_nearest(
    ck_type type, const void *source, void *destination, int64_t batch, int64_t height,
    int64_t width, int64_t channels, int64_t factorY, int64_t factorX) {
  if (factorY < 1 || factorX < 1) return -1;
  switch (sizeOf(type)) {
    case 1:
      nearestOf(static_cast<const uint8_t *>(source), static_cast<uint8_t *>(destination), batch,
          height, width, channels, factorY, factorX);
      return 0;
    case 2:
      nearestOf(static_cast<const uint16_t *>(source), static_cast<uint16_t *>(destination),
          batch, height, width, channels, factorY, factorX);
      return 0;
    case 4:
      nearestOf(static_cast<const uint32_t *>(source), static_cast<uint32_t *>(destination),
          batch, height, width, channels, factorY, factorX);
      return 0;
    default: return -1;
  }
}

extern "C" int32_t ck_resize_bilinear(
    ck_type type, const void *source, void *destination, int64_t batch, int64_t height,
    int64_t width, int64_t channels, int64_t rows, int64_t columns, float scaleY, float offsetY,
    float scaleX, float offsetX) {
  switch (type) {
    case CK_F32:
      bilinearOf(static_cast<const float *>(source), static_cast<float *>(destination), batch,
          height, width, channels, rows, columns, scaleY, offsetY, scaleX, offsetX);
      return 0;
    case CK_BF16:
      bilinearOf(static_cast<const BFloat16 *>(source), static_cast<BFloat16 *>(destination), batch,
          height, width, channels, rows, columns, scaleY, offsetY, scaleX, offsetX);
      return 0;
    case CK_F16:
      bilinearOf(static_cast<const Half *>(source), static_cast<Half *>(destination), batch,
          height, width, channels, rows, columns, scaleY, offsetY, scaleX, offsetX);
      return 0;
    default: return -1;
  }
}
