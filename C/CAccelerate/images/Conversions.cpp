#include "vImage_conversions.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>

#include <type_traits>

#include "images/Numbers.hpp"
#include "images/Rows.hpp"

namespace {

using Buffer = const vImage_Buffer *;

/// Copies planes of T into the channels of one picture.
template <class T, int channels>
vImage_Error interleave(const Buffer (&planes)[channels], Buffer dest) {
  for (Buffer plane : planes)
    if (const vImage_Error error = check(dest, {plane})) return error;
  return forRows(dest, {}, [&](vImagePixelCount y) {
    T *to = row<T>(dest, y);
    const T *from[channels];
    for (int channel = 0; channel < channels; channel++) from[channel] = row<const T>(planes[channel], y);
    for (vImagePixelCount x = 0; x < dest->width; x++)
      for (int channel = 0; channel < channels; channel++) to[x * channels + channel] = from[channel][x];
  });
}

/// Copies the channels of one picture into planes of T.
template <class T, int channels>
vImage_Error deinterleave(Buffer source, const Buffer (&planes)[channels]) {
  for (Buffer plane : planes)
    if (const vImage_Error error = check(plane, {source, planes[0]})) return error;
  return forRows(planes[0], {source}, [&](vImagePixelCount y) {
    const T *from = row<const T>(source, y);
    if constexpr (channels == 4 && std::is_same_v<T, uint8_t>) {
      uint8_t *to[4];
      for (int channel = 0; channel < 4; channel++) to[channel] = row<uint8_t>(planes[channel], y);
      return rows::split(from, to, long(planes[0]->width));
    }
    for (int channel = 0; channel < channels; channel++) {
      T *to = row<T>(planes[channel], y);
      for (vImagePixelCount x = 0; x < planes[0]->width; x++) to[x] = from[x * channels + channel];
    }
  });
}

/// Reorders channels: channel i of the result is channel map[i] of the source. `dest` may be `source`.
template <class T, int from, int to>
vImage_Error reorder(Buffer source, Buffer dest, const int (&map)[4]) {
  return forRows(dest, {source}, [&](vImagePixelCount y) {
    const T *pixels = row<const T>(source, y);
    T *results = row<T>(dest, y);
    for (vImagePixelCount x = 0; x < dest->width; x++) {
      T pixel[from];
      for (int channel = 0; channel < from; channel++) pixel[channel] = pixels[x * from + channel];
      for (int channel = 0; channel < to; channel++) results[x * to + channel] = pixel[map[channel]];
    }
  });
}

vImage_Error addAlpha(
    Buffer source, Buffer plane, Pixel_8 alpha, Buffer dest, bool premultiply, const int (&map)[4]) {
  if (plane)
    if (const vImage_Error error = check(dest, {plane})) return error;
  return forRows(dest, {source}, [&](vImagePixelCount y) {
    const uint8_t *pixels = row<const uint8_t>(source, y);
    const uint8_t *alphas = plane ? row<const uint8_t>(plane, y) : nullptr;
    uint8_t *results = row<uint8_t>(dest, y);
    for (vImagePixelCount x = 0; x < dest->width; x++) {
      const uint8_t opacity = alphas ? alphas[x] : alpha;
      for (int channel = 0; channel < 4; channel++) {
        const uint8_t color = map[channel] < 0 ? 255 : pixels[x * 3 + vImagePixelCount(map[channel])];
        results[x * 4 + vImagePixelCount(channel)] =
            map[channel] < 0 ? opacity : premultiply ? dividedBy255(unsigned(color) * opacity) : color;
      }
    }
  });
}

template <class T, int channels>
vImage_Error permute(Buffer source, Buffer dest, const uint8_t *map) {
  int order[4] = {};
  for (int channel = 0; channel < channels; channel++) {
    if (map[channel] >= channels) return kvImageInvalidParameter;
    order[channel] = map[channel];
  }
  return reorder<T, channels, channels>(source, dest, order);
}

template <class T>
vImage_Error fill(Buffer dest, const T *color) {
  T pixel[4];
  memcpy(pixel, color, sizeof pixel);
  return forRows(dest, {}, [&](vImagePixelCount y) {
    T *to = row<T>(dest, y);
    for (vImagePixelCount x = 0; x < dest->width; x++) memcpy(to + 4 * x, pixel, sizeof pixel);
  });
}

/// Writes plane or scalar into the channels that copyMask selects.
vImage_Error overwrite(Buffer plane, Pixel_8 scalar, Buffer source, Buffer dest, uint8_t copyMask) {
  if (copyMask > 15) return kvImageInvalidParameter;
  if (plane)
    if (const vImage_Error error = check(dest, {plane})) return error;
  return forRows(dest, {source}, [&](vImagePixelCount y) {
    const uint8_t *pixels = row<const uint8_t>(source, y);
    const uint8_t *values = plane ? row<const uint8_t>(plane, y) : nullptr;
    uint8_t *to = row<uint8_t>(dest, y);
    for (vImagePixelCount x = 0; x < dest->width; x++) {
      const uint8_t value = values ? values[x] : scalar;
      for (unsigned channel = 0; channel < 4; channel++)
        to[4 * x + channel] = (copyMask >> (3 - channel)) & 1 ? value : pixels[4 * x + channel];
    }
  });
}

/// sum / divisor, rounded to the nearest integer (halves away from 0) and clipped to a byte.
uint8_t quotient(int64_t sum, int32_t divisor) {
  const int64_t size = std::llabs(divisor), value = divisor < 0 ? -sum : sum;
  if (value <= 0) return 0;
  const int64_t rounded = (value + size / 2) / size;
  return rounded > 255 ? 255 : uint8_t(rounded);
}

template <int columns>
vImage_Error multiply(
    Buffer source, Buffer dest, const int16_t *matrix, int32_t divisor, const int16_t *before,
    const int32_t *after) {
  if (divisor == 0) return kvImageInvalidParameter;
  return forRows(dest, {source}, [&](vImagePixelCount y) {
    const uint8_t *pixels = row<const uint8_t>(source, y);
    uint8_t *to = row<uint8_t>(dest, y);
    for (vImagePixelCount x = 0; x < dest->width; x++) {
      int64_t sums[columns] = {};
      for (unsigned i = 0; i < 4; i++)
        for (unsigned j = 0; j < columns; j++)
          sums[j] += (int64_t(pixels[4 * x + i]) + (before ? before[i] : 0)) * matrix[columns * i + j];
      for (unsigned j = 0; j < columns; j++)
        to[columns * x + j] = quotient(sums[j] + (after ? after[j] : 0), divisor);
    }
  });
}

/// Makes a picture of bytes from four planes of floats. Each plane has its own range. A NULL plane gives `constant`.
vImage_Error bytesFromFloats(
    const Buffer (&planes)[4], Buffer dest, const float *most, const float *least, Pixel_8 constant) {
  for (Buffer plane : planes)
    if (plane)
      if (const vImage_Error error = check(dest, {plane})) return error;
  uint8_t *bytes = new (std::nothrow) uint8_t[dest && dest->width ? dest->width : 1];
  if (!bytes) return kvImageMemoryAllocationError;
  const vImage_Error error = forRows(dest, {}, [&](vImagePixelCount y) {
    uint8_t *to = row<uint8_t>(dest, y);
    for (unsigned channel = 0; channel < 4; channel++) {
      if (planes[channel]) {
        const float scale = 255 / (most[channel] - least[channel]);
        rows::floatsToBytes(
            row<const float>(planes[channel], y), bytes, long(dest->width), scale, -least[channel] * scale);
      } else {
        memset(bytes, constant, dest->width);
      }
      for (vImagePixelCount x = 0; x < dest->width; x++) to[4 * x + channel] = bytes[x];
    }
  });
  delete[] bytes;
  return error;
}

}  // namespace

