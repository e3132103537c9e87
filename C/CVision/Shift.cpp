#include "CVision.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

struct Level {
  int width, height;
  std::vector<float> luma;
};

struct Candidate {
  int x, y;
  double score;
};

/// Halves a picture by means of 2 × 2 samples.
Level halved(const Level &level) {
  Level half{level.width / 2, level.height / 2, {}};
  half.luma.resize(static_cast<size_t>(half.width) * half.height);
  for (int row = 0; row < half.height; ++row)
    for (int column = 0; column < half.width; ++column) {
      const float *from = level.luma.data() + static_cast<size_t>(2 * row) * level.width + 2 * column;
      half.luma[static_cast<size_t>(row) * half.width + column] =
          (from[0] + from[1] + from[level.width] + from[level.width + 1]) / 4;
    }
  return half;
}

/// The correlation of `one` at p with `other` at p + (x, y), over the common part; -2 if this part is too small.
double correlation(const Level &one, const Level &other, int x, int y) {
  const int left = std::max(0, -x), right = std::min(one.width, other.width - x);
  const int top = std::max(0, -y), bottom = std::min(one.height, other.height - y);
  const double area = static_cast<double>(right - left) * (bottom - top);
  if (right <= left || bottom <= top || area * 4 < static_cast<double>(one.width) * one.height) return -2;
  double a = 0, b = 0, aa = 0, bb = 0, ab = 0;
  for (int row = top; row < bottom; ++row) {
    const float *from = one.luma.data() + static_cast<size_t>(row) * one.width;
    const float *to = other.luma.data() + static_cast<size_t>(row + y) * other.width + x;
    float lineA = 0, lineB = 0, lineAA = 0, lineBB = 0, lineAB = 0;
    for (int column = left; column < right; ++column) {
      const float u = from[column], v = to[column];
      lineA += u, lineB += v, lineAA += u * u, lineBB += v * v, lineAB += u * v;
    }
    a += lineA, b += lineB, aa += lineAA, bb += lineBB, ab += lineAB;
  }
  const double varianceA = aa - a * a / area, varianceB = bb - b * b / area;
  if (varianceA < 1e-6 || varianceB < 1e-6) return x == 0 && y == 0 ? 0 : -1;
  return (ab - a * b / area) / std::sqrt(varianceA * varianceB);
}

}  // namespace

double cvision_shift(const float *from, const float *to, int width, int height, double *x, double *y) try {
  std::vector<Level> one, other;
  const size_t count = static_cast<size_t>(width) * height;
  one.push_back({width, height, std::vector<float>(from, from + count)});
  other.push_back({width, height, std::vector<float>(to, to + count)});
  while (std::min(one.back().width, one.back().height) > 32) {
    one.push_back(halved(one.back()));
    other.push_back(halved(other.back()));
  }
  // All shifts of the smallest pictures.
  std::vector<Candidate> candidates;
  const int wide = one.back().width / 2 + 1, high = one.back().height / 2 + 1;
  for (int v = -high; v <= high; ++v)
    for (int u = -wide; u <= wide; ++u)
      candidates.push_back({u, v, correlation(one.back(), other.back(), u, v)});
  for (size_t level = one.size(); level-- > 0;) {
    std::sort(candidates.begin(), candidates.end(),
              [](const Candidate &a, const Candidate &b) { return a.score > b.score; });
    // Fewer candidates remain as pictures grow.
    candidates.resize(std::min<size_t>(candidates.size(), level + 1 == one.size() ? 8 : 3));
    if (level == 0) break;
    std::vector<Candidate> finer;
    for (const Candidate &candidate : candidates) {
      for (int v = -1; v <= 1; ++v)
        for (int u = -1; u <= 1; ++u) {
          const int nextX = 2 * candidate.x + u, nextY = 2 * candidate.y + v;
          const bool isKnown = std::any_of(finer.begin(), finer.end(), [&](const Candidate &known) {
            return known.x == nextX && known.y == nextY;
          });
          if (isKnown) continue;
          finer.push_back({nextX, nextY, correlation(one[level - 1], other[level - 1], nextX, nextY)});
        }
    }
    candidates = finer;
  }
  const Candidate best = candidates.front();
  auto score = [&](int u, int v) { return correlation(one[0], other[0], best.x + u, best.y + v); };
  // The top of the quadratic surface through the values around the best shift.
  const double left = score(-1, 0), right = score(1, 0), above = score(0, -1), below = score(0, 1);
  const double slopeX = (right - left) / 2, slopeY = (below - above) / 2;
  const double bendX = left - 2 * best.score + right, bendY = above - 2 * best.score + below;
  const double twist = (score(1, 1) - score(1, -1) - score(-1, 1) + score(-1, -1)) / 4;
  const double determinant = bendX * bendY - twist * twist;
  double moveX = 0, moveY = 0;
  if (bendX < 0 && bendY < 0 && determinant > 1e-15) {
    moveX = (twist * slopeY - bendY * slopeX) / determinant;
    moveY = (twist * slopeX - bendX * slopeY) / determinant;
  }
  auto limited = [](double value) { return std::min(1.0, std::max(-1.0, value)); };
  *x = best.x + limited(moveX);
  *y = best.y + limited(moveY);
  return best.score;
} catch (const std::bad_alloc &) {
  return -3;
}
