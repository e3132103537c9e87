#include <algorithm>
#include <optional>
#include <vector>

#include "CNormStatistics.h"
#include "normalization/PixelBlocks.hpp"

using namespace ck;

namespace {

/// kLanes: the number of channels whose statistics are merged together. kLeastShared: if blocks · channels is less than
/// this number, one thread merges all statistics.
constexpr int64_t kLanes = 16, kLeastShared = 8192;

/// Merges the statistics of blocks in order, for some channels.
///
/// Source: Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances"
/// (1979).
struct Moments {
  double means[kLanes] = {}, squares[kLanes] = {};

  Moments() = default;

  Moments(const PixelBlocks &blocks, const float *statistics, int64_t channels, int64_t count) {
    for (int64_t block = 0; block < blocks.count; ++block, statistics += 2 * channels) {
      const auto before = static_cast<double>(block * blocks.perBlock);
      const auto size = static_cast<double>(blocks.sizeOf(block));
      const double share = size / (before + size), spread = before * share;
      for (int64_t c = 0; c < count; ++c) {
        const double distance = statistics[c] - means[c];
        means[c] += distance * share;
        squares[c] += statistics[channels + c] + distance * distance * spread;
      }
    }
  }
};

/// The statistics of a part of each image, row by row.
struct PartStatistics {
  PixelBlocks blocks;
  std::vector<float> values;

  PartStatistics(const FeatureMaps &maps, const cns_span &rows, const cns_span &columns)
      : blocks(PixelBlocks::rows(rows.end - rows.begin, columns.end - columns.begin)),
        values(static_cast<size_t>(maps.batch * blocks.count * 2 * maps.channels)) {
    const auto size = static_cast<int64_t>(sizeOf(maps.type));
    const Table &kernels = table();
    forParts(maps.batch * blocks.count, [&](int64_t part, int) {
      const int64_t row = part / blocks.count * maps.height + rows.begin + part % blocks.count;
      const int64_t first = row * maps.width + columns.begin;
      takeStatistics(kernels, maps.type,
          static_cast<const char *>(maps.values) + first * maps.channels * size, blocks.perBlock,
          maps.channels, values.data() + part * 2 * maps.channels);
    });
  }
};

}  // namespace

namespace ck {

void joinStatistics(
    const FeatureMaps &maps, const float *statistics, const float *gamma, const float *beta,
    float epsilon, float *factors) {
  const int64_t batch = maps.batch, channels = maps.channels;
  PixelBlocks blocks(maps.pixels(), channels);
  const int64_t lanes = ceilDivide(channels, kLanes);
  cns_norm *const held = cns_next(batch * channels, maps.height, maps.width);
  std::optional<PartStatistics> measured;
  std::vector<float> own;
  bool hasStatistics = cns_needs_statistics();
  if (held) {
    cns_span rows, columns;
    cns_measured(held, &rows, &columns);
    if (!hasStatistics && !cns_is_known(held)) {
      hasStatistics = true;
      own.resize(static_cast<size_t>(batch * blocks.count * 2 * channels));
      ck_statistics_run(maps.type, maps.values, batch, maps.pixels(), channels, own.data());
      statistics = own.data();
    }
    if (rows.end - rows.begin < maps.height || columns.end - columns.begin < maps.width) {
      measured.emplace(maps, rows, columns);
      blocks = measured->blocks;
      statistics = measured->values.data();
    }
  }
  auto join = [&](int64_t part, int) {
    const int64_t picture = part / lanes, first = part % lanes * kLanes;
    const int64_t count = std::min(kLanes, channels - first);
    Moments moments{};
    if (hasStatistics)
      moments = Moments(
          blocks, statistics + picture * blocks.count * channels * 2 + first, channels, count);
    float *factor = factors + picture * channels * 3 + first;
    for (int64_t c = 0; c < count; ++c) {
      double mean = moments.means[c];
      double variance = moments.squares[c] / static_cast<double>(blocks.pixels);
      if (held) cns_exchange(held, picture * channels + first + c, &mean, &variance);
      const double scale = (gamma ? gamma[first + c] : 1.0f) / std::sqrt(variance + epsilon);
      factor[c] = static_cast<float>(mean);
      factor[channels + c] = static_cast<float>(scale);
      factor[2 * channels + c] = beta ? beta[first + c] : 0.0f;
    }
  };
  if (blocks.count * channels < kLeastShared)
    for (int64_t part = 0; part < batch * lanes; ++part) join(part, 0);
  else
    forParts(batch * lanes, join);
}

}  // namespace ck

extern "C" size_t ck_instance_norm_scratch_bytes(const ck_instance_norm *d) {
  const int64_t blocks =
      d->has_statistics ? 0 : PixelBlocks(d->height * d->width, d->channels).count;
  return static_cast<size_t>(d->batch * d->channels * (2 * blocks + 3)) * sizeof(float);
}

extern "C" int32_t ck_instance_norm_run(
    const ck_instance_norm *description, const void *source, const float *gamma, const float *beta,
    const void *residual, const float *statistics, void *destination, void *scratch) {
  const ck_instance_norm &d = *description;
  auto known = [](ck_type type) { return type == CK_F32 || type == CK_BF16; };
  if (!known(d.source_type) || !known(d.destination_type)) return -1;
  if ((d.has_residual && !residual) || (d.has_statistics && !statistics)) return -1;
  const int64_t pixels = d.height * d.width, channels = d.channels;
  if (d.batch <= 0 || pixels <= 0 || channels <= 0) return 0;
  const PixelBlocks blocks(pixels, channels);
  float *partial = d.has_statistics ? nullptr : static_cast<float *>(scratch);
  float *factors =
      static_cast<float *>(scratch) + (partial ? d.batch * blocks.count * channels * 2 : 0);
  const int64_t sourceSize = static_cast<int64_t>(sizeOf(d.source_type));
  const int64_t destinationSize = static_cast<int64_t>(sizeOf(d.destination_type));
  const Table &kernels = table();

  if (partial) {
    if (cns_needs_statistics())
      ck_statistics_run(d.source_type, source, d.batch, pixels, channels, partial);
    statistics = partial;
  }

  const FeatureMaps maps{d.source_type, source, d.batch, d.height, d.width, channels};
  joinStatistics(maps, statistics, gamma, beta, d.epsilon, factors);

  // With a residual, every part is one row, because the residual's rows may not be contiguous.
  const int64_t perPart = d.has_residual ? d.width : blocks.perBlock;
  const int64_t parts = ceilDivide(pixels, perPart);
  const int64_t residualRow = d.residual_row_stride ? d.residual_row_stride : d.width * channels;
  const int64_t residualBatch =
      d.residual_batch_stride ? d.residual_batch_stride : pixels * channels;
  forParts(d.batch * parts, [&](int64_t part, int) {
    const int64_t picture = part / parts, row = part % parts, first = row * perPart;
    const int64_t offset = (picture * pixels + first) * channels;
    NormBlock block{};
    block.pixels = std::min(perPart, pixels - first);
    block.channels = channels;
    block.source = static_cast<const char *>(source) + offset * sourceSize;
    block.destination = static_cast<char *>(destination) + offset * destinationSize;
    if (d.has_residual)
      block.residual = static_cast<const char *>(residual)
          + (picture * residualBatch + row * residualRow) * destinationSize;
    block.sourceType = d.source_type;
    block.destinationType = d.destination_type;
    block.first = factors + picture * channels * 3;
    block.second = block.first + channels;
    block.third = block.second + channels;
    block.activation = d.activation;
    block.alpha = d.alpha;
    block.beta = d.beta;
    kernels.normApply(block);
  });
  return 0;
}
