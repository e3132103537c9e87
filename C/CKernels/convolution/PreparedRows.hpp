#pragma once

#include <algorithm>

#include "common/Table.hpp"

namespace ck {

/// Copies of an image's rows in a thread's own memory, for kernels that read every pixel many times. The copies have
/// the type of the multiply-adds. If the convolution reads through an instance norm, the norm is already applied.
class PreparedRows {
 public:
  /// Returns the bytes of memory for `rows` rows.
  static size_t bytes(const ck_convolution &description, ck_type type, int64_t rows);

  /// Creates an object that copies rows to `memory`, as dense rows of `type`.
  PreparedRows(
      const ck_convolution &description, ck_type type, const Table &table, void *memory);

  /// Copies those of the rows `first ..< end` that are inside the image.
  ///
  /// - Returns: the address of row 0 of the image among the copies. If row 0 was not copied, the address that it would
  ///   have.
  const void *read(const void *picture, Reading reading, int64_t first, int64_t end) const;

 private:
  const ck_convolution &description;
  const ck_type type;
  const Table &table;
  char *const memory;
};

/// The rows of an image, `first ..< end`, that are read for some output rows of a phase. Some of these rows may be
/// outside the image.
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
