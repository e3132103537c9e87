#include "CVision.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

struct Point {
  double x, y;
};

double cross(Point origin, Point one, Point other) {
  return (one.x - origin.x) * (other.y - origin.y) - (one.y - origin.y) * (other.x - origin.x);
}

/// The convex hull without points on its edges (Andrew's monotone chain).
std::vector<Point> hull(std::vector<Point> points) {
  std::sort(points.begin(), points.end(), [](Point one, Point other) {
    return one.x < other.x || (one.x == other.x && one.y < other.y);
  });
  points.erase(std::unique(points.begin(), points.end(),
                           [](Point one, Point other) {
                             return one.x == other.x && one.y == other.y;
                           }),
               points.end());
  if (points.size() < 3) return points;
  std::vector<Point> result(2 * points.size());
  size_t count = 0;
  auto add = [&](Point point, size_t first) {
    while (count >= first + 2 && cross(result[count - 2], result[count - 1], point) <= 0) --count;
    result[count++] = point;
  };
  for (Point point : points) add(point, 0);
  const size_t upper = count - 1;
  for (auto point = points.rbegin() + 1; point != points.rend(); ++point) add(*point, upper);
  result.resize(count - 1);
  return result;
}

struct Rectangle {
  Point corners[4];
  double width, height;
};

/// The rectangle of the smallest area around points. One of its sides lies on an edge of the convex hull.
Rectangle smallestRectangle(const std::vector<Point> &points) {
  const std::vector<Point> outline = hull(points);
  Rectangle best{};
  if (outline.empty()) return best;
  if (outline.size() == 1) {
    for (Point &corner : best.corners) corner = outline[0];
    return best;
  }
  double smallest = INFINITY;
  for (size_t index = 0; index < outline.size(); ++index) {
    const Point start = outline[index], end = outline[(index + 1) % outline.size()];
    const double length = std::hypot(end.x - start.x, end.y - start.y);
    const Point along{(end.x - start.x) / length, (end.y - start.y) / length};
    double left = INFINITY, right = -INFINITY, low = INFINITY, high = -INFINITY;
    for (Point point : outline) {
      const double u = (point.x - start.x) * along.x + (point.y - start.y) * along.y;
      const double v = (point.y - start.y) * along.x - (point.x - start.x) * along.y;
      left = std::min(left, u), right = std::max(right, u);
      low = std::min(low, v), high = std::max(high, v);
    }
    const double area = (right - left) * (high - low);
    if (!(area < smallest)) continue;
    smallest = area;
    best.width = right - left, best.height = high - low;
    const double us[4] = {left, right, right, left}, vs[4] = {low, low, high, high};
    for (int corner = 0; corner < 4; ++corner)
      best.corners[corner] = {start.x + us[corner] * along.x - vs[corner] * along.y,
                              start.y + us[corner] * along.y + vs[corner] * along.x};
  }
  return best;
}

/// The mean of a map over the pixels inside of a rectangle and on its edges, as OpenCV's `fillPoly` draws it.
float meanInside(const float *map, int width, int height, const Rectangle &rectangle) {
  double left = INFINITY, right = -INFINITY, top = INFINITY, bottom = -INFINITY;
  for (Point corner : rectangle.corners) {
    left = std::min(left, corner.x), right = std::max(right, corner.x);
    top = std::min(top, corner.y), bottom = std::max(bottom, corner.y);
  }
  auto within = [](double value, int count) {
    return static_cast<int>(std::min<double>(std::max(value, 0.0), count - 1));
  };
  const int x0 = within(std::floor(left), width), x1 = within(std::ceil(right), width);
  const int y0 = within(std::floor(top), height), y1 = within(std::ceil(bottom), height);
  const int columns = x1 - x0 + 1, rows = y1 - y0 + 1;
  std::vector<uint8_t> mask(static_cast<size_t>(columns) * rows, 0);
  Point corners[4];
  for (int index = 0; index < 4; ++index)
    corners[index] = {std::trunc(rectangle.corners[index].x - x0),
                      std::trunc(rectangle.corners[index].y - y0)};
  double area = 0;
  for (int index = 0; index < 4; ++index) {
    const Point one = corners[index], other = corners[(index + 1) % 4];
    area += one.x * other.y - one.y * other.x;
    // The edge itself.
    const int steps = static_cast<int>(std::max(std::abs(other.x - one.x), std::abs(other.y - one.y)));
    for (int step = 0; step <= steps; ++step) {
      const double part = steps ? static_cast<double>(step) / steps : 0;
      const int x = static_cast<int>(std::lround(one.x + (other.x - one.x) * part));
      const int y = static_cast<int>(std::lround(one.y + (other.y - one.y) * part));
      if (x >= 0 && y >= 0 && x < columns && y < rows) mask[static_cast<size_t>(y) * columns + x] = 1;
    }
  }
  const double sign = area < 0 ? -1 : 1;
  double sum = 0;
  long count = 0;
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; ++x) {
      bool isInside = mask[static_cast<size_t>(y) * columns + x] != 0;
      if (!isInside && area != 0) {
        isInside = true;
        for (int index = 0; index < 4 && isInside; ++index)
          isInside = sign * cross(corners[index], corners[(index + 1) % 4],
                                  {static_cast<double>(x), static_cast<double>(y)}) >= 0;
      }
      if (!isInside) continue;
      sum += map[static_cast<size_t>(y + y0) * width + x + x0];
      ++count;
    }
  }
  return count ? static_cast<float>(sum / count) : 0;
}

