#pragma once

#include <algorithm>

#include "Internal.hpp"

namespace ck {

/// Rows of a picture in a thread's own memory, as an instance norm leaves them or as they are, in the type that they
/// are multiplied in: for kernels that read pixels themselves, many times each.
class PreparedRows {
 public:
  /// The memory that so many rows take.
  static size_t bytes(const ck_convolution &description, ck_type type, int64_t rows);

  /// Dense rows of a type in memory.
  PreparedRows(
      const ck_convolution &description, ck_type type, const Table &table, void *memory);

  /// Reads the rows from `first` up to `end` that the picture has.
  ///
  /// - Returns: where row 0 would begin.
  const void *read(const void *picture, Reading reading, int64_t first, int64_t end) const;

 private:
  const ck_convolution &description;
  const ck_type type;
  const Table &table;
  char *const memory;
};

/// The rows of a picture that some rows of a phase see: from `first` up to `end`, inside of the picture or not.
struct SeenRows {
  int64_t first, end;

  SeenRows(const ConvolutionPhase &phase, int64_t firstRow, int64_t endRow)
      : first(0), end(0) {
    if (phase.tapsY.empty() || firstRow >= endRow) return;
    first = firstRow * phase.stepY + phase.tapsY.front().offset;
    end = (endRow - 1) * phase.stepY + phase.tapsY.back().offset + 1;
  }

  void add(const SeenRows &other) {
    if (other.first >= other.end) return;
    first = first < end ? std::min(first, other.first) : other.first;
    end = std::max(end, other.end);
  }
};

}  // namespace ck
