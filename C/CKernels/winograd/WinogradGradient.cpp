#include <algorithm>

#include "ck_winograd.h"
#include "convolution/ConvolutionPhases.hpp"

using namespace ck;

namespace {

/// The number of parts of the work. It does not depend on the number of threads, so that sums have a fixed order.
constexpr int64_t kParts = 4;

/// How the work is divided into parts, and the parts into blocks of tiles.
struct Layout {
  std::vector<ConvolutionBlock> blocks;
  int64_t tilesX, tilesY, tiles, parts, blockTiles, slotStride;
  size_t windowBytes, deltaBytes, sumBytes;

  explicit Layout(const ck_winograd_weights_gradient &d)
      : blocks(outputBlocks(d.output_channels, table().maxVectors)),
        tilesX(ceilDivide(d.output_width, d.winograd_tile)),
        tilesY(ceilDivide(d.output_height, d.winograd_tile)),
        tiles(tilesX * tilesY * d.batch),
        parts(std::min(kParts, tiles)) {
    const int64_t positions = int64_t(d.winograd_tile + 2) * (d.winograd_tile + 2);
    const int64_t channels = d.input_channels + d.output_channels;
    // The two transformed images of a block fill half of a core's second-level cache.
    const int64_t capacity = (512 << 10) / (positions * channels * int64_t(sizeOf(d.type)));
    blockTiles = std::min<int64_t>(std::max<int64_t>(capacity / 8 * 8, 16), 128);
    // Both tiles of a pair belong to one row, so the last pair of every row may be half empty.
    const int64_t stretches = blockTiles / tilesX + 2;
    slotStride = d.type == CK_BF16 ? (blockTiles + stretches + 1) / 2 + 1 : blockTiles;
    const size_t slot = 4 * size_t(positions * slotStride);
    windowBytes = rounded(slot * size_t(d.input_channels));
    deltaBytes = rounded(slot * size_t(d.output_channels));
    sumBytes = rounded(size_t(positions) * size_t(d.input_channels) * size_t(d.output_channels)
        * sizeof(float));
  }

  size_t partBytes() const { return windowBytes + deltaBytes + sumBytes; }
};

bool makesSense(const ck_winograd_weights_gradient &d) {
  return d.batch > 0 && d.input_channels > 0 && d.input_height > 0 && d.input_width > 0
      && d.output_channels > 0 && d.output_height > 0 && d.output_width > 0
      && d.input_channels % 16 == 0 && d.output_channels % 16 == 0
      && (d.type == CK_F32 || d.type == CK_BF16) && (d.winograd_tile == 2 || d.winograd_tile == 4);
}

void computeGradient(
    const ck_winograd_weights_gradient &d, const void *large, const void *small, float *gradient,
    void *scratch) {
  const Layout layout(d);
  const Table &kernels = table();
  std::vector<const float *> sums(size_t(layout.parts));
  forParts(
      layout.parts,
      [&](int64_t part, int) {
        char *memory = static_cast<char *>(scratch) + layout.partBytes() * size_t(part);
        WinogradGradientBlock block{};
        block.tile = d.winograd_tile;
        block.type = d.type;
        block.large = {large, d.input_height, d.input_width, d.input_channels};
        block.small = {small, d.output_height, d.output_width, d.output_channels};
        block.padTop = d.pad_top;
        block.padLeft = d.pad_left;
        block.blocks = &layout.blocks;
        block.windows = memory;
        block.deltas = memory + layout.windowBytes;
        block.sums = reinterpret_cast<float *>(memory + layout.windowBytes + layout.deltaBytes);
        block.slotStride = layout.slotStride;
        block.tilesX = layout.tilesX;
        block.tilesY = layout.tilesY;
        sums[size_t(part)] = block.sums;
        std::memset(block.sums, 0, layout.sumBytes);
        const int64_t end = layout.tiles * (part + 1) / layout.parts;
        for (int64_t tile = layout.tiles * part / layout.parts; tile < end;
             tile += layout.blockTiles) {
          block.firstTile = tile;
          block.endTile = std::min(end, tile + layout.blockTiles);
          kernels.winogradGradient(block);
        }
      },
      d.threads);
  forParts(
      d.input_channels,
      [&](int64_t input, int) {
        kernels.winogradGradientSums({d.winograd_tile, &layout.blocks, sums.data(), layout.parts, input,
            d.input_channels, d.output_channels, gradient});
      },
      d.threads);
}

}  // namespace

extern "C" {

size_t ck_winograd_weights_gradient_scratch_bytes(const ck_winograd_weights_gradient *description) {
  if (!description || !makesSense(*description)) return 0;
  try {
    const Layout layout(*description);
    return layout.partBytes() * size_t(layout.parts);
  } catch (...) {
    return 0;
  }
}

int32_t ck_winograd_weights_gradient_run(
    const ck_winograd_weights_gradient *description, const void *large, const void *small, float *gradient,
    void *scratch) {
  if (!description || !makesSense(*description) || !large || !small || !gradient || !scratch)
    return -1;
  try {
    computeGradient(*description, large, small, gradient, scratch);
    return 0;
  } catch (...) {
    return -1;
  }
}

}  // extern "C"
