#include "normalization/PixelBlocks.hpp"

#include <new>

namespace ck {

void takeStatistics(
    const Table &kernels, ck_type type, const void *source, int64_t pixels, int64_t channels,
    float *statistics) {
  NormBlock block{};
  block.pixels = pixels;
  block.channels = channels;
  block.source = source;
  block.sourceType = type;
  block.first = statistics;
  block.second = statistics + channels;
  kernels.normStatistics(block);
}

static PixelBlocks blocksOf(const ck_convolution &d) {
  return PixelBlocks(d.output_height * d.output_width, d.output_channels);
}

size_t FinishedBlocks::bytes(const ck_convolution &d) {
  return rounded(size_t(d.batch * blocksOf(d).count) * sizeof(std::atomic<int32_t>));
}

FinishedBlocks::FinishedBlocks(
    const ck_convolution &d, const ck_convolution_arguments &a, void *memory)
    : kernels(table()),
      blocks(blocksOf(d)),
      channels(d.output_channels),
      type(d.destination_type),
      results(static_cast<const char *>(a.destination)),
      statistics(a.statistics),
      counts(static_cast<std::atomic<int32_t> *>(memory)) {
  for (int64_t block = 0; block < d.batch * blocks.count; ++block)
    new (counts + block) std::atomic<int32_t>(0);
}

void FinishedBlocks::add(int64_t first, int64_t count, int64_t step, int64_t some) const {
  for (int64_t index = 0; index < count;) {
    const int64_t pixel = first + index * step;
    const int64_t picture = pixel / blocks.pixels, offset = pixel % blocks.pixels;
    const int64_t block = offset / blocks.perBlock;
    const int64_t end = std::min(blocks.pixels, (block + 1) * blocks.perBlock);
    const int64_t here = std::min(count - index, ceilDivide(end - offset, step));
    const auto values = int32_t(here * some);
    // acq_rel: the thread that finishes a block then sees the values that other threads have written to the block.
    const int32_t before =
        counts[picture * blocks.count + block].fetch_add(values, std::memory_order_acq_rel);
    if (before + values == blocks.sizeOf(block) * channels) finish(picture, block);
    index += here;
  }
}

void FinishedBlocks::finish(int64_t picture, int64_t block) const {
  const int64_t first = picture * blocks.pixels + block * blocks.perBlock;
  takeStatistics(kernels, type, results + first * channels * int64_t(sizeOf(type)),
      blocks.sizeOf(block), channels,
      statistics + (picture * blocks.count + block) * 2 * channels);
}

void reportFinished(
    const FinishedBlocks &blocks, int64_t first, int64_t count, int64_t step, int64_t channels) {
  blocks.add(first, count, step, channels);
}

}  // namespace ck

using namespace ck;

extern "C" int64_t ck_statistics_blocks(int64_t pixels, int64_t channels) {
  return PixelBlocks(pixels, channels).count;
}

extern "C" void ck_statistics_run(
    ck_type type, const void *source, int64_t batch, int64_t pixels, int64_t channels,
    float *statistics) {
  const PixelBlocks blocks(pixels, channels);
  if (batch <= 0 || pixels <= 0 || channels <= 0) return;
  const Table &kernels = table();
  forParts(batch * blocks.count, [&](int64_t part, int) {
    const int64_t block = part % blocks.count;
    const int64_t first = part / blocks.count * pixels + block * blocks.perBlock;
    takeStatistics(kernels, type,
        static_cast<const char *>(source) + first * channels * int64_t(sizeOf(type)),
        blocks.sizeOf(block), channels, statistics + part * 2 * channels);
  });
}
