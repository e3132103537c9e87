#include "Winograd.hpp"

#include <algorithm>

#include "ConvolutionPhases.hpp"
#include "PixelBlocks.hpp"

namespace ck {

namespace {

/// How many bytes of transformed windows a thread works on at a time: half of a core's second cache.
constexpr int64_t kWindowBytes = 448 << 10;

/// Elements between planes: two lines in float32.
constexpr int64_t kPlanePad = 32;

/// Pictures of so few tiles, whose windows are so small, are computed by outputs: weights are what takes time.
constexpr int64_t kSharedTiles = 24, kSharedBytes = 3 << 19;

/// Windows that move by two pixels.
bool isStrided(const ck_convolution &d) { return d.stride_height == 2; }

Squares squaresOf(const ck_convolution &d) {
  if (isStrided(d)) return Squares::threeStrided;
  if (d.upsample == 2) return Squares::fourRepeated;
  return d.tile == 2 ? Squares::two : d.tile == 4 ? Squares::four : Squares::six;
}

/// Pixels of the picture in front of the first square's window.
int64_t pixelsInFront(const ck_convolution &d, int64_t pad) {
  // A transposed convolution of stride 1 is a plain one with its window mirrored.
  return d.deconvolution ? 2 - pad : ceilDivide(pad, d.upsample);
}

}  // namespace

bool Winograd::suits(const ck_convolution &d) {
  if (d.kernel_height != 3 || d.kernel_width != 3 || d.dilation_height != 1 || d.dilation_width != 1
      || d.input_channels % 16 || d.output_channels % 16 || d.stride_height != d.stride_width)
    return false;
  if (isStrided(d)) return d.tile == 3 && !d.deconvolution;
  if (d.stride_height != 1) return false;
  if (d.upsample == 2) return d.tile == 4 && d.pad_top % 2 == 1 && d.pad_left % 2 == 1;
  return d.upsample == 1 && (d.tile == 2 || d.tile == 4 || d.tile == 6);
}

Winograd::Winograd(const ck_convolution &d, const Table &table)
    : ConvolutionMethod(d, d.tile == 6 ? CK_F32 : ck::productType(d, table)),
      table(table),
      blocks(outputBlocks(d.output_channels, table.mostVectors)),
      squares(squaresOf(d)),
      tilesX(ceilDivide(d.output_width, d.tile)),
      tilesY(ceilDivide(d.output_height, d.tile)),
      tileCount(tilesX * tilesY * d.batch) {
  const SquareLengths lengths = lengthsOf(squares);
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
  // Fewer tiles would read the weights too often; more than fill the cache are no use.
  const int64_t fewest = squares == Squares::six ? 24 : 30;
  const int64_t room = std::clamp<int64_t>(kWindowBytes / tileBytes, fewest, 96) / stepTiles;
  // An even number of parts, of one size or nearly so.
  const int64_t even = ceilDivide(ceilDivide(steps, std::max<int64_t>(room, 1)), 2) * 2;
  parts = isShared ? 1 : std::min(steps, even);
  // A block of fewer vectors takes more pixels at a time.
  const int64_t tiles = ceilDivide(steps, parts) * stepTiles + 18;
  // Planes that lie a multiple of a page apart would fight for a few lines of the caches.
  windowPlane = tiles * d.input_channels + kPlanePad;
  productPlane = tiles * lanes + kPlanePad;
  (isShared ? sharedBytes : windowBytes) = rounded(size_t(windows * windowPlane * elementBytes));
  productBytes = rounded(size_t(products * productPlane) * sizeof(float));
  threadBytes = windowBytes + productBytes
      + rounded(size_t(d.tile * kWinogradLine * lanes) * sizeof(float));
  title = (isStrided(d) ? "strided winograd " : d.upsample > 1 ? "upsampled winograd " : "winograd ")
      + std::to_string(d.tile) + ":" + table.name;
}

void Winograd::pack(const float *weights, void *packed) const {
  const ck_convolution &d = description;
  const int64_t pair = productType == CK_BF16 ? 2 : 1;
  const int64_t inputs = d.input_channels, outputs = d.output_channels;
  forParts(int64_t(blocks.size()), [&](int64_t part, int) {
    const ConvolutionBlock &block = blocks[size_t(part)];
    WinogradKernels kernels{};
    kernels.squares = squares;
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
  block.squares = squares;
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
  const WinogradBlock whole = block(run);
  const int threads = std::max(a.threads, 1);
  const int64_t count = std::min(steps, std::max(parts, int64_t(threads)));
  forParts(
      count,
      [&](int64_t part, int thread) {
        char *scratch = static_cast<char *>(a.scratch) + threadBytes * size_t(thread);
        WinogradBlock block = whole;
        block.windows = scratch;
        block.products = reinterpret_cast<float *>(scratch + windowBytes);
        block.line = reinterpret_cast<float *>(scratch + windowBytes + productBytes);
        block.firstTile = part * steps / count * stepTiles;
        block.endTile = std::min(tileCount, (part + 1) * steps / count * stepTiles);
        table.winogradBlock(block);
        tell(block);
      },
      threads);
}

/// Says which pixels a block has written.
void Winograd::tell(const WinogradBlock &block) const {
  const ck_convolution &d = description;
  if (!block.finish->blocks) return;
  const int64_t end = block.endBlock < blocks.size() ? blocks[block.endBlock].channel
                                                     : d.output_channels;
  const int64_t channels = end - blocks[block.firstBlock].channel;
  for (int64_t tile = block.firstTile; tile < block.endTile;) {
    const int64_t x = tile % tilesX, row = tile / tilesX;
    const int64_t endX = std::min(tilesX, x + block.endTile - tile);
    const int64_t picture = row / tilesY, top = row % tilesY * d.tile;
    const int64_t left = x * d.tile, right = std::min(endX * d.tile, d.output_width);
    for (int64_t y = top; y < std::min(top + d.tile, d.output_height); ++y)
      block.finish->blocks->add(
          (picture * d.output_height + y) * d.output_width + left, right - left, 1, channels);
    tile += endX - x;
  }
}

/// All windows first, by rows of tiles; then each part takes some outputs of all tiles, so that every weight
/// is read once.
void Winograd::runShared(const ConvolutionRun &run) const {
  const ck_convolution_arguments &a = run.arguments;
  const int threads = std::max(a.threads, 1);
  const int64_t tileBytes = description.input_channels * int64_t(sizeOf(productType));
  char *windows = static_cast<char *>(a.scratch);
  const WinogradBlock whole = block(run);
  forParts(
      ceilDivide(tileCount, tilesX),
      [&](int64_t row, int) {
        WinogradBlock block = whole;
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
        WinogradBlock block = whole;
        block.makesWindows = false;
        block.firstBlock = size_t(part / groups);
        block.endBlock = block.firstBlock + 1;
        block.firstTile = group * steps / groups * stepTiles;
        block.endTile = std::min(tileCount, (group + 1) * steps / groups * stepTiles);
        block.windows = windows + block.firstTile * tileBytes;
        block.products = reinterpret_cast<float *>(scratch);
        block.line = reinterpret_cast<float *>(scratch + productBytes);
        table.winogradBlock(block);
        tell(block);
      },
      threads);
}

}  // namespace ck
