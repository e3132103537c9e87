#include "CVision.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace {

/// The side of the square in which saliency is computed.
constexpr int kSide = 136;
constexpr size_t kCount = static_cast<size_t>(kSide) * kSide;

/// Intensity and the two opponent colours red-green and blue-yellow of a picture that is reduced to the square by means.
void opponents(const uint8_t *pixels, int width, int height, std::vector<float> *channels) {
  for (int row = 0; row < kSide; ++row) {
    const int top = static_cast<int>(static_cast<int64_t>(row) * height / kSide);
    const int bottom = std::max(top + 1, static_cast<int>(static_cast<int64_t>(row + 1) * height / kSide));
    for (int column = 0; column < kSide; ++column) {
      const int left = static_cast<int>(static_cast<int64_t>(column) * width / kSide);
      const int right = std::max(left + 1, static_cast<int>(static_cast<int64_t>(column + 1) * width / kSide));
      double sums[3] = {0, 0, 0};
      for (int y = top; y < bottom; ++y) {
        const uint8_t *pixel = pixels + (static_cast<size_t>(y) * width + left) * 3;
        for (int x = left; x < right; ++x, pixel += 3)
          for (int component = 0; component < 3; ++component) sums[component] += pixel[component];
      }
      const double count = 255.0 * (bottom - top) * (right - left);
      const float red = sums[0] / count, green = sums[1] / count, blue = sums[2] / count;
      const size_t index = static_cast<size_t>(row) * kSide + column;
      channels[0][index] = (red + green + blue) / 3;
      channels[1][index] = (red - green) / 2;
      channels[2][index] = (blue - (red + green) / 2) / 2;
    }
  }
}

/// Sums of all rectangles from the upper left corner, with a row and a column of zeros.
std::vector<double> integral(const std::vector<float> &channel) {
  std::vector<double> sums(static_cast<size_t>(kSide + 1) * (kSide + 1), 0);
  for (int row = 0; row < kSide; ++row) {
    double line = 0;
    for (int column = 0; column < kSide; ++column) {
      line += channel[static_cast<size_t>(row) * kSide + column];
      sums[static_cast<size_t>(row + 1) * (kSide + 1) + column + 1] =
          sums[static_cast<size_t>(row) * (kSide + 1) + column + 1] + line;
    }
  }
  return sums;
}

/// The mean in a square around a sample, as far as it lies in the picture.
float mean(const std::vector<double> &sums, int row, int column, int radius) {
  const int top = std::max(0, row - radius), bottom = std::min(kSide, row + radius + 1);
  const int left = std::max(0, column - radius), right = std::min(kSide, column + radius + 1);
  auto at = [&](int y, int x) { return sums[static_cast<size_t>(y) * (kSide + 1) + x]; };
  return static_cast<float>((at(bottom, right) - at(top, right) - at(bottom, left) + at(top, left)) /
                            ((bottom - top) * (right - left)));
}

void normalize(std::vector<float> &map) {
  const float least = *std::min_element(map.begin(), map.end());
  const float most = *std::max_element(map.begin(), map.end());
  const float scale = most > least + 1e-6f ? 1 / (most - least) : 0;
  for (float &value : map) value = (value - least) * scale;
}

/// Differences between samples and their surroundings, at several scales.
void attention(const std::vector<float> *channels, std::vector<float> &map) {
  for (int channel = 0; channel < 3; ++channel) {
    const std::vector<double> sums = integral(channels[channel]);
    for (int centre : {1, 2, 4})
      for (int factor : {4, 8}) {
        std::vector<float> contrast(kCount);
        double sum = 0, most = 0;
        for (int row = 0; row < kSide; ++row)
          for (int column = 0; column < kSide; ++column) {
            const float difference = std::abs(mean(sums, row, column, centre) -
                                              mean(sums, row, column, centre * factor));
            contrast[static_cast<size_t>(row) * kSide + column] = difference;
            sum += difference;
            most = std::max<double>(most, difference);
          }
        // A map with one strong place says more than a map with many.
        const double average = sum / kCount, weight = (most - average) * (most - average);
        for (size_t index = 0; index < kCount; ++index)
          map[index] += static_cast<float>(contrast[index] * weight);
      }
  }
}

/// Distances between the colour of a sample and the mean colour.
void objectness(const std::vector<float> *channels, std::vector<float> &map) {
  for (int channel = 0; channel < 3; ++channel) {
    const std::vector<double> sums = integral(channels[channel]);
    const double average = sums.back() / kCount;
    for (int row = 0; row < kSide; ++row)
      for (int column = 0; column < kSide; ++column) {
        const double difference = mean(sums, row, column, 1) - average;
        map[static_cast<size_t>(row) * kSide + column] += static_cast<float>(difference * difference);
      }
  }
  for (float &value : map) value = std::sqrt(value);
}

}  // namespace

bool cvision_saliency(const uint8_t *pixels, int width, int height, bool isForObjects, int side,
                      float *result) try {
  std::vector<float> channels[3] = {std::vector<float>(kCount), std::vector<float>(kCount),
                                    std::vector<float>(kCount)};
  opponents(pixels, width, height, channels);
  std::vector<float> map(kCount, 0);
  if (isForObjects) {
    objectness(channels, map);
  } else {
    attention(channels, map);
  }
  // Smooths the map, twice with a box.
  for (int pass = 0; pass < 2; ++pass) {
    const std::vector<double> sums = integral(map);
    for (int row = 0; row < kSide; ++row)
      for (int column = 0; column < kSide; ++column)
        map[static_cast<size_t>(row) * kSide + column] = mean(sums, row, column, 3);
  }
  normalize(map);
  cvision_scale_mask(map.data(), kSide, kSide, side, side, result);
  return true;
} catch (const std::bad_alloc &) {
  return false;
}
