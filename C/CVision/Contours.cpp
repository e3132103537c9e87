#include "CVision.h"

#include <cstdlib>
#include <vector>

// Border following by Suzuki and Abe, “Topological structural analysis of digitized binary images by border following”,
// CVGIP 30 (1985), algorithm 1. The names f, NBD and LNBD are from the paper.

namespace {

/// The eight neighbours, clockwise from the right, as row and column.
constexpr int kRows[8] = {0, 1, 1, 1, 0, -1, -1, -1};
constexpr int kColumns[8] = {1, 1, 0, -1, -1, -1, 0, 1};

int direction(int row, int column) {
  for (int index = 0; index < 8; ++index)
    if (kRows[index] == row && kColumns[index] == column) return index;
  return 0;
}

struct Border {
  bool isHole;
  int parent;
};

}  // namespace

bool cvision_contours(const uint8_t *binary, int width, int height, void *context,
                      void (*found)(void *context, int parent, const int32_t *points,
                                    long count)) try {
  // The picture with a frame of zeros, so that every pixel has eight neighbours.
  const int stride = width + 2;
  std::vector<int32_t> f(static_cast<size_t>(stride) * (height + 2), 0);
  for (int row = 0; row < height; ++row)
    for (int column = 0; column < width; ++column)
      f[static_cast<size_t>(row + 1) * stride + column + 1] =
          binary[static_cast<size_t>(row) * width + column] != 0;
  auto at = [&](int row, int column) -> int32_t & {
    return f[static_cast<size_t>(row) * stride + column];
  };
  // Border 1 is the frame, which counts as a hole.
  std::vector<Border> borders = {{true, 0}, {true, 0}};
  std::vector<int32_t> points;
  for (int row = 1; row <= height; ++row) {
    int last = 1;
    for (int column = 1; column <= width; ++column) {
      const int32_t value = at(row, column);
      if (value == 0) continue;
      const bool isOuter = value == 1 && at(row, column - 1) == 0;
      const bool isHole = !isOuter && value >= 1 && at(row, column + 1) == 0;
      if (isOuter || isHole) {
        if (isHole && value > 1) last = value;
        const int number = static_cast<int>(borders.size());
        const Border &before = borders[last];
        borders.push_back({isHole, before.isHole == isHole ? before.parent : last});
        points.clear();
        // Looks clockwise for the first pixel of the border after the empty neighbour.
        const int start = isOuter ? 4 : 0;
        int first = -1;
        for (int step = 0; step < 8; ++step) {
          const int index = (start + step) & 7;
          if (at(row + kRows[index], column + kColumns[index]) != 0) {
            first = index;
            break;
          }
        }
        if (first < 0) {
          at(row, column) = -number;
          points = {column - 1, row - 1};
        } else {
          const int row1 = row + kRows[first], column1 = column + kColumns[first];
          int row2 = row1, column2 = column1, row3 = row, column3 = column;
          for (;;) {
            points.push_back(column3 - 1);
            points.push_back(row3 - 1);
            // Looks counter-clockwise for the next pixel. Starts at the neighbour after the last pixel.
            const int begin = direction(row2 - row3, column2 - column3);
            bool passesRight = false;
            int next = begin;
            for (int step = 1; step <= 8; ++step) {
              next = (begin - step) & 7;
              if (at(row3 + kRows[next], column3 + kColumns[next]) != 0) break;
              passesRight = passesRight || next == 0;
            }
            int32_t &pixel = at(row3, column3);
            if (passesRight) {
              pixel = -number;
            } else if (pixel == 1) {
              pixel = number;
            }
            const int row4 = row3 + kRows[next], column4 = column3 + kColumns[next];
            if (row4 == row && column4 == column && row3 == row1 && column3 == column1) break;
            row2 = row3;
            column2 = column3;
            row3 = row4;
            column3 = column4;
          }
        }
        found(context, borders[number].parent - 2, points.data(),
              static_cast<long>(points.size() / 2));
      }
      if (at(row, column) != 1) last = std::abs(at(row, column));
    }
  }
  return true;
} catch (...) {
  return false;
}
