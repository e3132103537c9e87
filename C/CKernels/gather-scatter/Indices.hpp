#pragma once

#include <algorithm>
#include <atomic>

#include "Internal.hpp"

namespace ck {

/// An index as a whole number: cut off towards zero, bounded by ±2³¹; not-a-number is 0.
inline int64_t wholeNumber(float value) {
  if (value >= -0x1p31f && value <= 0x1p31f) return static_cast<int64_t>(value);
  return value != value ? 0 : value < 0 ? -(INT64_C(1) << 31) : INT64_C(1) << 31;
}

inline int64_t wholeNumber(int32_t value) { return value; }

/// The place that an index names on an axis, or -1.
template <typename Index>
inline int64_t placeOf(Index value, int64_t extent) {
  const int64_t index = wholeNumber(value);
  const int64_t place = index < 0 ? index + extent : index;
  return place >= 0 && place < extent ? place : -1;
}

/// The first of the positions that several threads note.
class FirstPosition {
 public:
  void note(int64_t position) {
    int64_t known = least.load(std::memory_order_relaxed);
    while (position < known && !least.compare_exchange_weak(known, position)) {
    }
  }
  /// -1 where nothing was noted.
  int64_t result() const {
    const int64_t position = least.load();
    return position == INT64_MAX ? -1 : position;
  }

 private:
  std::atomic<int64_t> least{INT64_MAX};
};

/// Calls `body` with the numbers as what they are, so that loops are compiled for each.
template <typename Body>
inline auto withNumbers(ck_numbers numbers, Body body) {
  if (numbers.type == CK_S32) return body(static_cast<const int32_t *>(numbers.values));
  return body(static_cast<const float *>(numbers.values));
}

/// The start of the slice that vector `position` names, or -1.
template <typename Index>
inline int64_t sliceStart(
    const ck_slices &slices, const Index *indices, int64_t position, FirstPosition &bad) {
  int64_t start = 0;
  for (int64_t axis = 0; axis < slices.depth; ++axis) {
    const int64_t at = position * slices.depth + axis;
    const int64_t place = placeOf(indices[at], slices.extents[axis]);
    if (place < 0) {
      bad.note(at);
      return -1;
    }
    start += place * slices.strides[axis];
  }
  return start;
}

}  // namespace ck
