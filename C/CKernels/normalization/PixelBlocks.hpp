#pragma once

#include <algorithm>
#include <atomic>

#include "common/Table.hpp"

namespace ck {

/// Splits the pixels of an image into blocks of about 32 KiB of float32. An instance norm computes the statistics of
/// each block, then merges them.
struct PixelBlocks {
  PixelBlocks(int64_t pixels, int64_t channels)
      : pixels(pixels),
        perBlock(std::max<int64_t>(64, 8192 / std::max<int64_t>(channels, 1))),
        count(ceilDivide(pixels, perBlock)) {}

  /// Splits a part of an image into its rows.
  static PixelBlocks rows(int64_t count, int64_t width) {
    PixelBlocks blocks(count * width, 1);
    blocks.perBlock = width;
    blocks.count = count;
    return blocks;
  }

  int64_t pixels, perBlock, count;

  int64_t sizeOf(int64_t block) const { return std::min(perBlock, pixels - block * perBlock); }
};

/// Dense images, channels last, of float32 or bfloat16.
struct FeatureMaps {
  ck_type type;
  const void *values;
  int64_t batch, height, width, channels;

  int64_t pixels() const { return height * width; }
};

/// Computes the statistics of dense pixels: for each channel the mean, then for each channel the sum of the squared
/// differences from the mean.
void takeStatistics(
    const Table &kernels, ck_type type, const void *source, int64_t pixels, int64_t channels,
    float *statistics);

/// Merges the statistics of each image's blocks. For each channel, writes a mean, a factor and an offset to `factors`,
/// `[batch, 3, channels]`. The instance norm of a value x is then `(x - mean) · factor + offset`, which includes
/// `gamma` and `beta`.
///
/// If the calling thread has a record of held statistics (CNormStatistics), the record may replace the mean and the
/// variance. The record may also ask for the statistics of a part of the images. Without `cns_needs_statistics`,
/// `statistics` are not read. `gamma` and `beta` may be null.
void joinStatistics(
    const FeatureMaps &maps, const float *statistics, const float *gamma, const float *beta,
    float epsilon, float *factors);

/// Computes the statistics of a convolution's results: for each block and channel the mean, and the sum of the squared
/// differences from the mean. The thread that writes the last value of a block computes the block's statistics, while
/// the values are in the cache. The statistics have the same bits as those that an instance norm would compute from the
/// results later.
class FinishedBlocks {
 public:
  /// Returns the bytes of memory that `counts` needs.
  static size_t bytes(const ck_convolution &description);

  /// The results must be dense. No other run may use `counts` at the same time.
  FinishedBlocks(
      const ck_convolution &description, const ck_convolution_arguments &arguments, void *counts);

  /// Call this function after writing `channels` channels of `count` pixels: `first`, `first + step`,
  /// `first + 2 · step` and so on. Pixels are numbered over all images of the batch.
  void add(int64_t first, int64_t count, int64_t step, int64_t channels) const;

 private:
  void finish(int64_t picture, int64_t block) const;

  const Table &kernels;
  const PixelBlocks blocks;
  const int64_t channels;
  const ck_type type;
  const char *const results;
  float *const statistics;
  /// The number of finished values in each block.
  std::atomic<int32_t> *const counts;
};

}  // namespace ck
