#include <algorithm>

#include "common/Table.hpp"
#include "gather-scatter/Indices.hpp"

using namespace ck;

namespace {

// The lesser and the greater of two values. If one is not a number, both functions return the first value.
double lesser(double a, double b) { return b < a ? b : a; }
double greater(double a, double b) { return b >= a ? b : a; }

/// Returns the coordinate of point number `index` of a grid of `count` points on an interval. The end of the interval
/// may be before its start.
double pointOf(ck_grid grid, double start, double end, int64_t index, int64_t count) {
  const double length = end - start, step = static_cast<double>(index);
  const double points = static_cast<double>(count);
  switch (grid) {
    case CK_GRID_STRICT_ENDPOINTS:
      return count == 1 ? start : start + step * length / (points - 1);
    case CK_GRID_ENDPOINTS:
      return count == 1 ? (start + end) / 2 : start + step * length / (points - 1);
    case CK_GRID_UPSAMPLE: return lesser(end, start + step * (length + 1) / points);
    case CK_GRID_REGION_OF_INTEREST:
      return lesser(end, start + (step + 0.5) * greater(1, length) / points);
    case CK_GRID_PIXEL_CENTRES:
      return lesser(end, greater(start, start + (step + 0.5) * (length + 1) / points - 0.5));
  }
  return start;
}

/// The value of `share` that marks a point outside the image, if `has_outside` is set.
constexpr float kOutside = -1;

CropRow::Tap tapOf(double point, int64_t extent, bool hasOutside) {
  const double last = static_cast<double>(extent - 1);
  if (hasOutside && (point < 0 || point > last)) return {0, 0, kOutside};
  const double inside = lesser(greater(point != point ? 0 : point, 0), last);
  const int64_t low = static_cast<int64_t>(inside);
  return {low, std::min(low + 1, extent - 1),
      static_cast<float>(inside - static_cast<double>(low))};
}

/// Computes the taps of a region: first one tap for each of its `rows`, then one for each of its `columns`.
void tapsOf(const ck_crop_resize &d, const float *box, CropRow::Tap *taps) {
  double y0 = box[d.width_first ? 1 : 0], x0 = box[d.width_first ? 0 : 1];
  double y1 = box[d.width_first ? 3 : 2], x1 = box[d.width_first ? 2 : 3];
  y0 *= d.row_scale;
  y1 *= d.row_scale;
  x0 *= d.column_scale;
  x1 *= d.column_scale;
  if (d.center_size) {
    const double height = y1, width = x1;
    y1 = y0 + height / 2;
    y0 -= height / 2;
    x1 = x0 + width / 2;
    x0 -= width / 2;
  }
  if (d.grid == CK_GRID_PIXEL_CENTRES && y0 > y1) {
    y0 = 0;
    y1 = static_cast<double>(d.height - 1);
  }
  if (d.grid == CK_GRID_PIXEL_CENTRES && x0 > x1) {
    x0 = 0;
    x1 = static_cast<double>(d.width - 1);
  }
  for (int64_t row = 0; row < d.rows; ++row)
    taps[row] = tapOf(pointOf(d.grid, y0, y1, row, d.rows), d.height, d.has_outside);
  for (int64_t column = 0; column < d.columns; ++column)
    taps[d.rows + column] =
        tapOf(pointOf(d.grid, x0, x1, column, d.columns), d.width, d.has_outside);
}

template <typename Element>
void fillOutsideOf(const ck_crop_resize &d, const CropRow::Tap *columns, float down, Element *row) {
  Element value;
  fromFloat(d.outside, value);
  for (int64_t column = 0; column < d.columns; ++column)
    if (down == kOutside || columns[column].share == kOutside)
      std::fill_n(row + column * d.channels, d.channels, value);
}

/// Replaces the interpolated values of points outside the image by the value for such points.
void fillOutside(const ck_crop_resize &d, const CropRow::Tap *columns, float down, void *row) {
  if (d.type == CK_BF16)
    fillOutsideOf(d, columns, down, static_cast<BFloat16 *>(row));
  else
    fillOutsideOf(d, columns, down, static_cast<float *>(row));
}

}  // namespace

extern "C" {

size_t ck_crop_resize_scratch_bytes(const ck_crop_resize *d) {
  return sizeof(CropRow::Tap) * static_cast<size_t>(d->regions)
      * static_cast<size_t>(d->rows + d->columns);
}

int64_t ck_crop_resize_run(
    const ck_crop_resize *description, const void *pictures, const float *boxes,
    void *destination, void *scratch) {
  const ck_crop_resize &d = *description;
  const bool names = d.numbers == 5;
  FirstPosition bad;
  CropRow::Tap *taps = static_cast<CropRow::Tap *>(scratch);
  const int64_t each = d.rows + d.columns;
  const int64_t regionsTogether = std::max<int64_t>(1, 1024 / std::max<int64_t>(1, each));
  forParts(ceilDivide(d.regions, regionsTogether), [&](int64_t part, int) {
    const int64_t end = std::min(d.regions, (part + 1) * regionsTogether);
    for (int64_t region = part * regionsTogether; region < end; ++region) {
      const float *box = boxes + region * d.numbers;
      if (names) {
        const int64_t picture = integerOf(box[0]);
        if (picture < 0 || picture >= d.batch) bad.note(region);
      }
      tapsOf(d, box + (names ? 1 : 0), taps + region * each);
    }
  });
  if (bad.result() >= 0) return bad.result();
  const int64_t batch = names ? 1 : d.batch;
  const int64_t size = static_cast<int64_t>(sizeOf(d.type));
  const int64_t rowBytes = d.width * d.channels * size;
  const int64_t outputBytes = d.columns * d.channels * size;
  const int64_t rows = d.regions * batch * d.planes * d.rows;
  const int64_t together = std::max<int64_t>(1, 8192 / std::max<int64_t>(1, d.columns * d.channels));
  const Table &kernels = table();
  forParts(ceilDivide(rows, together), [&](int64_t part, int) {
    const int64_t end = std::min(rows, (part + 1) * together);
    for (int64_t row = part * together; row < end; ++row) {
      const int64_t plane = row / d.rows % d.planes;
      const int64_t region = row / d.rows / d.planes / batch;
      const int64_t picture = names ? integerOf(boxes[region * d.numbers])
                                    : row / d.rows / d.planes % batch;
      const CropRow::Tap *own = taps + region * each;
      const CropRow::Tap down = own[row % d.rows];
      const char *from = static_cast<const char *>(pictures)
          + (picture * d.planes + plane) * d.height * rowBytes;
      char *to = static_cast<char *>(destination) + row * outputBytes;
      kernels.cropRow({from + down.low * rowBytes, from + down.high * rowBytes, to, d.type,
          d.columns, d.channels, own + d.rows, down.share});
      if (d.has_outside) fillOutside(d, own + d.rows, down.share, to);
    }
  });
  return -1;
}

}  // extern "C"
