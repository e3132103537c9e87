#pragma once

#include <algorithm>
#include <atomic>

#include "ck_gather_scatter.h"
#include "common/Elements.hpp"
#include "threads/Parallel.hpp"

namespace ck {

/// Converts an index to an integer: truncates it towards zero and clamps it to ±2³¹. Not-a-number becomes 0.
inline int64_t integerOf(float value) {
  if (value >= -0x1p31f && value <= 0x1p31f) return static_cast<int64_t>(value);
  return value != value ? 0 : value < 0 ? -(INT64_C(1) << 31) : INT64_C(1) << 31;
}

inline int64_t integerOf(int32_t value) { return value; }

/// Returns the non-negative position of an index on the axis, or -1 if the index is out of range.
template <typename Index>
inline int64_t resolvedIndex(Index value, int64_t extent) {
  const int64_t index = integerOf(value);
  const int64_t resolved = index < 0 ? index + extent : index;
  return resolved >= 0 && resolved < extent ? resolved : -1;
}

/// Finds the least of the positions that several threads report.
class FirstPosition {
 public:
  void note(int64_t position) {
    int64_t known = least.load(std::memory_order_relaxed);
    while (position < known && !least.compare_exchange_weak(known, position)) {
    }
  }
  /// Returns the least reported position, or -1 if no thread reported one.
  int64_t result() const {
    const int64_t position = least.load();
    return position == INT64_MAX ? -1 : position;
  }

 private:
  std::atomic<int64_t> least{INT64_MAX};
};

/// Calls `body` with the numbers as int32 or float32, so that loops are compiled for each type.
template <typename Body>
inline auto withNumbers(ck_numbers numbers, Body body) {
  if (numbers.type == CK_S32) return body(static_cast<const int32_t *>(numbers.values));
  return body(static_cast<const float *>(numbers.values));
}

/// Returns the offset, in elements, of the slice that index vector number `position` selects. If an index is out of
/// range, reports its position to `bad` and returns -1.
template <typename Index>
inline int64_t sliceStart(
    const ck_slices &slices, const Index *indices, int64_t position, FirstPosition &bad) {
  int64_t start = 0;
  for (int64_t axis = 0; axis < slices.depth; ++axis) {
    const int64_t at = position * slices.depth + axis;
    const int64_t resolved = resolvedIndex(indices[at], slices.extents[axis]);
    if (resolved < 0) {
      bad.note(at);
      return -1;
    }
    start += resolved * slices.strides[axis];
  }
  return start;
}

}  // namespace ck
