#include "winograd/Winograd.hpp"

#include <algorithm>

#include "convolution/ConvolutionPhases.hpp"
#include "normalization/PixelBlocks.hpp"

namespace ck {

namespace {

/// The bytes of transformed input tiles that a thread works on at a time: half of a core's second-level cache.
constexpr int64_t kWindowBytes = 448 << 10;

/// The padding between planes: two cache lines of float32.
constexpr int64_t kPlanePad = 32;

/// If there are at most `kSharedTiles` tiles, and their transformed input has at most `kSharedBytes` bytes, threads
/// divide the outputs among themselves instead of the tiles. With so few tiles, most of the time is spent on reading
/// the weights.
constexpr int64_t kSharedTiles = 24, kSharedBytes = 3 << 19;

/// Whether the strides are 2.
bool isStrided(const ck_convolution &d) { return d.stride_height == 2; }

TileKind tileKindOf(const ck_convolution &d) {
  if (isStrided(d)) return TileKind::threeStrided;
  if (d.upsample == 2) return TileKind::fourRepeated;
  return d.winograd_tile == 2 ? TileKind::two : d.winograd_tile == 4 ? TileKind::four : TileKind::six;
}

/// Returns the number of padding pixels before the first tile.
int64_t pixelsInFront(const ck_convolution &d, int64_t pad) {
  // A transposed convolution of stride 1 equals a convolution with a mirrored kernel.
  return d.deconvolution ? 2 - pad : ceilDivide(pad, d.upsample);
}

}  // namespace

bool Winograd::suits(const ck_convolution &d) {
  if (d.kernel_height != 3 || d.kernel_width != 3 || d.dilation_height != 1 || d.dilation_width != 1
      || d.input_channels % 16 || d.output_channels % 16 || d.stride_height != d.stride_width)
    return false;
  if (isStrided(d)) return d.winograd_tile == 3 && !d.deconvolution;
  if (d.stride_height != 1) return false;
  if (d.upsample == 2) return d.winograd_tile == 4 && d.pad_top % 2 == 1 && d.pad_left % 2 == 1;
  return d.upsample == 1 && (d.winograd_tile == 2 || d.winograd_tile == 4 || d.winograd_tile == 6);
}

Winograd::Winograd(const ck_convolution &d, const Table &table)
    : ConvolutionAlgorithm(d, d.winograd_tile == 6 ? CK_F32 : ck::productType(d, table)),
      table(table),
      blocks(outputBlocks(d.output_channels, table.maxVectors)),
      tileKind(tileKindOf(d)),
      tilesX(ceilDivide(d.output_width, d.winograd_tile)),
      tilesY(ceilDivide(d.output_height, d.winograd_tile)),
      tileCount(tilesX * tilesY * d.batch) {
  const TileLengths lengths = lengthsOf(tileKind);
  const int64_t windows = lengths.window * lengths.window;
  const int64_t kernels = lengths.kernel * lengths.kernel;
  const int64_t products = lengths.products * lengths.products;
  const int64_t elementBytes = int64_t(sizeOf(productType));
  int64_t lanes = 0;
  stepTiles = 1;
  for (auto &block : blocks) {
    block.tapSize = d.input_channels * block.vectors * 16;
    block.weights = int64_t(weightCount);
    weightCount += size_t(block.tapSize * kernels);
    stepTiles = std::max<int64_t>(stepTiles, table.pixels[block.vectors]);
    lanes = std::max<int64_t>(lanes, block.vectors * 16);
  }
  steps = ceilDivide(tileCount, stepTiles);
  const int64_t tileBytes = windows * d.input_channels * elementBytes;
  isShared = tileCount <= kSharedTiles && tileCount * tileBytes <= kSharedBytes
      && blocks.size() % 2 == 0;
  // With fewer tiles in a part, each weight would be read too often. More tiles than fit the cache gain nothing.
  const int64_t fewest = tileKind == TileKind::six ? 24 : 30;
  const int64_t capacity = std::clamp<int64_t>(kWindowBytes / tileBytes, fewest, 96) / stepTiles;
  // Makes an even number of parts of nearly equal size.
  const int64_t even = ceilDivide(ceilDivide(steps, std::max<int64_t>(capacity, 1)), 2) * 2;
  parts = isShared ? 1 : std::min(steps, even);
  // Leaves memory for 18 more tiles, because a block with fewer vectors of outputs takes more tiles at a time.
  const int64_t tiles = ceilDivide(steps, parts) * stepTiles + 18;
  // The padding keeps the distance of planes from being a multiple of a page. Otherwise all planes would map to the
  // same few sets of the caches.
  windowPlane = tiles * d.input_channels + kPlanePad;
  productPlane = tiles * lanes + kPlanePad;
  (isShared ? sharedBytes : windowBytes) = rounded(size_t(windows * windowPlane * elementBytes));
  productBytes = rounded(size_t(products * productPlane) * sizeof(float));
  threadBytes = windowBytes + productBytes
      + rounded(size_t(d.winograd_tile * kWinogradLine * lanes) * sizeof(float));
  title = (isStrided(d) ? "strided winograd " : d.upsample > 1 ? "upsampled winograd " : "winograd ")
      + std::to_string(d.winograd_tile) + ":" + table.name;
}

void Winograd::pack(const float *weights, void *packed) const {
  const ck_convolution &d = description;
  const int64_t pair = productType == CK_BF16 ? 2 : 1;
  const int64_t inputs = d.input_channels, outputs = d.output_channels;
  forParts(int64_t(blocks.size()), [&](int64_t part, int) {
    const ConvolutionBlock &block = blocks[size_t(part)];
    WinogradKernels kernels{};
    kernels.tileKind = tileKind;
    kernels.type = productType;
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
                * int64_t(sizeOf(productType));
        table.winogradKernels(kernels);
      }
  });
}

