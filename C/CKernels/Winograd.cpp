#include "Winograd.hpp"

#include <algorithm>

namespace ck {

namespace {

/// How many bytes of transformed windows a thread works on at a time: half of a core's second cache.
constexpr int64_t kWindowBytes = 448 << 10;

}  // namespace

bool Winograd::suits(const ck_convolution &d) {
  return (d.tile == 2 || d.tile == 4) && d.kernel_height == 3 && d.kernel_width == 3
      && d.stride_height == 1 && d.stride_width == 1 && d.dilation_height == 1
      && d.dilation_width == 1 && d.upsample == 1 && d.input_channels % 16 == 0
      && d.output_channels % 16 == 0;
}

Winograd::Winograd(const ck_convolution &d, const Table &table)
    : description(d),
      table(table),
      blocks(outputBlocks(d.output_channels, table.mostVectors)),
      side(d.tile + 2),
      tilesX(ceilDivide(d.output_width, d.tile)),
      tilesY(ceilDivide(d.output_height, d.tile)),
      tileCount(tilesX * tilesY * d.batch) {
  const int64_t positions = side * side, elementBytes = int64_t(sizeOf(d.source_type));
  int64_t step = 1, lanes = 0;
  for (auto &block : blocks) {
    block.tapSize = d.input_channels * block.vectors * 16;
    block.weights = int64_t(weightCount);
    weightCount += size_t(block.tapSize * positions);
    step = std::max<int64_t>(step, table.pixels[block.vectors]);
    lanes = std::max<int64_t>(lanes, block.vectors * 16);
  }
  const int64_t room = kWindowBytes / (positions * d.input_channels * elementBytes);
  // Fewer tiles would read the weights too often; more than fill the cache are no use.
  const int64_t least = ceilDivide(24, step) * step;
  const int64_t most = std::min<int64_t>(std::max<int64_t>(room / step * step, least), 96 / step * step);
  // Parts of one size, an even number of them.
  const int64_t parts = ceilDivide(ceilDivide(tileCount, most), 2) * 2;
  partTiles = std::min(most, ceilDivide(ceilDivide(tileCount, parts), step) * step);
  // A block of fewer vectors takes more pixels at a time.
  tileStride = partTiles + 18;
  windowBytes = rounded(size_t(positions * tileStride * d.input_channels * elementBytes));
  productBytes = rounded(size_t(positions * tileStride * lanes) * sizeof(float));
  threadBytes = windowBytes + productBytes
      + rounded(size_t(d.tile * kWinogradLine * lanes) * sizeof(float));
}

void Winograd::pack(const float *weights, void *packed) const {
  const ck_convolution &d = description;
  const int64_t pair = d.source_type == CK_BF16 ? 2 : 1;
  const int64_t inputs = d.input_channels, outputs = d.output_channels;
  forParts(int64_t(blocks.size()), [&](int64_t part, int) {
    const ConvolutionBlock &block = blocks[size_t(part)];
    WinogradKernels kernels{};
    kernels.tile = d.tile;
    kernels.type = d.source_type;
    kernels.isMirrored = d.deconvolution != 0;
    kernels.inputStride = d.deconvolution ? outputs * 9 : 9;
    kernels.outputStride = d.deconvolution ? 9 : inputs * 9;
    kernels.positionStride = block.tapSize;
    for (int64_t input = 0; input < inputs; input += pair)
      for (int64_t vector = 0; vector < block.vectors; ++vector) {
        const int64_t output = block.channel + vector * 16;
        kernels.count = std::min<int64_t>(16, outputs - output);
        kernels.source = weights + input * kernels.inputStride + output * kernels.outputStride;
        kernels.destination = static_cast<char *>(packed)
            + (block.weights + input * block.vectors * 16 + vector * 16 * pair)
                * int64_t(sizeOf(d.source_type));
        table.winogradKernels(kernels);
      }
  });
}

void Winograd::run(const ck_convolution_arguments &a, const Finish &finish) const {
  const ck_convolution &d = description;
  const int threads = a.threads < 1 ? 1 : a.threads;
  forParts(
      ceilDivide(tileCount, partTiles),
      [&](int64_t part, int thread) {
        char *scratch = static_cast<char *>(a.scratch) + threadBytes * size_t(thread);
        WinogradBlock block{};
        block.tile = d.tile;
        block.sourceType = d.source_type;
        block.destinationType = d.destination_type;
        block.finish = &finish;
        block.blocks = &blocks;
        block.pixels = table.pixels;
        block.source = a.source;
        block.weights = a.weights;
        block.residual = d.has_residual ? a.residual : nullptr;
        block.destination = a.destination;
        block.windows = scratch;
        block.products = reinterpret_cast<float *>(scratch + windowBytes);
        block.line = reinterpret_cast<float *>(scratch + windowBytes + productBytes);
        block.tileStride = tileStride;
        block.firstTile = part * partTiles;
        block.endTile = std::min(tileCount, (part + 1) * partTiles);
        block.tilesX = tilesX;
        block.tilesY = tilesY;
        block.inputHeight = d.input_height;
        block.inputWidth = d.input_width;
        block.inputChannels = d.input_channels;
        block.outputHeight = d.output_height;
        block.outputWidth = d.output_width;
        // A transposed convolution of stride 1 is a plain one with its window mirrored.
        block.padTop = d.deconvolution ? 2 - d.pad_top : d.pad_top;
        block.padLeft = d.deconvolution ? 2 - d.pad_left : d.pad_left;
        block.sourceRowStride = d.source_row_stride;
        block.sourceBatchStride = d.source_batch_stride;
        block.destinationRowStride = d.destination_row_stride;
        block.destinationBatchStride = d.destination_batch_stride;
        block.residualRowStride = d.residual_row_stride;
        block.residualBatchStride = d.residual_batch_stride;
        table.winogradBlock(block);
      },
      threads);
}

}  // namespace ck
