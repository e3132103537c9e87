#include <algorithm>
#include <cstdlib>
#include <limits>

#include "common/Table.hpp"

using namespace ck;

namespace {

struct Axis {
  int64_t size, source, destination;
};

/// Copies `count` elements of one size. Source and destination have constant strides.
template <typename Element>
void moveRun(const char *source, int64_t from, char *destination, int64_t to, int64_t count) {
  const Element *a = reinterpret_cast<const Element *>(source);
  Element *b = reinterpret_cast<Element *>(destination);
  if (from == 1 && to == 1) {
    std::memcpy(b, a, sizeof(Element) * static_cast<size_t>(count));
  } else if (from == 0 && to == 1) {
    std::fill(b, b + count, *a);
  } else {
    for (int64_t i = 0; i < count; ++i) b[i * to] = a[i * from];
  }
}

template <typename Element>
void assign(Element from, Element &to) { to = from; }
inline void assign(float from, BFloat16 &to) { fromFloat(from, to); }
inline void assign(BFloat16 from, float &to) { to = toFloat(from); }

/// Copies a rectangle in square blocks, so that source and destination stay in the cache.
template <typename From, typename To>
void moveBlocks(const char *source, char *destination, const Axis &rows, const Axis &columns) {
  const From *a = reinterpret_cast<const From *>(source);
  To *b = reinterpret_cast<To *>(destination);
  constexpr int64_t square = 16;
  for (int64_t r = 0; r < rows.size; r += square)
    for (int64_t c = 0; c < columns.size; c += square) {
      const int64_t lastRow = std::min(r + square, rows.size);
      const int64_t lastColumn = std::min(c + square, columns.size);
      for (int64_t i = r; i < lastRow; ++i)
        for (int64_t j = c; j < lastColumn; ++j)
          assign(a[i * rows.source + j * columns.source],
              b[i * rows.destination + j * columns.destination]);
    }
}

double read(const char *at, ck_type type) {
  switch (type) {
    case CK_F32: return *reinterpret_cast<const float *>(at);
    case CK_BF16: return toFloat(*reinterpret_cast<const BFloat16 *>(at));
    case CK_F16: return toFloat(*reinterpret_cast<const Half *>(at));
    case CK_S32: return *reinterpret_cast<const int32_t *>(at);
    case CK_S8: return *reinterpret_cast<const int8_t *>(at);
    case CK_U8: return *reinterpret_cast<const uint8_t *>(at);
    case CK_F64: return *reinterpret_cast<const double *>(at);
    case CK_S64: return static_cast<double>(*reinterpret_cast<const int64_t *>(at));
  }
  return 0;
}

/// Rounds to nearest, ties to even, and clamps to the range of the type. Not-a-number becomes 0.
template <typename Integer>
Integer clamped(double value) {
  if (value != value) return 0;
  const double low = static_cast<double>(std::numeric_limits<Integer>::min());
  const double high = static_cast<double>(std::numeric_limits<Integer>::max());
  const double rounded = std::nearbyint(value);
  if (rounded <= low) return std::numeric_limits<Integer>::min();
  if (rounded >= high) return std::numeric_limits<Integer>::max();
  return static_cast<Integer>(rounded);
}

void write(double value, char *at, ck_type type) {
  switch (type) {
    case CK_F32: *reinterpret_cast<float *>(at) = static_cast<float>(value); break;
    case CK_BF16: fromFloat(static_cast<float>(value), *reinterpret_cast<BFloat16 *>(at)); break;
    case CK_F16: fromFloat(static_cast<float>(value), *reinterpret_cast<Half *>(at)); break;
    case CK_S32: *reinterpret_cast<int32_t *>(at) = clamped<int32_t>(value); break;
    case CK_S8: *reinterpret_cast<int8_t *>(at) = clamped<int8_t>(value); break;
    case CK_U8: *reinterpret_cast<uint8_t *>(at) = clamped<uint8_t>(value); break;
    case CK_F64: *reinterpret_cast<double *>(at) = value; break;
    case CK_S64: *reinterpret_cast<int64_t *>(at) = clamped<int64_t>(value); break;
  }
}

bool isFloat(ck_type type) { return type == CK_F32 || type == CK_BF16 || type == CK_F16; }

/// Converts between types. Float types are converted through float32 in short blocks, other types one value at a time.
void convertRun(
    const Table &kernels, const char *source, ck_type from, int64_t fromStride, char *destination,
    ck_type to, int64_t toStride, int64_t count) {
  const int64_t a = static_cast<int64_t>(sizeOf(from)), b = static_cast<int64_t>(sizeOf(to));
  if (isFloat(from) && isFloat(to)) {
    if (fromStride == 1 && toStride == 1)
      return kernels.convertRun(source, from, destination, to, count);
    alignas(64) char gathered[256 * 4], converted[256 * 4];
    for (int64_t i = 0; i < count; i += 256) {
      const int64_t some = std::min<int64_t>(256, count - i);
      for (int64_t j = 0; j < some; ++j)
        std::memcpy(gathered + j * a, source + (i + j) * fromStride * a, static_cast<size_t>(a));
      kernels.convertRun(gathered, from, converted, to, some);
      for (int64_t j = 0; j < some; ++j)
        std::memcpy(destination + (i + j) * toStride * b, converted + j * b, static_cast<size_t>(b));
    }
    return;
  }
  if (from == CK_F64 && to == CK_F32) {
    const double *a64 = reinterpret_cast<const double *>(source);
    float *b32 = reinterpret_cast<float *>(destination);
    for (int64_t i = 0; i < count; ++i)
      b32[i * toStride] = static_cast<float>(a64[i * fromStride]);
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    write(read(source + i * fromStride * a, from), destination + i * toStride * b, to);
}

}  // namespace

extern "C" int32_t ck_copy(
    int32_t rank, const int64_t *shape, const void *source, ck_type sourceType,
    const int64_t *sourceStrides, void *destination, ck_type destinationType,
    const int64_t *destinationStrides) {
  const int64_t sourceSize = static_cast<int64_t>(sizeOf(sourceType));
  const int64_t destinationSize = static_cast<int64_t>(sizeOf(destinationType));
  if (rank < 0 || rank > 8 || sourceSize == 0 || destinationSize == 0) return -1;
  Axis axes[8];
  int count = 0;
  for (int32_t axis = 0; axis < rank; ++axis) {
    if (shape[axis] <= 0) return 0;
    if (shape[axis] > 1) axes[count++] = {shape[axis], sourceStrides[axis], destinationStrides[axis]};
  }
  // Sorts the axes by the destination's strides, the longest first, so that writes are sequential. Then merges axes
  // that are contiguous in both arrays.
  for (int axis = 1; axis < count; ++axis)
    for (int at = axis; at > 0; --at) {
      if (std::abs(axes[at - 1].destination) >= std::abs(axes[at].destination)) break;
      std::swap(axes[at - 1], axes[at]);
    }
  int joined = 0;
  for (int axis = 0; axis < count; ++axis) {
    if (joined > 0 && axes[joined - 1].source == axes[axis].source * axes[axis].size
        && axes[joined - 1].destination == axes[axis].destination * axes[axis].size) {
      axes[joined - 1] = {axes[joined - 1].size * axes[axis].size, axes[axis].source,
          axes[axis].destination};
    } else {
      axes[joined++] = axes[axis];
    }
  }
  if (joined == 0) axes[joined++] = {1, 1, 1};
  const bool sameType = sourceType == destinationType;
  const bool narrows = sourceType == CK_F32 && destinationType == CK_BF16;
  const bool widens = sourceType == CK_BF16 && destinationType == CK_F32;
  const Table &kernels = table();

  // Divides a long contiguous run into rows, so that threads can share it.
  constexpr int64_t longRun = 32768;
  if (joined == 1 && axes[0].size > longRun) {
    const int64_t divided = axes[0].size / longRun * longRun, rest = axes[0].size - divided;
    const Axis last = axes[0];
    if (rest > 0) {
      const int64_t shapeRest[1] = {rest}, from[1] = {last.source}, to[1] = {last.destination};
      ck_copy(1, shapeRest, static_cast<const char *>(source) + divided * last.source * sourceSize,
          sourceType, from, static_cast<char *>(destination) + divided * last.destination * destinationSize,
          destinationType, to);
    }
    axes[0] = {divided / longRun, last.source * longRun, last.destination * longRun};
    axes[1] = {longRun, last.source, last.destination};
    joined = 2;
  }

  const Axis inner = axes[joined - 1];
  // Handles a transposition, in which the source is contiguous along an axis other than the innermost. Makes that axis
  // the second innermost.
  bool isTransposed = false;
  if ((sameType || narrows || widens) && joined > 1 && inner.source != 1 && inner.source != 0) {
    int fast = -1;
    for (int axis = 0; axis < joined - 1; ++axis)
      if (axes[axis].source == 1) fast = axis;
    if (fast >= 0) {
      const Axis moved = axes[fast];
      for (int axis = fast; axis < joined - 2; ++axis) axes[axis] = axes[axis + 1];
      // Divides a long contiguous axis into strips, which threads share.
      constexpr int64_t strip = 64;
      if (moved.size > 2 * strip && moved.size % strip == 0 && joined < 8) {
        axes[joined] = inner;
        axes[joined - 1] = {strip, moved.source, moved.destination};
        axes[joined - 2] = {moved.size / strip, moved.source * strip, moved.destination * strip};
        ++joined;
      } else {
        axes[joined - 2] = moved;
      }
      isTransposed = true;
    }
  }
  const int outerAxes = isTransposed ? joined - 2 : joined - 1;
  int64_t units = 1;
  for (int axis = 0; axis < outerAxes; ++axis) units *= axes[axis].size;
  int64_t unitSize = axes[joined - 1].size;
  if (isTransposed) unitSize *= axes[joined - 2].size;
  const int64_t together = std::max<int64_t>(1, 16384 / unitSize);
  forParts(ceilDivide(units, together), [&](int64_t part, int) {
    const int64_t end = std::min(units, (part + 1) * together);
    for (int64_t unit = part * together; unit < end; ++unit) {
      int64_t index = unit, from = 0, to = 0;
      for (int axis = outerAxes - 1; axis >= 0; --axis) {
        from += index % axes[axis].size * axes[axis].source;
        to += index % axes[axis].size * axes[axis].destination;
        index /= axes[axis].size;
      }
      const char *a = static_cast<const char *>(source) + from * sourceSize;
      char *b = static_cast<char *>(destination) + to * destinationSize;
      const Axis &run = axes[joined - 1];
      if (isTransposed && narrows) {
        moveBlocks<float, BFloat16>(a, b, axes[joined - 2], run);
      } else if (isTransposed && widens) {
        moveBlocks<BFloat16, float>(a, b, axes[joined - 2], run);
      } else if (!sameType) {
        convertRun(kernels, a, sourceType, run.source, b, destinationType, run.destination, run.size);
      } else if (isTransposed) {
        const Axis &rows = axes[joined - 2];
        switch (sourceSize) {
          case 1: moveBlocks<uint8_t, uint8_t>(a, b, rows, run); break;
          case 2: moveBlocks<uint16_t, uint16_t>(a, b, rows, run); break;
          case 4: moveBlocks<uint32_t, uint32_t>(a, b, rows, run); break;
          default: moveBlocks<uint64_t, uint64_t>(a, b, rows, run); break;
        }
      } else {
        switch (sourceSize) {
          case 1: moveRun<uint8_t>(a, run.source, b, run.destination, run.size); break;
          case 2: moveRun<uint16_t>(a, run.source, b, run.destination, run.size); break;
          case 4: moveRun<uint32_t>(a, run.source, b, run.destination, run.size); break;
          default: moveRun<uint64_t>(a, run.source, b, run.destination, run.size); break;
        }
      }
    }
  });
  return 0;
}
