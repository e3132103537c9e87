#include "vImage_geometry.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <limits>
#include <type_traits>
#include <vector>

#include "images/Numbers.hpp"
#include "images/Rows.hpp"

namespace {

using Buffer = const vImage_Buffer *;

/// The weights of the source pixels for each pixel of a scaled row or column.
struct Filter {
  long taps = 0;
  std::vector<int> first;
  std::vector<float> weights;

  /// Lanczos' kernel, sinc(x) sinc(x / lobes). Weights beyond an edge are added to the outermost pixel.
  Filter(long from, long to, int lobes) : first(size_t(to)) {
    const double scale = double(from) / double(to), stretch = std::max(scale, 1.0);
    const double support = lobes * stretch;
    taps = std::min(from, long(std::ceil(2 * support)) + 2);
    weights.assign(size_t(to * taps), 0);
    std::vector<double> sums(static_cast<size_t>(taps));
    for (long position = 0; position < to; position++) {
      const double center = (double(position) + 0.5) * scale - 0.5;
      const long start = long(std::ceil(center - support)), end = long(std::floor(center + support));
      const long base = std::clamp(start, 0L, from - taps);
      std::fill(sums.begin(), sums.end(), 0);
      double total = 0;
      for (long index = start; index <= end; index++) {
        const double x = (double(index) - center) / stretch;
        const double weight = sinc(x) * sinc(x / lobes);
        sums[size_t(std::clamp(index, 0L, from - 1) - base)] += weight;
        total += weight;
      }
      first[size_t(position)] = int(base);
      for (long tap = 0; tap < taps; tap++)
        weights[size_t(position * taps + tap)] = float(sums[size_t(tap)] / total);
    }
  }