/// The points of a rectangle's outline that is moved outwards by a distance, with round corners, in integers as
/// Clipper's offsetting gives them.
std::vector<Point> grown(const Rectangle &rectangle, double distance) {
  Point corners[4];
  for (int index = 0; index < 4; ++index)
    corners[index] = {std::trunc(rectangle.corners[index].x), std::trunc(rectangle.corners[index].y)};
  double area = 0;
  for (int index = 0; index < 4; ++index)
    area += cross({0, 0}, corners[index], corners[(index + 1) % 4]);
  std::vector<Point> result;
  if (area == 0) return result;
  const double sign = area < 0 ? -1 : 1, full = 2 * M_PI;
  // The error of an arc is at most a quarter of a pixel.
  const double tolerance = std::min(0.25, distance * 0.25);
  const double steps = std::min(M_PI / std::acos(1 - tolerance / distance), distance * M_PI);
  Point normals[4];
  for (int index = 0; index < 4; ++index) {
    const Point one = corners[index], other = corners[(index + 1) % 4];
    const double length = std::hypot(other.x - one.x, other.y - one.y);
    normals[index] = length > 0 ? Point{sign * (other.y - one.y) / length, sign * (one.x - other.x) / length}
                                : Point{0, 0};
  }
  auto add = [&](Point corner, double angle) {
    result.push_back({std::round(corner.x + std::cos(angle) * distance),
                      std::round(corner.y + std::sin(angle) * distance)});
  };
  for (int index = 0; index < 4; ++index) {
    const Point before = normals[(index + 3) % 4], after = normals[index];
    const double first = std::atan2(before.y, before.x);
    double turn = std::atan2(after.y, after.x) - first;
    turn -= full * std::round(turn / full);
    const int count = std::max(1, static_cast<int>(std::lround(steps / full * std::abs(turn))));
    for (int step = 0; step < count; ++step)
      add(corners[index], first + (turn < 0 ? -1 : 1) * step * full / steps);
    add(corners[index], first + turn);
  }
  return result;
}

struct Borders {
  std::vector<std::vector<Point>> all;
  bool isFull = false;
};

/// No picture has more lines than this; further borders are noise.
constexpr size_t kMostBorders = 1000;

}  // namespace

void cvision_resize(const uint8_t *pixels, int width, int height, int columns, int rows,
                    uint8_t *result) {
  constexpr int kOne = 1 << 11;
  auto place = [](int index, int from, int to, int &first, int &second, int &weight) {
    const double position = (index + 0.5) * (static_cast<double>(from) / to) - 0.5;
    int whole = static_cast<int>(std::floor(position));
    double part = position - whole;
    if (whole < 0) whole = 0, part = 0;
    if (whole >= from - 1) whole = from - 1, part = 0;
    first = whole;
    second = std::min(whole + 1, from - 1);
    weight = static_cast<int>(std::lrint(static_cast<float>(part) * kOne));
  };
  std::vector<int> firsts(columns), seconds(columns), weights(columns);
  for (int column = 0; column < columns; ++column)
    place(column, width, columns, firsts[column], seconds[column], weights[column]);
  std::vector<int> lines[2] = {std::vector<int>(static_cast<size_t>(columns) * 3),
                               std::vector<int>(static_cast<size_t>(columns) * 3)};
  int held[2] = {-1, -1};
  auto line = [&](int row, int slot) {
    if (held[slot] == row) return;
    held[slot] = row;
    const uint8_t *from = pixels + static_cast<size_t>(row) * width * 3;
    int *to = lines[slot].data();
    for (int column = 0; column < columns; ++column)
      for (int component = 0; component < 3; ++component)
        *to++ = from[firsts[column] * 3 + component] * (kOne - weights[column]) +
                from[seconds[column] * 3 + component] * weights[column];
  };
  for (int row = 0; row < rows; ++row) {
    int first, second, weight;
    place(row, height, rows, first, second, weight);
    if (held[1] == first) std::swap(lines[0], lines[1]), std::swap(held[0], held[1]);
    line(first, 0);
    line(second, 1);
    const int *above = lines[0].data(), *below = lines[1].data();
    for (int index = 0; index < columns * 3; ++index)
      *result++ = static_cast<uint8_t>(
          ((((kOne - weight) * (above[index] >> 4)) >> 16) + ((weight * (below[index] >> 4)) >> 16) + 2) >> 2);
  }
}

