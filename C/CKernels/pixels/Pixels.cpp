#include "common/Table.hpp"

using namespace ck;

namespace {

/// Finds the byte offset of each tensor channel within a pixel.
void byteOffsets(const ck_pixels &d, int32_t offsets[3]) {
  offsets[0] = d.blue_first ? d.format.blue : d.format.red;
  offsets[1] = d.format.green;
  offsets[2] = d.blue_first ? d.format.red : d.format.blue;
}

bool isGrey(const ck_pixels &d) {
  return d.format.red == d.format.green && d.format.green == d.format.blue;
}

/// The distances in elements, in the tensor, from one pixel, one channel and one row to the next.
struct Strides {
  int64_t pixel, channel, row;
  explicit Strides(const ck_pixels &d)
      : pixel(d.planar ? 1 : d.channels), channel(d.planar ? d.height * d.width : 1),
        row(d.width * pixel) {}
};

template <typename Element>
void readPixels(const ck_pixels &d, const uint8_t *pixels, Element *tensor) {
  int32_t offsets[3];
  byteOffsets(d, offsets);
  const Strides strides(d);
  // A channel has only 256 values, so a lookup table holds the result for each value.
  Element values[3][256];
  if (d.channels == 3 || isGrey(d))
    for (int c = 0; c < d.channels; ++c)
      for (int byte = 0; byte < 256; ++byte)
        fromFloat(static_cast<float>(byte) * d.scale[c] + d.bias[c], values[c][byte]);
  const int64_t step = d.format.bytes_per_pixel;
  forParts(d.height, [&](int64_t y, int) {
    const uint8_t *from = pixels + y * d.bytes_per_row;
    Element *to = tensor + y * strides.row;
    if (d.channels == 3) {
      Element *first = to, *second = to + strides.channel, *third = to + 2 * strides.channel;
      for (int64_t x = 0; x < d.width; ++x, from += step) {
        first[x * strides.pixel] = values[0][from[offsets[0]]];
        second[x * strides.pixel] = values[1][from[offsets[1]]];
        third[x * strides.pixel] = values[2][from[offsets[2]]];
      }
    } else if (isGrey(d)) {
      for (int64_t x = 0; x < d.width; ++x, from += step) to[x] = values[0][from[d.format.red]];
    } else {
      for (int64_t x = 0; x < d.width; ++x, from += step) {
        const float grey = 0.299f * from[d.format.red] + 0.587f * from[d.format.green]
            + 0.114f * from[d.format.blue];
        fromFloat(grey * d.scale[0] + d.bias[0], to[x]);
      }
    }
  });
}

uint8_t byteOf(float value) {
  // The comparisons are false for not-a-number, so not-a-number becomes 0.
  value = value > 0.0f ? value : 0.0f;
  value = value < 255.0f ? value : 255.0f;
  // Adding 2^23 leaves the nearest integer, ties to even, in the low bits.
  return static_cast<uint8_t>(__builtin_bit_cast(uint32_t, value + 8388608.0f));
}

template <typename Element>
void writePixels(const ck_pixels &d, const Element *tensor, uint8_t *pixels) {
  int32_t offsets[3];
  byteOffsets(d, offsets);
  const Strides strides(d);
  const int64_t step = d.format.bytes_per_pixel;
  forParts(d.height, [&](int64_t y, int) {
    uint8_t *to = pixels + y * d.bytes_per_row;
    const Element *from = tensor + y * strides.row;
    if (d.format.alpha >= 0)
      for (int64_t x = 0; x < d.width; ++x) to[x * step + d.format.alpha] = 255;
    for (int c = 0; c < 3; ++c) {
      const int channel = d.channels == 3 ? c : 0;
      const Element *plane = from + channel * strides.channel;
      const float scale = d.scale[channel], bias = d.bias[channel];
      uint8_t *byte = to + offsets[c];
      for (int64_t x = 0; x < d.width; ++x)
        byte[x * step] = byteOf(toFloat(plane[x * strides.pixel]) * scale + bias);
      if (isGrey(d)) break;
    }
  });
}

bool makesSense(const ck_pixels &d) {
  const int32_t size = d.format.bytes_per_pixel;
  auto inside = [&](int32_t offset) { return offset >= 0 && offset < size; };
  return (d.channels == 1 || d.channels == 3) && inside(d.format.red) && inside(d.format.green)
      && inside(d.format.blue) && d.format.alpha < size && d.height >= 0 && d.width >= 0;
}

}  // namespace

extern "C" int32_t ck_pixels_to_tensor(
    const ck_pixels *d, const uint8_t *pixels, void *tensor) {
  if (!makesSense(*d)) return -1;
  switch (d->type) {
    case CK_F32: readPixels(*d, pixels, static_cast<float *>(tensor)); return 0;
    case CK_BF16: readPixels(*d, pixels, static_cast<BFloat16 *>(tensor)); return 0;
    case CK_F16: readPixels(*d, pixels, static_cast<Half *>(tensor)); return 0;
    default: return -1;
  }
}

extern "C" int32_t ck_tensor_to_pixels(
    const ck_pixels *d, const void *tensor, uint8_t *pixels) {
  if (!makesSense(*d)) return -1;
  switch (d->type) {
    case CK_F32: writePixels(*d, static_cast<const float *>(tensor), pixels); return 0;
    case CK_BF16: writePixels(*d, static_cast<const BFloat16 *>(tensor), pixels); return 0;
    case CK_F16: writePixels(*d, static_cast<const Half *>(tensor), pixels); return 0;
    default: return -1;
  }
}