WinogradBlock Winograd::block(const ConvolutionRun &run) const {
  const ck_convolution &d = description;
  const ck_convolution_arguments &a = run.arguments;
  WinogradBlock block{};
  block.tileKind = tileKind;
  block.sourceType = d.source_type;
  block.destinationType = d.destination_type;
  block.finish = &run.finish;
  block.reading = run.reading;
  block.blocks = &blocks;
  block.pixels = table.pixels;
  block.makesWindows = true;
  block.endBlock = blocks.size();
  block.source = a.source;
  block.weights = a.weights;
  block.residual = d.has_residual ? a.residual : nullptr;
  block.destination = a.destination;
  block.windowPlane = windowPlane;
  block.productPlane = productPlane;
  block.tilesX = tilesX;
  block.tilesY = tilesY;
  block.inputHeight = d.input_height;
  block.inputWidth = d.input_width;
  block.inputChannels = d.input_channels;
  block.outputHeight = d.output_height;
  block.outputWidth = d.output_width;
  block.padTop = pixelsInFront(d, d.pad_top);
  block.padLeft = pixelsInFront(d, d.pad_left);
  block.sourceRowStride = d.source_row_stride;
  block.sourceBatchStride = d.source_batch_stride;
  block.destinationRowStride = d.destination_row_stride;
  block.destinationBatchStride = d.destination_batch_stride;
  block.residualRowStride = d.residual_row_stride;
  block.residualBatchStride = d.residual_batch_stride;
  return block;
}

void Winograd::run(const ConvolutionRun &run) const {
  if (isShared) return runShared(run);
  const ck_convolution_arguments &a = run.arguments;
  const WinogradBlock base = block(run);
  const int threads = std::max(a.threads, 1);
  const int64_t count = std::min(steps, std::max(parts, int64_t(threads)));
  forParts(
      count,
      [&](int64_t part, int thread) {
        char *scratch = static_cast<char *>(a.scratch) + threadBytes * size_t(thread);
        WinogradBlock block = base;
        block.windows = scratch;
        block.products = reinterpret_cast<float *>(scratch + windowBytes);
        block.line = reinterpret_cast<float *>(scratch + windowBytes + productBytes);
        block.firstTile = part * steps / count * stepTiles;
        block.endTile = std::min(tileCount, (part + 1) * steps / count * stepTiles);
        table.winogradBlock(block);
        reportFinished(block);
      },
      threads);
}

/// Reports the pixels that a block has finished.
void Winograd::reportFinished(const WinogradBlock &block) const {
  const ck_convolution &d = description;
  if (!block.finish->blocks) return;
  const int64_t end = block.endBlock < blocks.size() ? blocks[block.endBlock].channel
                                                     : d.output_channels;
  const int64_t channels = end - blocks[block.firstBlock].channel;
  for (int64_t tile = block.firstTile; tile < block.endTile;) {
    const int64_t x = tile % tilesX, row = tile / tilesX;
    const int64_t endX = std::min(tilesX, x + block.endTile - tile);
    const int64_t picture = row / tilesY, top = row % tilesY * d.winograd_tile;
    const int64_t left = x * d.winograd_tile, right = std::min(endX * d.winograd_tile, d.output_width);
    for (int64_t y = top; y < std::min(top + d.winograd_tile, d.output_height); ++y)
      block.finish->blocks->add(
          (picture * d.output_height + y) * d.output_width + left, right - left, 1, channels);
    tile += endX - x;
  }
}

/// Transforms all input tiles first, by rows of tiles. Each part then computes one block of outputs for all tiles, so
/// that every weight is read once. If there are more threads than blocks of outputs, parts divide the tiles, too.
void Winograd::runShared(const ConvolutionRun &run) const {
  const ck_convolution_arguments &a = run.arguments;
  const int threads = std::max(a.threads, 1);
  const int64_t tileBytes = description.input_channels * int64_t(sizeOf(productType));
  char *windows = static_cast<char *>(a.scratch);
  const WinogradBlock base = block(run);
  forParts(
      ceilDivide(tileCount, tilesX),
      [&](int64_t row, int) {
        WinogradBlock block = base;
        block.endBlock = 0;
        block.firstTile = row * tilesX;
        block.endTile = std::min(tileCount, block.firstTile + tilesX);
        block.windows = windows + block.firstTile * tileBytes;
        table.winogradBlock(block);
      },
      threads);
  const int64_t groups = std::min(steps, ceilDivide(threads, int64_t(blocks.size())));
  forParts(
      groups * int64_t(blocks.size()),
      [&](int64_t part, int thread) {
        char *scratch = windows + sharedBytes + threadBytes * size_t(thread);
        const int64_t group = part % groups;
        WinogradBlock block = base;
        block.makesWindows = false;
        block.firstBlock = size_t(part / groups);
        block.endBlock = block.firstBlock + 1;
        block.firstTile = group * steps / groups * stepTiles;
        block.endTile = std::min(tileCount, (group + 1) * steps / groups * stepTiles);
        block.windows = windows + block.firstTile * tileBytes;
        block.products = reinterpret_cast<float *>(scratch);
        block.line = reinterpret_cast<float *>(scratch + productBytes);
        table.winogradBlock(block);
        reportFinished(block);
      },
      threads);
}

}  // namespace ck
