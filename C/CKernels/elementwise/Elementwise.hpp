#pragma once

#include <cstdint>

#include "ck_elementwise.h"

namespace ck {

/// A range of a sequence of random numbers: numbers `start ..< start + count`. `start` is a multiple of 32.
struct RandomRange {
  ck_distribution distribution;
  float first, second;
  uint64_t seed;
  int64_t start, count;
  /// The address of number 0.
  float *destination;
};

/// A row of `destination = first (function) second`. The steps of the operands are in elements.
struct IntegerRow {
  ck_integer_function function;
  const int32_t *first, *second;
  int64_t firstStep, secondStep;
  int32_t *destination;
  int64_t count;
};

}  // namespace ck