  static double sinc(double x) { return x == 0 ? 1 : std::sin(M_PI * x) / (M_PI * x); }
};

template <class T>
void store(const float *from, T *to, long count) {
  if constexpr (std::is_same_v<T, float>) {
    memcpy(to, from, size_t(count) * sizeof(float));
  } else {
    constexpr float most = float(std::numeric_limits<T>::max());
    for (long i = 0; i < count; i++) to[i] = T(std::min(std::max(from[i], 0.0f), most) + 0.5f);
  }
}

template <class T, int channels>
vImage_Error scale(Buffer src, Buffer dest, vImage_Flags flags) {
  if (flags & kvImageGetTempBufferSize) return 0;
  if (!src || !dest || !src->data || !dest->data) return kvImageNullPointerArgument;
  if (dest->width == 0 || dest->height == 0) return kvImageNoError;
  if (src->width == 0 || src->height == 0) return kvImageRoiLargerThanInputBuffer;
  try {
    const int lobes = flags & kvImageHighQualityResampling ? 5 : 3;
    const Filter across(long(src->width), long(dest->width), lobes);
    const Filter down(long(src->height), long(dest->height), lobes);
    const long length = long(dest->width) * channels;
    std::vector<float> narrowed(size_t(length) * src->height), source(src->width * channels);
    std::vector<float> sums(static_cast<size_t>(length));
    for (vImagePixelCount y = 0; y < src->height; y++) {
      const T *from = row<const T>(src, y);
      for (size_t i = 0; i < source.size(); i++) source[i] = float(from[i]);
      rows::filterRow(
          source.data(), narrowed.data() + y * size_t(length), across.first.data(), across.weights.data(),
          across.taps, long(dest->width), channels);
    }
    for (vImagePixelCount y = 0; y < dest->height; y++) {
      std::fill(sums.begin(), sums.end(), 0);
      for (long tap = 0; tap < down.taps; tap++) {
        const float weight = down.weights[y * size_t(down.taps) + size_t(tap)];
        const size_t line = size_t(down.first[y] + tap);
        if (weight != 0) rows::addRow(sums.data(), narrowed.data() + line * size_t(length), weight, length);
      }
      store<T>(sums.data(), row<T>(dest, y), length);
    }
  } catch (const std::exception &) {
    return kvImageMemoryAllocationError;
  }
  return kvImageNoError;
}

template <class T, int channels>
struct Pixel {
  T values[channels];
};

/// True if the memory of two pictures does not overlap.
bool areApart(Buffer one, Buffer other) {
  const char *first = static_cast<const char *>(one->data), *second = static_cast<const char *>(other->data);
  return first + one->height * one->rowBytes <= second || second + other->height * other->rowBytes <= first;
}

/// Copies rows in reverse order. Rows are exchanged in pairs, so that dest may be src.
template <class P>
vImage_Error reflectVertically(Buffer src, Buffer dest) {
  if (const vImage_Error error = check(dest, {src})) return error;
  const vImagePixelCount height = dest->height, width = dest->width;
  for (vImagePixelCount y = 0; y < (height + 1) / 2; y++) {
    const P *first = row<const P>(src, y), *last = row<const P>(src, height - 1 - y);
    P *toLast = row<P>(dest, height - 1 - y), *toFirst = row<P>(dest, y);
    if (areApart(src, dest)) {
      memcpy(toFirst, last, width * sizeof(P));
      memcpy(toLast, first, width * sizeof(P));
      continue;
    }
    for (vImagePixelCount x = 0; x < width; x++) {
      const P above = first[x], below = last[x];
      toFirst[x] = below;
      toLast[x] = above;
    }
  }
  return kvImageNoError;
}

template <class P>
vImage_Error reflectHorizontally(Buffer src, Buffer dest) {
  return forRows(dest, {src}, [&](vImagePixelCount y) {
    const P *from = row<const P>(src, y);
    P *to = row<P>(dest, y);
    if constexpr (sizeof(P) == 1) {
      if (areApart(src, dest))
        return rows::reverse(
            reinterpret_cast<const uint8_t *>(from), reinterpret_cast<uint8_t *>(to), long(dest->width));
    }
    for (vImagePixelCount x = 0; x < (dest->width + 1) / 2; x++) {
      const P left = from[x], right = from[dest->width - 1 - x];
      to[x] = right;
      to[dest->width - 1 - x] = left;
    }
  });
}

/// The side of the tiles in which a picture is rotated. The rows that a tile reads and writes fit into the L1 cache.
constexpr long rotatedTile = 64;

template <class P, class T>
vImage_Error rotate(Buffer src, Buffer dest, uint8_t quarters, const T *color) {
  if (quarters > 3) return kvImageInvalidParameter;
  if (!src || !dest || !src->data || !dest->data) return kvImageNullPointerArgument;
  P background;
  memcpy(&background, color, sizeof background);
  const long width = long(src->width), height = long(src->height);
  const long turnedWidth = quarters & 1 ? height : width, turnedHeight = quarters & 1 ? width : height;
  // The position of the result's first pixel in the turned picture, and the part of the result that it covers.
  const long left = (turnedWidth - long(dest->width)) / 2, top = (turnedHeight - long(dest->height)) / 2;
  const long xBegin = std::max(0l, -left), xEnd = std::min(long(dest->width), turnedWidth - left);
  const long yBegin = std::max(0l, -top), yEnd = std::min(long(dest->height), turnedHeight - top);
  for (long y = 0; y < long(dest->height); y++) {
    P *to = row<P>(dest, vImagePixelCount(y));
    const bool isCovered = y >= yBegin && y < yEnd && xBegin < xEnd;
    std::fill(to, to + (isCovered ? xBegin : long(dest->width)), background);
    if (isCovered) std::fill(to + xEnd, to + dest->width, background);
  }
  // The source's bytes from one pixel of the result to the next in its row, and to the next in its column.
  const long size = sizeof(P), line = long(src->rowBytes);
  const long across[] = {size, line, -size, -line}, down[] = {line, -size, -line, size};
  const long columns[] = {0, width - 1, width - 1, 0}, lines[] = {0, 0, height - 1, height - 1};
  const long xStep = across[quarters], yStep = down[quarters];
  // The address for the turned picture's first pixel is computed as a number: with an empty source it does not exist.
  const intptr_t start = reinterpret_cast<intptr_t>(src->data) + lines[quarters] * line + columns[quarters] * size;
  for (long yTile = yBegin; yTile < yEnd; yTile += rotatedTile)
    for (long xTile = xBegin; xTile < xEnd; xTile += rotatedTile)
      for (long y = yTile; y < std::min(yTile + rotatedTile, yEnd); y++) {
        P *to = row<P>(dest, vImagePixelCount(y));
        intptr_t from = start + (y + top) * yStep + (xTile + left) * xStep;
        for (long x = xTile; x < std::min(xTile + rotatedTile, xEnd); x++, from += xStep)
          to[x] = *reinterpret_cast<const P *>(from);
      }
  return kvImageNoError;
}

}  // namespace

extern "C" {

#define F(format, T, channels, color, pointer) \
  vImage_Error vImageScale_##format(Buffer src, Buffer dest, void *, vImage_Flags flags) { \
    return scale<T, channels>(src, dest, flags); \
  } \
  vImage_Error vImageVerticalReflect_##format(Buffer src, Buffer dest, vImage_Flags) { \
    return reflectVertically<Pixel<T, channels>>(src, dest); \
  } \
  vImage_Error vImageHorizontalReflect_##format(Buffer src, Buffer dest, vImage_Flags) { \
    return reflectHorizontally<Pixel<T, channels>>(src, dest); \
  } \
  vImage_Error vImageRotate90_##format( \
      Buffer src, Buffer dest, uint8_t rotationConstant, color, vImage_Flags) { \
    return rotate<Pixel<T, channels>, T>(src, dest, rotationConstant, pointer); \
  }
VIMAGE_FORMATS(F)
#undef F
}
