#pragma once

#include <cstdint>
#include <vector>

#include "convolution/ConvolutionRows.hpp"

namespace ck {

/// The number of pixels of a row that are finished at a time.
constexpr int kWinogradLine = 32;

/// The output tiles of Winograd's algorithm: F(2), F(4), F(6), F(4) with upsampling, or F(3) with strides of 2. See
/// WinogradTiles.inl.hpp.
enum class TileKind { two, four, six, fourRepeated, threeStrided };

/// The number of values along one axis of a tile's transformed input, of its transformed kernel, and of their
/// products.
struct TileLengths {
  int window, kernel, products;
};

constexpr TileLengths lengthsOf(TileKind tileKind) {
  switch (tileKind) {
    case TileKind::two: return {4, 4, 4};
    case TileKind::four: return {6, 6, 6};
    case TileKind::six: return {8, 8, 8};
    case TileKind::fourRepeated: return {4, 5, 5};
    case TileKind::threeStrided: return {7, 5, 7};
  }
  return {};
}

/// Some tiles of a convolution by Winograd's algorithm, counted along the rows of all images.
struct WinogradBlock {
  TileKind tileKind;
  ck_type sourceType, destinationType;
  const Finish *finish;
  const std::vector<ConvolutionBlock> *blocks;
  const int *pixels;
  /// `makesWindows`: whether the block transforms its input. It is false if the input is transformed already.
  /// `firstBlock` and `endBlock`: the blocks of outputs that this block computes.
  bool makesWindows;
  size_t firstBlock, endBlock;
  /// How the values of the first image are read. The factors of the other images follow in memory, `3 · inputChannels`
  /// numbers for each image.
  Reading reading;
  const void *source, *weights, *residual;
  void *destination;
  /// Scratch memory: transformed input `[position, tile, input channels]`, products `[product, tile, lanes]` and
  /// finished rows `[tile, kWinogradLine, lanes]`. `windowPlane` is the distance in elements from one position of the
  /// transformed input to the next, and `productPlane` that from one product to the next.
  void *windows;
  float *products, *line;
  int64_t windowPlane, productPlane, firstTile, endTile, tilesX, tilesY;
  int64_t inputHeight, inputWidth, inputChannels, outputHeight, outputWidth, padTop, padLeft;
  int64_t sourceRowStride, sourceBatchStride, destinationRowStride, destinationBatchStride;
  int64_t residualRowStride, residualBatchStride;
};

/// kWideOutputs: the number of outputs in one group (WideWinograd.hpp). kMaxWideBlocks: the maximum number of blocks of
/// three rows in a kernel, which has at most 15 rows.
constexpr int64_t kWideOutputs = 4, kMaxWideBlocks = 5;

/// Returns the distance in floats from one channel to the next. It has space for `vectors` vectors of tiles, and for
/// the tiles after them that the right blocks of a kernel read.
inline int64_t wideStride(int64_t vectors) { return vectors * 16 + 32; }

/// Returns the distance in floats from one interpolation point to the next. It is at least `floats`, and an odd number
/// of cache lines. The cache lines of all points then fit a first-level cache together.
inline int64_t widePlane(int64_t floats) { return (floats + 15) / 16 / 2 * 32 + 16; }

/// Some rows of tiles of a strip (see WideWinograd.hpp). Strides count elements.
struct WideWinogradBlock {
  ck_type sourceType, destinationType;
  const Finish *finish;
  Reading reading;
  /// The memory of one image's source, residual and destination.
  const void *source;
  const float *weights;
  const void *residual;
  void *destination;
  /// Scratch memory: rows of the image `[5, 3, channels, stride]`, transformed input
  /// `[blocksY, point, channels, stride]`, products `[point, outputs, tiles]`, results `[9, 16, tiles]`, and a row of
  /// finished pixels `[pixels, 16]`. `widePlane` is the distance between points, and between the three groups of
  /// columns of a row.
  float *rows, *windows, *products, *results, *line;
  int64_t blocksY, blocksX, firstTileY, endTileY, firstTileX, vectors, stride, picture;
  int64_t inputHeight, inputWidth, inputChannels, outputHeight, outputWidth, padTop, padLeft;
  int64_t sourceRowStride, destinationRowStride, residualRowStride;
};

/// The kernels to 16 outputs from one input channel, or in bfloat16 from two input channels. Strides count elements.
struct WinogradKernels {
  TileKind tileKind;
  ck_type type;
  bool isMirrored;
  int64_t count, inputStride, outputStride, positionStride;
  const float *source;
  void *destination;
};

/// One of the two images from which a gradient of weights is computed. The image is dense, with the channels last.
struct WinogradPicture {
  const void *source;
  int64_t height, width, channels;
};

/// Some tiles whose products are added to the gradient of a convolution's weights.
struct WinogradGradientBlock {
  int tile;
  ck_type type;
  WinogradPicture large, small;
  int64_t padTop, padLeft;
  const std::vector<ConvolutionBlock> *blocks;
  /// Scratch memory for the two transformed images: `[position, slotStride, channels, pair]`.
  void *windows, *deltas;
  /// `[position, block, input, lanes]`. The products are added to these sums.
  float *sums;
  int64_t slotStride, firstTile, endTile, tilesX, tilesY;
};

/// The sums of all parts of the work, from which the kernels of one input channel are computed.
struct WinogradGradientSums {
  int tile;
  const std::vector<ConvolutionBlock> *blocks;
  const float *const *sums;
  int64_t parts, input, inputs, outputs;
  float *destination;
};

}  // namespace ck
