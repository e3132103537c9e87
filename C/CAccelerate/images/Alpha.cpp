#include "vImage_alpha.h"

#include "images/Rows.hpp"

namespace {

using Buffer = const vImage_Buffer *;

/// Replaces every colour by result(colour, alpha), with alpha in channel `position`.
template <int position, class Result>
vImage_Error mapColors(Buffer source, Buffer dest, Result result) {
  return forRows(dest, {source}, [&](vImagePixelCount y) {
    const uint8_t *from = row<const uint8_t>(source, y);
    uint8_t *to = row<uint8_t>(dest, y);
    for (vImagePixelCount x = 0; x < dest->width; x++) {
      const uint8_t alpha = from[4 * x + position];
      for (unsigned channel = 0; channel < 4; channel++) {
        const uint8_t color = from[4 * x + channel];
        to[4 * x + channel] = channel == position ? alpha : result(color, alpha);
      }
    }
  });
}

uint8_t premultiplied(uint8_t color, uint8_t alpha) { return dividedBy255(unsigned(color) * alpha); }

uint8_t unpremultiplied(uint8_t color, uint8_t alpha) {
  if (alpha == 0) return 0;
  const unsigned quotient = (unsigned(color) * 255 + alpha / 2) / alpha;
  return quotient > 255 ? 255 : uint8_t(quotient);
}

template <int position>
vImage_Error blend(Buffer top, Buffer bottom, Buffer dest) {
  return forRows(dest, {top, bottom}, [&](vImagePixelCount y) {
    const uint8_t *above = row<const uint8_t>(top, y), *below = row<const uint8_t>(bottom, y);
    uint8_t *to = row<uint8_t>(dest, y);
    for (vImagePixelCount x = 0; x < dest->width; x++) {
      const unsigned rest = 255u - above[4 * x + position];
      for (unsigned channel = 0; channel < 4; channel++) {
        const unsigned sum = above[4 * x + channel] + dividedBy255(rest * below[4 * x + channel]);
        to[4 * x + channel] = sum > 255 ? 255 : uint8_t(sum);
      }
    }
  });
}

}  // namespace

extern "C" {

vImage_Error vImagePremultiplyData_ARGB8888(Buffer src, Buffer dest, vImage_Flags) {
  return mapColors<0>(src, dest, premultiplied);
}
vImage_Error vImagePremultiplyData_RGBA8888(Buffer src, Buffer dest, vImage_Flags) {
  return mapColors<3>(src, dest, premultiplied);
}
vImage_Error vImagePremultiplyData_BGRA8888(Buffer src, Buffer dest, vImage_Flags) {
  return mapColors<3>(src, dest, premultiplied);
}
vImage_Error vImageUnpremultiplyData_ARGB8888(Buffer src, Buffer dest, vImage_Flags) {
  return mapColors<0>(src, dest, unpremultiplied);
}
vImage_Error vImageUnpremultiplyData_RGBA8888(Buffer src, Buffer dest, vImage_Flags) {
  return mapColors<3>(src, dest, unpremultiplied);
}
vImage_Error vImageUnpremultiplyData_BGRA8888(Buffer src, Buffer dest, vImage_Flags) {
  return mapColors<3>(src, dest, unpremultiplied);
}
vImage_Error vImagePremultipliedAlphaBlend_ARGB8888(
    Buffer srcTop, Buffer srcBottom, Buffer dest, vImage_Flags) {
  return blend<0>(srcTop, srcBottom, dest);
}
vImage_Error vImagePremultipliedAlphaBlend_BGRA8888(
    Buffer srcTop, Buffer srcBottom, Buffer dest, vImage_Flags) {
  return blend<3>(srcTop, srcBottom, dest);
}
}
