#pragma once

#include <cstdint>

#include "ck_elementwise.h"

/// A validated program. Dimensions are merged. `rows` and `columns` are the two innermost dimensions, and `outer` holds
/// all others.
struct ck_program {
  int32_t outerRank;
  int64_t outer[CK_MAX_RANK];
  int64_t rows, columns;
  int64_t count;
  int64_t rowsPerTile, tilesPerRow, rowTiles, tiles;
  int32_t inputCount;
  ck_type inputTypes[CK_MAX_INPUTS];
  /// Whether an operation reads the input. An input that no operation reads only determines a shape.
  bool isRead[CK_MAX_INPUTS];
  int64_t outerStrides[CK_MAX_INPUTS][CK_MAX_RANK];
  int64_t rowStrides[CK_MAX_INPUTS], columnStrides[CK_MAX_INPUTS];
  ck_type outputType;
  int32_t operationCount;
  ck_operation operations[CK_MAX_OPERATIONS];
};

namespace ck {

/// The number of elements of a tile. Three tiles are 12 kB, well within a first-level cache.
constexpr int64_t kPointwiseTile = 1024;

/// Some tiles of a program's output.
struct PointwiseTiles {
  const ck_program *program;
  const void *const *inputs;
  void *output;
  int64_t first, end;
};

/// Whether a function takes two values.
inline bool isBinary(ck_function function) { return function >= CK_ADD; }

/// Applies a function of the C library, one element at a time. Returns false for other functions.
bool libraryRun(const ck_operation &operation, const float *a, float *result, int64_t count);
void powerRun(const float *a, const float *b, float *result, int64_t count);

}  // namespace ck