void cvision_planes(const uint8_t *pixels, int width, int height, int stride, float *result) {
  const size_t plane = static_cast<size_t>(height) * stride;
  for (int row = 0; row < height; ++row) {
    const uint8_t *from = pixels + static_cast<size_t>(row) * width * 3;
    float *to = result + static_cast<size_t>(row) * stride;
    for (int column = 0; column < width; ++column)
      for (int component = 0; component < 3; ++component)
        to[(2 - component) * plane + column] =
            (static_cast<float>(from[3 * column + component]) / 255.0f - 0.5f) / 0.5f;
  }
}

void cvision_project(const uint8_t *pixels, int width, int height, const double *m, int columns,
                     int rows, uint8_t *result) {
  constexpr int kSteps = 32;
  float kernels[kSteps][4];
  for (int step = 0; step < kSteps; ++step) {
    const float x = static_cast<float>(step) / kSteps, a = -0.75f;
    float *kernel = kernels[step];
    kernel[0] = ((a * (x + 1) - 5 * a) * (x + 1) + 8 * a) * (x + 1) - 4 * a;
    kernel[1] = ((a + 2) * x - (a + 3)) * x * x + 1;
    kernel[2] = ((a + 2) * (1 - x) - (a + 3)) * (1 - x) * (1 - x) + 1;
    kernel[3] = 1 - kernel[0] - kernel[1] - kernel[2];
  }
  auto within = [](long value, int count) {
    return static_cast<int>(value < 0 ? 0 : value >= count ? count - 1 : value);
  };
  for (int v = 0; v < rows; ++v) {
    for (int u = 0; u < columns; ++u, result += 3) {
      const double z = m[6] * u + m[7] * v + m[8], scale = z != 0 ? kSteps / z : 0;
      auto steps = [&](double value) { return std::lrint(std::min(1e9, std::max(-1e9, value * scale))); };
      const long x = steps(m[0] * u + m[1] * v + m[2]), y = steps(m[3] * u + m[4] * v + m[5]);
      const long left = (x >> 5) - 1, top = (y >> 5) - 1;
      const float *across = kernels[x & (kSteps - 1)], *down = kernels[y & (kSteps - 1)];
      float sums[3] = {0, 0, 0};
      for (int row = 0; row < 4; ++row) {
        const uint8_t *line = pixels + static_cast<size_t>(within(top + row, height)) * width * 3;
        for (int column = 0; column < 4; ++column) {
          const float weight = down[row] * across[column];
          const uint8_t *pixel = line + static_cast<size_t>(within(left + column, width)) * 3;
          for (int component = 0; component < 3; ++component) sums[component] += weight * pixel[component];
        }
      }
      for (int component = 0; component < 3; ++component)
        result[component] =
            static_cast<uint8_t>(std::min(255L, std::max(0L, std::lrint(sums[component]))));
    }
  }
}

void cvision_largest(const float *values, long rows, long columns, int32_t *indices, float *largest) {
  for (long row = 0; row < rows; ++row, values += columns) {
    const float *found = std::max_element(values, values + columns);
    indices[row] = static_cast<int32_t>(found - values);
    largest[row] = *found;
  }
}

bool cvision_text_boxes(const float *map, int width, int height, float threshold, float least,
                        double growth, void *context,
                        void (*found)(void *context, const float *corners, float score)) try {
  std::vector<uint8_t> isText(static_cast<size_t>(width) * height);
  for (int row = 0; row < height; ++row)
    for (int column = 0; column < width; ++column) {
      bool isAny = false;
      for (int y = std::max(0, row - 1); y <= row; ++y)
        for (int x = std::max(0, column - 1); x <= column; ++x)
          isAny = isAny || map[static_cast<size_t>(y) * width + x] > threshold;
      isText[static_cast<size_t>(row) * width + column] = isAny;
    }
  Borders borders;
  const bool isDone = cvision_contours(
      isText.data(), width, height, &borders,
      [](void *context, int, const int32_t *points, long count) {
        Borders &borders = *static_cast<Borders *>(context);
        if (borders.all.size() >= kMostBorders || borders.isFull) return;
        try {
          std::vector<Point> border(count);
          for (long index = 0; index < count; ++index)
            border[index] = {static_cast<double>(points[2 * index]),
                             static_cast<double>(points[2 * index + 1])};
          borders.all.push_back(std::move(border));
        } catch (const std::bad_alloc &) {
          borders.isFull = true;
        }
      });
  if (!isDone || borders.isFull) return false;
  for (const std::vector<Point> &border : borders.all) {
    const Rectangle rectangle = smallestRectangle(border);
    if (std::min(rectangle.width, rectangle.height) < 3) continue;
    const float score = meanInside(map, width, height, rectangle);
    if (score < least) continue;
    const double distance = rectangle.width * rectangle.height * growth /
                            (2 * (rectangle.width + rectangle.height));
    const Rectangle large = smallestRectangle(grown(rectangle, distance));
    if (std::min(large.width, large.height) < 5) continue;
    float corners[8];
    for (int index = 0; index < 4; ++index) {
      corners[2 * index] = static_cast<float>(large.corners[index].x);
      corners[2 * index + 1] = static_cast<float>(large.corners[index].y);
    }
    found(context, corners, score);
  }
  return true;
} catch (const std::bad_alloc &) {
  return false;
}
