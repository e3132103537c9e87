#include "CVision.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

constexpr int kSteps = 32;

int clamped(int value, int count) { return value < 0 ? 0 : value >= count ? count - 1 : value; }

/// Rounds a position to steps of 1/32 pixel. Limits positions far outside the picture, so that the result fits an
/// `int`.
int steps(double position) {
  return static_cast<int>(std::lrint(std::min(1e6, std::max(-1e6, position)) * kSteps));
}

}  // namespace

void cvision_sample(const uint8_t *pixels, int width, int height, const double *t, int columns,
                    int rows, int replicates, float scale, float offset, float *result) {
  for (int v = 0; v < rows; ++v) {
    for (int u = 0; u < columns; ++u, result += 3) {
      const int x = steps(t[0] * u + t[1] * v + t[2]), y = steps(t[3] * u + t[4] * v + t[5]);
      const int left = x >> 5, top = y >> 5;
      const int fx = x & (kSteps - 1), fy = y & (kSteps - 1);
      const int weights[4] = {(kSteps - fx) * (kSteps - fy), fx * (kSteps - fy),
                              (kSteps - fx) * fy, fx * fy};
      int sums[3] = {0, 0, 0};
      for (int corner = 0; corner < 4; ++corner) {
        int column = left + (corner & 1), row = top + (corner >> 1);
        if (replicates) {
          column = clamped(column, width);
          row = clamped(row, height);
        } else if (column < 0 || row < 0 || column >= width || row >= height) {
          continue;
        }
        const uint8_t *pixel = pixels + (static_cast<size_t>(row) * width + column) * 3;
        for (int component = 0; component < 3; ++component)
          sums[component] += weights[corner] * pixel[component];
      }
      for (int component = 0; component < 3; ++component)
        result[component] = static_cast<float>((sums[component] + 512) >> 10) * scale + offset;
    }
  }
}

void cvision_scale_mask(const float *mask, int width, int height, int columns, int rows,
                        float *result) {
  std::vector<int> lefts(columns), rights(columns);
  std::vector<float> parts(columns);
  for (int u = 0; u < columns; ++u) {
    const float x = (u + 0.5f) * width / columns - 0.5f;
    const int left = static_cast<int>(std::floor(x));
    parts[u] = x - left;
    lefts[u] = clamped(left, width);
    rights[u] = clamped(left + 1, width);
  }
  for (int v = 0; v < rows; ++v) {
    const float y = (v + 0.5f) * height / rows - 0.5f;
    const int top = static_cast<int>(std::floor(y));
    const float part = y - top;
    const float *upper = mask + static_cast<size_t>(clamped(top, height)) * width;
    const float *lower = mask + static_cast<size_t>(clamped(top + 1, height)) * width;
    for (int u = 0; u < columns; ++u) {
      const float above = upper[lefts[u]] + (upper[rights[u]] - upper[lefts[u]]) * parts[u];
      const float below = lower[lefts[u]] + (lower[rights[u]] - lower[lefts[u]]) * parts[u];
      *result++ = above + (below - above) * part;
    }
  }
}

void cvision_bytes(const float *values, long count, uint8_t *result) {
  for (long index = 0; index < count; ++index) {
    const float value = values[index] * 255.0f + 0.5f;
    result[index] = value > 0 ? static_cast<uint8_t>(std::min(value, 255.0f)) : 0;
  }
}
