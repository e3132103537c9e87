#include <algorithm>
#include <cmath>

#include "normalization/PixelBlocks.hpp"

using namespace ck;

namespace {

/// The memory of one run: the sums of the blocks, `[batch, blocks, channels]`, and the means and deviations,
/// `[batch, 2, channels]`.
struct GroupNormMemory {
  const PixelBlocks blocks;
  float *sums, *statistics;

  GroupNormMemory(const ck_group_norm &d, void *scratch)
      : blocks(d.pixels, d.channels), sums(static_cast<float *>(scratch)),
        statistics(sums + d.batch * blocks.count * d.channels) {}
};

float roundedToHalf(float value) {
  Half half;
  fromFloat(value, half);
  return toFloat(half);
}

}  // namespace

extern "C" size_t ck_group_norm_scratch_bytes(const ck_group_norm *d) {
  const PixelBlocks blocks(d->pixels, d->channels);
  return static_cast<size_t>(d->batch * d->channels * (blocks.count + 2)) * sizeof(float);
}

extern "C" int32_t ck_group_norm_run(
    const ck_group_norm *description, const float *source, const float *gamma, const float *beta,
    float *destination, void *scratch) {
  const ck_group_norm &d = *description;
  if (d.groups <= 0 || d.channels % d.groups != 0) return -1;
  if (d.batch <= 0 || d.pixels <= 0 || d.channels <= 0) return 0;
  const GroupNormMemory memory(d, scratch);
  const PixelBlocks &blocks = memory.blocks;
  const Table &kernels = table();

  auto pass = [&](GroupNormPhase phase) {
    forParts(d.batch * blocks.count, [&](int64_t part, int) {
      const int64_t picture = part / blocks.count, index = part % blocks.count;
      const int64_t offset = (picture * d.pixels + index * blocks.perBlock) * d.channels;
      GroupNormBlock block{};
      block.phase = phase;
      block.pixels = blocks.sizeOf(index);
      block.channels = d.channels;
      block.source = source + offset;
      block.destination = destination + offset;
      block.sums = memory.sums + part * d.channels;
      block.means = memory.statistics + picture * 2 * d.channels;
      block.deviations = block.means + d.channels;
      block.gamma = gamma;
      block.beta = beta;
      block.activation = d.activation;
      block.alpha = d.alpha;
      block.shift = d.beta;
      block.rounds = d.rounds != 0;
      kernels.groupNorm(block);
    });
  };
  // Adds up the sums of all blocks and channels of each group. Passes their mean to `finish`, and stores what it returns
  // for each channel of the group.
  auto merge = [&](int64_t statistic, auto finish) {
    const int64_t perGroup = d.channels / d.groups;
    for (int64_t picture = 0; picture < d.batch; ++picture) {
      const float *sums = memory.sums + picture * blocks.count * d.channels;
      float *to = memory.statistics + (2 * picture + statistic) * d.channels;
      for (int64_t first = 0; first < d.channels; first += perGroup) {
        double sum = 0;
        for (int64_t block = 0; block < blocks.count; ++block)
          for (int64_t c = first; c < first + perGroup; ++c) sum += sums[block * d.channels + c];
        std::fill_n(to + first, perGroup, finish(sum / static_cast<double>(d.pixels * perGroup)));
      }
    }
  };
  const auto rounded = [&](double value) {
    const auto single = static_cast<float>(value);
    return d.rounds ? roundedToHalf(single) : single;
  };

  pass(GroupNormPhase::sums);
  merge(0, rounded);
  pass(GroupNormPhase::squares);
  merge(1, [&](double variance) {
    const double shifted = d.rounds ? rounded(rounded(variance) + d.epsilon) : variance + d.epsilon;
    return rounded(std::sqrt(shifted));
  });
  pass(GroupNormPhase::results);
  return 0;
}
