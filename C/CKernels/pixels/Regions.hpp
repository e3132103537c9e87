#pragma once

#include <cstdint>

#include "ck_pixels.h"

namespace ck {

/// destination = Σ sources. All tensors have one type.
struct SumRange {
  const void *const *sources;
  int64_t sourceCount;
  void *destination;
  ck_type type;
  int64_t count;
};

/// One row of interpolated pixels.
struct CropRow {
  /// The two source columns from which a column of the result is interpolated, and the share of the second in the
  /// result.
  struct Tap {
    int64_t low, high;
    float share;
  };
  const void *upper, *lower;
  void *destination;
  ck_type type;
  int64_t columns, channels;
  const Tap *taps;
  /// The share of the row `lower` in the result.
  float share;
};

/// The edges, areas and best classes of the selected boxes, with one array for each property. A further box (`Box`) is
/// compared with these boxes.
struct SelectedBoxes {
  const double *left, *right, *top, *bottom, *area;
  const int32_t *best;
  int64_t count;
};
struct Box {
  double left, right, top, bottom, area;
  int32_t best;
};

}  // namespace ck
