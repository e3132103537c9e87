#include "CVision.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

struct Point {
  double x, y;
};

int clamped(int value, int count) { return value < 0 ? 0 : value >= count ? count - 1 : value; }

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

/// A rectangle by its centre and sides, in float32 as OpenCV stores it.
struct RotatedBox {
  float x, y, width, height;
  /// Degrees, from -90 up to, and without, 0.
  float angle;
};

/// The corners of a box. As in OpenCV, the angle's sine and cosine are rounded to float32.
Rectangle rectangle(const RotatedBox &box) {
  const double radians = box.angle * M_PI / 180;
  const float cosine = static_cast<float>(std::cos(radians)) * 0.5f;
  const float sine = static_cast<float>(std::sin(radians)) * 0.5f;
  const float x0 = box.x - sine * box.height - cosine * box.width;
  const float y0 = box.y + cosine * box.height - sine * box.width;
  const float x1 = box.x + sine * box.height - cosine * box.width;
  const float y1 = box.y - cosine * box.height - sine * box.width;
  return {{{x0, y0}, {x1, y1}, {2 * box.x - x0, 2 * box.y - y0}, {2 * box.x - x1, 2 * box.y - y1}},
          box.width,
          box.height};
}

/// The rectangle of the smallest area around points. One of its sides lies on an edge of the convex hull.
///
/// Computes in float32 and in OpenCV's order: RapidOCR truncates the corners to integers, so that a corner at 16.999998
/// and one at 17 give different lines. The result depends on the corner of the convex hull at which the search begins:
/// `start`, or the corner after `start` if `isAfter`.
///
/// **Source:** Toussaint, “Solving geometric problems with the rotating calipers”, MELECON 1983.
Rectangle smallestRectangle(const std::vector<Point> &points, Point start, bool isAfter) {
  std::vector<Point> outline = hull(points);
  auto first = std::find_if(outline.begin(), outline.end(),
                            [&](Point point) { return point.x == start.x && point.y == start.y; });
  if (first != outline.end()) std::rotate(outline.begin(), first + (isAfter ? 1 : 0), outline.end());
  const size_t count = outline.size();
  if (count == 0) return {};
  RotatedBox box{};
  if (count < 3) {
    const Point start = outline[0], end = outline[count - 1];
    box.x = (static_cast<float>(start.x) + static_cast<float>(end.x)) * 0.5f;
    box.y = (static_cast<float>(start.y) + static_cast<float>(end.y)) * 0.5f;
    box.width = static_cast<float>(std::hypot(end.x - start.x, end.y - start.y));
    box.angle = static_cast<float>(std::atan2(end.y - start.y, end.x - start.x) * 180 / M_PI);
    return rectangle(box);
  }
  struct Edge {
    float x, y, reciprocal;
  };
  std::vector<Edge> edges(count);
  // The corners that touch the four sides: the lowest y, the largest x, the largest y and the lowest x.
  size_t touching[4] = {0, 0, 0, 0};
  for (size_t index = 0; index < count; ++index) {
    const Point here = outline[index], next = outline[(index + 1) % count];
    const double x = next.x - here.x, y = next.y - here.y;
    edges[index] = {static_cast<float>(x), static_cast<float>(y),
                    static_cast<float>(1 / std::sqrt(x * x + y * y))};
    if (here.y < outline[touching[0]].y) touching[0] = index;
    if (here.x > outline[touching[1]].x) touching[1] = index;
    if (here.y > outline[touching[2]].y) touching[2] = index;
    if (here.x < outline[touching[3]].x) touching[3] = index;
  }
  auto difference = [&](size_t to, size_t from) -> Edge {
    return {static_cast<float>(outline[to].x) - static_cast<float>(outline[from].x),
            static_cast<float>(outline[to].y) - static_cast<float>(outline[from].y), 0};
  };
  // The direction (a, b) of the first side, and the best rectangle so far.
  float a = 1, b = 0, smallest = INFINITY, bestA = 1, bestB = 0, width = 0, height = 0;
  size_t left = 0, low = 0;
  for (size_t step = 0; step < count; ++step) {
    // Turns the rectangle by the smallest of the angles between its sides and the edges after the corners.
    const Edge *edge[4];
    for (int side = 0; side < 4; ++side) edge[side] = &edges[touching[side]];
    const float cosines[4] = {(a * edge[0]->x + b * edge[0]->y) * edge[0]->reciprocal,
                              (-b * edge[1]->x + a * edge[1]->y) * edge[1]->reciprocal,
                              (-a * edge[2]->x - b * edge[2]->y) * edge[2]->reciprocal,
                              (b * edge[3]->x - a * edge[3]->y) * edge[3]->reciprocal};
    const int side = static_cast<int>(std::max_element(cosines, cosines + 4) - cosines);
    const float x = edge[side]->x * edge[side]->reciprocal, y = edge[side]->y * edge[side]->reciprocal;
    const float as[4] = {x, y, -x, -y}, bs[4] = {y, -x, -y, x};
    a = as[side], b = bs[side];
    touching[side] = (touching[side] + 1) % count;
    const Edge across = difference(touching[1], touching[3]), up = difference(touching[2], touching[0]);
    const float w = across.x * a + across.y * b, h = -up.x * b + up.y * a;
    if (w * h > smallest) continue;
    smallest = w * h;
    bestA = a, bestB = b, width = w, height = h;
    left = touching[3], low = touching[0];
  }
  // The corner in which the sides through the points `left` and `low` meet.
  const float one = bestA * static_cast<float>(outline[left].x) + static_cast<float>(outline[left].y) * bestB;
  const float other = -bestB * static_cast<float>(outline[low].x) + static_cast<float>(outline[low].y) * bestA;
  const float reciprocal = 1.0f / (bestA * bestA + bestB * bestB);
  const float x = (one * bestA - other * bestB) * reciprocal, y = (bestA * other + bestB * one) * reciprocal;
  const float alongX = bestA * width, alongY = bestB * width;
  const float upX = -bestB * height, upY = bestA * height;
  box.x = x + (alongX + upX) * 0.5f;
  box.y = y + (alongY + upY) * 0.5f;
  box.width = static_cast<float>(std::sqrt(static_cast<double>(alongX) * alongX + static_cast<double>(alongY) * alongY));
  box.height = static_cast<float>(std::sqrt(static_cast<double>(upX) * upX + static_cast<double>(upY) * upY));
  const double turn = std::atan2(static_cast<double>(alongY), static_cast<double>(alongX));
  if (alongX <= 0) {
    box.angle = -90;
  } else {
    std::swap(box.width, box.height);
    box.angle = static_cast<float>(static_cast<float>(turn - M_PI / 2) * 180 / M_PI);
  }
  return rectangle(box);
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
  // OpenCV halves a picture by means of four pixels.
  if (width == 2 * columns && height == 2 * rows) {
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column)
        for (int component = 0; component < 3; ++component) {
          const uint8_t *from = pixels + (static_cast<size_t>(2 * row) * width + 2 * column) * 3 + component;
          const uint8_t *below = from + static_cast<size_t>(width) * 3;
          *result++ = static_cast<uint8_t>((from[0] + from[3] + below[0] + below[3] + 2) >> 2);
        }
    return;
  }
  constexpr int kOne = 1 << 11;
  /// The pixels before and after a position, and their weights. The position is a float32, as in OpenCV.
  struct Place {
    int first, second, weights[2];
  };
  auto place = [](int index, int from, int to, bool isColumn) -> Place {
    const double scale = 1 / (static_cast<double>(to) / from);
    const float position = static_cast<float>((index + 0.5) * scale - 0.5);
    int first = static_cast<int>(std::floor(position));
    float part = position - first;
    if (isColumn && first < 0) first = 0, part = 0;
    if (isColumn && first >= from - 1) first = from - 1, part = 0;
    return {clamped(first, from), clamped(first + 1, from),
            {static_cast<int>(std::lrint((1 - part) * kOne)), static_cast<int>(std::lrint(part * kOne))}};
  };
  std::vector<Place> across(columns);
  for (int column = 0; column < columns; ++column) across[column] = place(column, width, columns, true);
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
        *to++ = from[across[column].first * 3 + component] * across[column].weights[0] +
                from[across[column].second * 3 + component] * across[column].weights[1];
  };
  for (int row = 0; row < rows; ++row) {
    const Place down = place(row, height, rows, false);
    if (held[1] == down.first) std::swap(lines[0], lines[1]), std::swap(held[0], held[1]);
    line(down.first, 0);
    line(down.second, 1);
    const int *above = lines[0].data(), *below = lines[1].data();
    for (int index = 0; index < columns * 3; ++index)
      *result++ = static_cast<uint8_t>(
          (((down.weights[0] * (above[index] >> 4)) >> 16) + ((down.weights[1] * (below[index] >> 4)) >> 16) + 2) >> 2);
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
  // The four weights of a cubic convolution (Keys, 1981) with a = -0.75, as in OpenCV.
  auto weigh = [](float x, float *kernel) {
    const float a = -0.75f;
    kernel[0] = ((a * (x + 1) - 5 * a) * (x + 1) + 8 * a) * (x + 1) - 4 * a;
    kernel[1] = ((a + 2) * x - (a + 3)) * x * x + 1;
    kernel[2] = ((a + 2) * (1 - x) - (a + 3)) * (1 - x) * (1 - x) + 1;
    kernel[3] = 1 - kernel[0] - kernel[1] - kernel[2];
  };
  // Far outside, every pixel equals one at the edge.
  auto limited = [](double value) { return std::min(1e6, std::max(-1e6, value)); };
  for (int v = 0; v < rows; ++v) {
    for (int u = 0; u < columns; ++u, result += 3) {
      const double z = m[6] * u + m[7] * v + m[8], scale = z != 0 ? 1 / z : 0;
      const double x = limited((m[0] * u + m[1] * v + m[2]) * scale);
      const double y = limited((m[3] * u + m[4] * v + m[5]) * scale);
      const double left = std::floor(x), top = std::floor(y);
      float across[4], down[4];
      weigh(static_cast<float>(x - left), across);
      weigh(static_cast<float>(y - top), down);
      float sums[3] = {0, 0, 0};
      for (int row = 0; row < 4; ++row) {
        const uint8_t *line =
            pixels + static_cast<size_t>(clamped(static_cast<int>(top) - 1 + row, height)) * width * 3;
        for (int column = 0; column < 4; ++column) {
          const float weight = down[row] * across[column];
          const uint8_t *pixel = line + static_cast<size_t>(clamped(static_cast<int>(left) - 1 + column, width)) * 3;
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
    // Outer borders run counter-clockwise from their uppermost pixel, and borders of holes clockwise.
    double turn = 0;
    for (size_t index = 0; index < border.size(); ++index)
      turn += cross({0, 0}, border[index], border[(index + 1) % border.size()]);
    const Rectangle rectangle = smallestRectangle(border, border[0], turn < 0);
    if (std::min(rectangle.width, rectangle.height) < 3) continue;
    const float score = meanInside(map, width, height, rectangle);
    if (score < least) continue;
    double area = 0, length = 0;
    for (int index = 0; index < 4; ++index) {
      const Point one = rectangle.corners[index], other = rectangle.corners[(index + 1) % 4];
      area += one.x * other.y - other.x * one.y;
      length += std::hypot(other.x - one.x, other.y - one.y);
    }
    const double distance = std::abs(area) / 2 * growth / length;
    const std::vector<Point> outline = grown(rectangle, distance);
    if (outline.empty()) continue;
    // Clipper's outlines end at the uppermost point.
    const Point top = *std::min_element(outline.begin(), outline.end(), [](Point one, Point other) {
      return one.y < other.y || (one.y == other.y && one.x > other.x);
    });
    const Rectangle large = smallestRectangle(outline, top, true);
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