extern "C" {

vImage_Error vImageConvert_Planar8toPlanarF(
    Buffer src, Buffer dest, Pixel_F maxFloat, Pixel_F minFloat, vImage_Flags) {
  return forRows(dest, {src}, [&](vImagePixelCount y) {
    const float scale = (maxFloat - minFloat) / 255;
    rows::bytesToFloats(row<const uint8_t>(src, y), row<float>(dest, y), long(dest->width), scale, minFloat);
  });
}

vImage_Error vImageConvert_PlanarFtoPlanar8(
    Buffer src, Buffer dest, Pixel_F maxFloat, Pixel_F minFloat, vImage_Flags) {
  return forRows(dest, {src}, [&](vImagePixelCount y) {
    const float scale = 255 / (maxFloat - minFloat);
    rows::floatsToBytes(
        row<const float>(src, y), row<uint8_t>(dest, y), long(dest->width), scale, -minFloat * scale);
  });
}

vImage_Error vImageConvert_PlanarFtoPlanar16F(Buffer src, Buffer dest, vImage_Flags) {
  return forRows(dest, {src}, [&](vImagePixelCount y) {
    rows::narrow(row<const float>(src, y), row<uint16_t>(dest, y), long(dest->width));
  });
}

vImage_Error vImageConvert_Planar16FtoPlanarF(Buffer src, Buffer dest, vImage_Flags) {
  return forRows(dest, {src}, [&](vImagePixelCount y) {
    rows::widen(row<const uint16_t>(src, y), row<float>(dest, y), long(dest->width));
  });
}

vImage_Error vImageClip_PlanarF(
    Buffer src, Buffer dest, Pixel_F maxFloat, Pixel_F minFloat, vImage_Flags) {
  return forRows(dest, {src}, [&](vImagePixelCount y) {
    rows::clip(row<const float>(src, y), row<float>(dest, y), long(dest->width), minFloat, maxFloat);
  });
}

vImage_Error vImageConvert_Planar8toARGB8888(
    Buffer a, Buffer r, Buffer g, Buffer b, Buffer dest, vImage_Flags) {
  return interleave<uint8_t, 4>({a, r, g, b}, dest);
}
vImage_Error vImageConvert_ARGB8888toPlanar8(
    Buffer src, Buffer a, Buffer r, Buffer g, Buffer b, vImage_Flags) {
  return deinterleave<uint8_t, 4>(src, {a, r, g, b});
}
vImage_Error vImageConvert_Planar8toRGB888(Buffer r, Buffer g, Buffer b, Buffer dest, vImage_Flags) {
  return interleave<uint8_t, 3>({r, g, b}, dest);
}
vImage_Error vImageConvert_RGB888toPlanar8(Buffer src, Buffer r, Buffer g, Buffer b, vImage_Flags) {
  return deinterleave<uint8_t, 3>(src, {r, g, b});
}
vImage_Error vImageConvert_PlanarFtoARGBFFFF(
    Buffer a, Buffer r, Buffer g, Buffer b, Buffer dest, vImage_Flags) {
  return interleave<float, 4>({a, r, g, b}, dest);
}
vImage_Error vImageConvert_ARGBFFFFtoPlanarF(
    Buffer src, Buffer a, Buffer r, Buffer g, Buffer b, vImage_Flags) {
  return deinterleave<float, 4>(src, {a, r, g, b});
}
vImage_Error vImageConvert_PlanarFtoRGBFFF(Buffer r, Buffer g, Buffer b, Buffer dest, vImage_Flags) {
  return interleave<float, 3>({r, g, b}, dest);
}
vImage_Error vImageConvert_RGBFFFtoPlanarF(Buffer src, Buffer r, Buffer g, Buffer b, vImage_Flags) {
  return deinterleave<float, 3>(src, {r, g, b});
}

vImage_Error vImageConvert_ARGB8888toPlanarF(
    Buffer src, Buffer alpha, Buffer red, Buffer green, Buffer blue, const Pixel_F *maxFloat,
    const Pixel_F *minFloat, vImage_Flags) {
  const Buffer planes[4] = {alpha, red, green, blue};
  for (Buffer plane : planes)
    if (const vImage_Error error = check(plane, {src, alpha})) return error;
  return forRows(alpha, {src}, [&](vImagePixelCount y) {
    const uint8_t *from = row<const uint8_t>(src, y);
    for (unsigned channel = 0; channel < 4; channel++) {
      const float least = minFloat[channel], scale = (maxFloat[channel] - least) / 255;
      float *to = row<float>(planes[channel], y);
      for (vImagePixelCount x = 0; x < alpha->width; x++) to[x] = float(from[4 * x + channel]) * scale + least;
    }
  });
}

vImage_Error vImageConvert_PlanarFtoARGB8888(
    Buffer alpha, Buffer red, Buffer green, Buffer blue, Buffer dest, const Pixel_F *maxFloat,
    const Pixel_F *minFloat, vImage_Flags) {
  if (!alpha || !red || !green || !blue) return kvImageNullPointerArgument;
  return bytesFromFloats({alpha, red, green, blue}, dest, maxFloat, minFloat, 0);
}

vImage_Error vImageConvert_PlanarFToBGRX8888(
    Buffer blue, Buffer green, Buffer red, Pixel_8 alpha, Buffer dest, const Pixel_F *maxFloat,
    const Pixel_F *minFloat, vImage_Flags) {
  if (!red || !green || !blue) return kvImageNullPointerArgument;
  return bytesFromFloats({blue, green, red, nullptr}, dest, maxFloat, minFloat, alpha);
}

#define F(name, from, to, a, b, c, d) \
  vImage_Error name(Buffer src, Buffer dest, vImage_Flags) { \
    return reorder<uint8_t, from, to>(src, dest, {a, b, c, d}); \
  }
VIMAGE_REORDERING_FUNCTIONS(F)
#undef F

#define F(name, a, b, c, d) \
  vImage_Error name( \
      Buffer src, Buffer aSrc, Pixel_8 alpha, Buffer dest, bool premultiply, vImage_Flags) { \
    return addAlpha(src, aSrc, alpha, dest, premultiply, {a, b, c, d}); \
  }
VIMAGE_ALPHA_FUNCTIONS(F)
#undef F

vImage_Error vImagePermuteChannels_ARGB8888(Buffer src, Buffer dest, const uint8_t *map, vImage_Flags) {
  return permute<uint8_t, 4>(src, dest, map);
}
vImage_Error vImagePermuteChannels_ARGBFFFF(Buffer src, Buffer dest, const uint8_t *map, vImage_Flags) {
  return permute<float, 4>(src, dest, map);
}
vImage_Error vImagePermuteChannels_RGB888(Buffer src, Buffer dest, const uint8_t *map, vImage_Flags) {
  return permute<uint8_t, 3>(src, dest, map);
}

vImage_Error vImageExtractChannel_ARGB8888(Buffer src, Buffer dest, long channelIndex, vImage_Flags) {
  if (channelIndex < 0 || channelIndex > 3) return kvImageInvalidParameter;
  return forRows(dest, {src}, [&](vImagePixelCount y) {
    const uint8_t *from = row<const uint8_t>(src, y) + channelIndex;
    uint8_t *to = row<uint8_t>(dest, y);
    for (vImagePixelCount x = 0; x < dest->width; x++) to[x] = from[4 * x];
  });
}

vImage_Error vImageOverwriteChannels_ARGB8888(
    Buffer newSrc, Buffer origSrc, Buffer dest, uint8_t copyMask, vImage_Flags) {
  if (!newSrc) return kvImageNullPointerArgument;
  return overwrite(newSrc, 0, origSrc, dest, copyMask);
}
vImage_Error vImageOverwriteChannelsWithScalar_ARGB8888(
    Pixel_8 scalar, Buffer src, Buffer dest, uint8_t copyMask, vImage_Flags) {
  return overwrite(nullptr, scalar, src, dest, copyMask);
}

vImage_Error vImageTableLookUp_Planar8(Buffer src, Buffer dest, const Pixel_8 *table, vImage_Flags) {
  return forRows(dest, {src}, [&](vImagePixelCount y) {
    const uint8_t *from = row<const uint8_t>(src, y);
    uint8_t *to = row<uint8_t>(dest, y);
    for (vImagePixelCount x = 0; x < dest->width; x++) to[x] = table[from[x]];
  });
}

vImage_Error vImageBufferFill_ARGB8888(Buffer dest, const uint8_t *color, vImage_Flags) {
  return fill<uint8_t>(dest, color);
}
vImage_Error vImageBufferFill_ARGBFFFF(Buffer dest, const float *color, vImage_Flags) {
  return fill<float>(dest, color);
}

vImage_Error vImageMatrixMultiply_ARGB8888(
    Buffer src, Buffer dest, const int16_t *matrix, int32_t divisor, const int16_t *pre_bias,
    const int32_t *post_bias, vImage_Flags) {
  return multiply<4>(src, dest, matrix, divisor, pre_bias, post_bias);
}
vImage_Error vImageMatrixMultiply_ARGB8888ToPlanar8(
    Buffer src, Buffer dest, const int16_t *matrix, int32_t divisor, const int16_t *pre_bias,
    int32_t post_bias, vImage_Flags) {
  return multiply<1>(src, dest, matrix, divisor, pre_bias, &post_bias);
}
}
