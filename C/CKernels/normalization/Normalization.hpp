#pragma once

#include <cstdint>

#include "ck_normalization.h"

namespace ck {

struct NormBlock {
  int64_t pixels, channels;
  const void *source;
  void *destination;
  const void *residual;
  ck_type sourceType, destinationType;
  /// Three arrays with one value for each channel. `first` holds means. `second` holds sums of squared differences, or
  /// factors for the second pass. `third` holds offsets.
  float *first, *second, *third;
  ck_function activation;
  float alpha, beta;
};

/// A block of the gradient of an instance norm. The statistics pass stores the means of x in `first`, and the sums of
/// squared differences from these means in `second`. It stores the sums of dy in `third`, and the sums of dy · (x -
/// mean) in `fourth`. The second pass computes dx = second · dy + third · (x - first) + fourth.
struct NormGradientBlock {
  int64_t pixels, channels;
  const void *source, *gradient;
  void *destination;
  ck_type sourceType, gradientType;
  float *first, *second, *third, *fourth;
};

/// Contiguous rows (`stride` is 1), or some neighbouring columns whose elements are `stride` apart.
struct SoftmaxBlock {
  ck_type type;
  int64_t rows, axis, stride, columns;
  const void *source;
  void *destination;
};

/// Rows to normalise; `gamma` and `beta` may be null.
struct LayerNormBlock {
  const float *source, *gamma, *beta;
  float *destination;
  int64_t rows, length;
  float epsilon;
  /// Whether the results are rounded to float16.
  bool rounds;
};

enum class GroupNormPhase { sums, squares, results };

/// A block of pixels of a group norm, channels last.
struct GroupNormBlock {
  GroupNormPhase phase;
  int64_t pixels, channels;
  const float *source;
  float *destination;
  /// The results of the first two phases: one number for each channel.
  float *sums;
  /// One number for each channel, equal for all channels of a group. `deviations` are standard deviations.
  const float *means, *deviations;
  /// One number for each channel; may be null.
  const float *gamma, *beta;
  ck_function activation;
  float alpha, shift;
  /// Whether each result is rounded to float16.
  bool rounds;
};

}  // namespace ck
