#pragma once

#include <algorithm>
#include <atomic>

#include "Internal.hpp"

namespace ck {

/// The pixels of a picture in blocks of about 32 KiB of float32, whose statistics an instance norm joins.
struct PixelBlocks {
  PixelBlocks(int64_t pixels, int64_t channels)
      : pixels(pixels),
        perBlock(std::max<int64_t>(64, 8192 / std::max<int64_t>(channels, 1))),
        count(ceilDivide(pixels, perBlock)) {}

  int64_t pixels, perBlock, count;

  int64_t sizeOf(int64_t block) const { return std::min(perBlock, pixels - block * perBlock); }
};

/// The statistics of each picture's blocks joined, and the instance norm's parameters: a mean, a factor and an offset
/// for each channel, `[batch, 3, channels]`. A value becomes `(x - mean) · factor + offset`.
///
/// `gamma` and `beta` may be null.
void joinStatistics(
    const float *statistics, int64_t batch, int64_t pixels, int64_t channels, const float *gamma,
    const float *beta, float epsilon, float *factors);

/// Takes the means and squared distances of a convolution's results: each block's by the thread that writes the last
/// of its values, while they are in the cache. The statistics are those of an instance norm that reads the results
/// later, bit for bit.
class FinishedBlocks {
 public:
  /// The memory that `counts` takes.
  static size_t bytes(const ck_convolution &description);

  /// Results are dense. `counts` is memory of this run's own.
  FinishedBlocks(
      const ck_convolution &description, const ck_convolution_arguments &arguments, void *counts);

  /// Some channels of `count` pixels are written: `step` apart, from `first` on, counted over all pictures.
  void add(int64_t first, int64_t count, int64_t step, int64_t channels) const;

 private:
  void finish(int64_t picture, int64_t block) const;

  const Table &kernels;
  const PixelBlocks blocks;
  const int64_t channels;
  const ck_type type;
  const char *const results;
  float *const statistics;
  /// The values of each block that are written.
  std::atomic<int32_t> *const counts;
};

}  // namespace ck
