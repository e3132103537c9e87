#include "CFilters.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <new>
#include <vector>

namespace {

/// The curve of sRGB: 256 decoded components, and the encoding of 4,096 linear values.
struct Curve {
  float decoded[256];
  uint8_t encoded[4097];

  Curve() {
    for (int code = 0; code < 256; code++) {
      double x = code / 255.0;
      decoded[code] = float(x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4));
    }
    for (int index = 0; index <= 4096; index++) {
      // The table has equal steps of the square root, so that dark values keep their precision.
      double x = double(index) / 4096 * (double(index) / 4096);
      double y = x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055;
      encoded[index] = uint8_t(std::lround(y * 255));
    }
  }

  uint8_t encode(float linear) const {
    // The comparison is false for NaN, which becomes 0.
    if (!(linear > 0)) return 0;
    if (linear >= 1) return 255;
    return encoded[int(std::sqrt(linear) * 4096 + 0.5f)];
  }
};

const Curve &curve() {
  static const Curve made;
  return made;
}

int clamp(int index, int count) { return index < 0 ? 0 : index >= count ? count - 1 : index; }

}  // namespace

int cfl_gaussian_blur(const uint8_t *source, uint8_t *target, int width, int height, double sigma) {
  try {
    const Curve &table = curve();
    int radius = std::min(std::max(0, int(std::ceil(3 * sigma))), 4096);
    std::vector<float> weights(radius + 1);
    double sum = 0;
    for (int index = 0; index <= radius; index++) {
      weights[index] = sigma > 0 ? float(std::exp(-0.5 * index * index / (sigma * sigma))) : 1;
      sum += index == 0 ? weights[index] : 2 * weights[index];
    }
    for (float &weight : weights) weight = float(weight / sum);

    size_t row = size_t(width) * 3;
    std::vector<float> across(row * height), padded(size_t(width + 2 * radius) * 3), total(row);
    for (int y = 0; y < height; y++) {
      const uint8_t *from = source + y * row;
      for (int x = -radius; x < width + radius; x++)
        for (int c = 0; c < 3; c++)
          padded[size_t(x + radius) * 3 + c] = table.decoded[from[clamp(x, width) * 3 + c]];
      float *to = across.data() + y * row;
      const float *centre = padded.data() + size_t(radius) * 3;
      for (size_t x = 0; x < row; x++) to[x] = weights[0] * centre[x];
      for (int offset = 1; offset <= radius; offset++)
        for (size_t x = 0; x < row; x++)
          to[x] += weights[offset] * (centre[std::ptrdiff_t(x) - 3 * offset] + centre[x + 3 * offset]);
    }
    for (int y = 0; y < height; y++) {
      const float *centre = across.data() + y * row;
      for (size_t x = 0; x < row; x++) total[x] = weights[0] * centre[x];
      for (int offset = 1; offset <= radius; offset++) {
        const float *above = across.data() + clamp(y - offset, height) * row;
        const float *below = across.data() + clamp(y + offset, height) * row;
        for (size_t x = 0; x < row; x++) total[x] += weights[offset] * (above[x] + below[x]);
      }
      for (size_t x = 0; x < row; x++) target[y * row + x] = table.encode(total[x]);
    }
    return 0;
  } catch (const std::bad_alloc &) {
    return -1;
  }
}

void cfl_color_matrix(const uint8_t *source, uint8_t *target, int64_t pixels, const double matrix[12]) {
  const Curve &table = curve();
  float m[12];
  for (int index = 0; index < 12; index++) m[index] = float(matrix[index]);
  for (int64_t index = 0; index < pixels; index++) {
    const uint8_t *from = source + index * 3;
    float r = table.decoded[from[0]], g = table.decoded[from[1]], b = table.decoded[from[2]];
    for (int c = 0; c < 3; c++)
      target[index * 3 + c] =
          table.encode(m[c * 4] * r + m[c * 4 + 1] * g + m[c * 4 + 2] * b + m[c * 4 + 3]);
  }
}

int cfl_morphology(
    const uint8_t *source, uint8_t *target, int width, int height, double radius, int is_maximum) {
  int reach = std::min(std::max(0, int(std::floor(radius))), 4096);
  size_t row = size_t(width) * 3;
  for (int y = 0; y < height; y++) {
    uint8_t *to = target + y * row;
    std::memcpy(to, source + y * row, row);
    for (int dy = -reach; dy <= reach; dy++) {
      const uint8_t *from = source + clamp(y + dy, height) * row;
      int half = int(std::floor(std::sqrt(std::max(0.0, radius * radius - double(dy) * dy))));
      for (int dx = -half; dx <= half; dx++)
        for (int x = 0; x < width; x++) {
          const uint8_t *other = from + size_t(clamp(x + dx, width)) * 3;
          for (int c = 0; c < 3; c++) {
            uint8_t &best = to[size_t(x) * 3 + c];
            best = is_maximum ? std::max(best, other[c]) : std::min(best, other[c]);
          }
        }
    }
  }
  return 0;
}

void cfl_blend(
    const uint8_t *top, const uint8_t *bottom, const uint8_t *opacity, uint8_t *target,
    int64_t pixels) {
  const Curve &table = curve();
  for (int64_t index = 0; index < pixels; index++) {
    float a = opacity[index] / 255.0f;
    for (int64_t c = index * 3; c < index * 3 + 3; c++)
      target[c] = opacity[index] == 255 ? top[c]
                : opacity[index] == 0
                    ? bottom[c]
                    : table.encode(a * table.decoded[top[c]] + (1 - a) * table.decoded[bottom[c]]);
  }
}

void cfl_luminance(const uint8_t *source, uint8_t *target, int64_t pixels) {
  const Curve &table = curve();
  for (int64_t index = 0; index < pixels; index++) {
    const uint8_t *from = source + index * 3;
    float y = 0.2126f * table.decoded[from[0]] + 0.7152f * table.decoded[from[1]]
            + 0.0722f * table.decoded[from[2]];
    target[index] = uint8_t(std::lround(std::min(1.0f, y) * 255));
  }
}
