#pragma once

#include <cstdint>

#include "ck_recurrent.h"

namespace ck {

/// The work of one call: 16 units of one step of a sequence. `before`, `after`, `cells` and `updates` are [batch,
/// stride].
struct RecurrenceStep {
  const ck_recurrence *layer;
  int64_t gates;
  /// The number of units, rounded up to whole vectors.
  int64_t stride;
  /// The projected inputs of this step, as [batch, gates, size].
  const float *projected;
  const float *before;
  float *after;
  /// For an LSTM: the cells. For a GRU: the previous outputs times the reset gate, or the reset gate alone with
  /// `resets_recursion`.
  float *cells;
  float *updates;
  int phase;
  int64_t block;
};

}  // namespace ck
