#pragma once

#include "Internal.hpp"

namespace ck {

/// Products of bfloat16 on matrix tiles: 16 rows of 32 values times 32 × 16 values, with float32 sums.
///
/// The instruction `tdpbf16ps` computes, for each row m and column n, with `flush` making zeros of
/// subnormal numbers and every sum rounded to the nearest even:
///
///     even = odd = 0
///     for k in 0 ..< 16:
///       even = flush(fma(flush(a[m][2k]),     flush(b[k][2n]),     even))
///       odd  = flush(fma(flush(a[m][2k + 1]), flush(b[k][2n + 1]), odd))
///     c[m][n] = flush(flush(c[m][n]) + flush(even + odd))
///
/// So results depend on the order of the steps of 32 values alone. Where the processor has no tiles, the
/// same kernels run on an acted tile, which computes exactly this.

/// 16 pixels of one row, or 16 rows of a matrix, as the inner loop reads them: bytes from pixel to pixel,
/// and from 32 values to the next. What lies outside of the picture has both 0 and reads zeros.
struct TileLine {
  const char *base;
  int64_t pixelStep, chunkStep;
};

/// Some rows and outputs of one phase of a picture.
struct TileRows {
  const ConvolutionPhase *phase;
  const Finish *finish;
  ck_type destinationType;
  /// Start of the picture; of bfloat16.
  const Brain *source, *weights;
  /// The phase's first output; the residual lies alike. Steps in elements.
  char *destination;
  const char *residual;
  int64_t destinationRowStep, residualRowStep, pixelStep;
  /// What is computed: rows and columns of the phase, blocks of outputs.
  int64_t firstRow, endRow, firstColumn, endColumn;
  int firstBlock, endBlock;
  int64_t inputHeight, inputWidth, inputChannels, sourceRowStride;
  /// Whether pixels are brought together before they are read: where 32 channels do not fill them.
  bool gathers;
  /// Whether the window's columns are outputs, and how many they are.
  bool hasColumns;
  int64_t kernelWidth, padLeft;
  /// Rows of a patch, and what was gathered; of one thread.
  Brain *patch, *strips;
  int64_t patchStride, stripStride;
  /// Sums of a row of outputs, with `hasColumns`; two rows.
  float *line;
  int64_t lineStride;
};

/// Some rows of one of a batch of products of matrices; float32 in and out.
struct TileProductRows {
  const ck_tile_product *product;
  const float *source;
  const Brain *packed;
  float *destination;
  int64_t firstRow, endRow;
  Brain *strips;
};

/// A quotient that is rounded down, of a positive divisor.
constexpr int64_t floorDivided(int64_t value, int64_t divisor) {
  return value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor);
}

/// Some rows of `small`, counted through the batch, and their sums of the gradient of a convolution's weights.
struct TileGradientRows {
  const ck_tile_gradient *gradient;
  const Brain *large, *small;
  int64_t firstRow, endRow;
  /// Blocks of 16 channels, and of 32 pixels of a row of `small`.
  int64_t inputBlocks, outputBlocks, chunks;
  /// Rows of `small` that are read at a time.
  int64_t bandRows;
  /// Rows of `large`: where their steps of the stride begin, their length, and that of all channels.
  int64_t firstStep, stripStride, stripRow;
  int64_t packedStride;
  /// `[window's row, window's column, block of inputs, block of outputs, 16, 16]`.
  float *sums;
  /// Memory of one thread for a band.
  Brain *strips, *packed;

  int64_t taps() const { return gradient->kernel_height * gradient->kernel_width; }
};

/// What a kind of tile implements.
struct TileTable {
  const char *name;
  void (*rows)(const TileRows &);
  void (*productRows)(const TileProductRows &);
  void (*gradientRows)(const TileGradientRows &);
  /// One instruction: `c += a · b` on a[16][32], b[16][16][2] and c[16][16].
  void (*multiply)(const Brain *a, const Brain *b, float *c);
};

extern const TileTable plainTiles, avx2Tiles, avx512Tiles;
/// The processor's own; only where `matrixTilesArePermitted` is true.
extern const TileTable matrixTiles;

/// Asks the system once whether this process may use the processor's tiles, and tries them.
bool matrixTilesArePermitted();

/// The tiles that a plan uses: the processor's own where `ck_tiles` allows them, unless they shall be
/// acted; or else those acted by the instructions at hand.
const TileTable &tileTable(bool acted);

}  // namespace ck
