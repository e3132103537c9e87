#pragma once

#include "ck_tiles.h"
#include "common/Table.hpp"

namespace ck {

/// Products of bfloat16 on matrix tiles: 16 rows of 32 values times 32 × 16 values, with float32 sums.
///
/// For each row m and column n, the instruction `tdpbf16ps` computes the following. `flush` replaces subnormal numbers
/// by zeros. Every sum is rounded to nearest, ties to even:
///
///     even = odd = 0
///     for k in 0 ..< 16:
///       even = flush(fma(flush(a[m][2k]),     flush(b[k][2n]),     even))
///       odd  = flush(fma(flush(a[m][2k + 1]), flush(b[k][2n + 1]), odd))
///     c[m][n] = flush(flush(c[m][n]) + flush(even + odd))
///
/// So the results depend only on the order of the steps of 32 values. If the processor has no tiles, the same kernels
/// run on an emulated tile, which computes exactly this.

/// Float32 values are multiplied as pairs of bfloat16 (`storePairs`): the tiles add up high · high, low · high and
/// high · low. The error of a product is then about 2⁻¹⁶ of it. In memory, 32 high parts are followed by the 32 low
/// parts of the same values, and the weights of a step by the low parts of these weights.

/// One operand of a tile multiplication: 16 pixels of one row, or 16 rows of a matrix. `pixelStep` is the number of
/// bytes from one pixel to the next. `chunkStep` is the number of bytes from 32 values of a pixel to the pixel's next
/// 32 values. Outside the image, both steps are 0, and the operand reads zeros.
struct TileOperand {
  const char *base;
  int64_t pixelStep, chunkStep;
};

/// Some rows and some outputs of one phase, in one image.
struct TileRows {
  const ConvolutionPhase *phase;
  const Finish *finish;
  ck_type destinationType;
  /// The start of the image, in bfloat16.
  const BFloat16 *source, *weights;
  /// The phase's first output. The residual has the same layout as the destination. Steps are in elements.
  char *destination;
  const char *residual;
  int64_t destinationRowStep, residualRowStep, pixelStep;
  /// What to compute of the phase: a range of rows, a range of columns and a range of blocks of output channels.
  int64_t firstRow, endRow, firstColumn, endColumn;
  int firstBlock, endBlock;
  int64_t inputHeight, inputWidth, inputChannels, sourceRowStride;
  /// Whether values are pairs of bfloat16. `inputChannels` and `sourceRowStride` then count both parts.
  bool hasPairs;
  /// Whether pixels are gathered first, because the channels of a pixel do not fill rows of 32 values.
  bool gathers;
  /// Whether each column of the kernel is treated as a separate output, and the number of these columns.
  bool hasColumns;
  int64_t kernelWidth, padLeft;
  /// A thread's memory for patches of rows, and for gathered pixels.
  BFloat16 *patch, *strips;
  int64_t patchStride, stripStride;
  /// With `hasColumns`, the sums of two rows of outputs.
  float *line;
  int64_t lineStride;
};

/// Some rows of one matrix product of a batch. The matrices are float32.
struct TileMatmulRows {
  const ck_tile_matmul *product;
  const float *source;
  const BFloat16 *packed;
  float *destination;
  int64_t firstRow, endRow;
  BFloat16 *strips;
};

/// Returns the quotient, rounded down. The divisor must be positive.
constexpr int64_t floorDivided(int64_t value, int64_t divisor) {
  return value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor);
}

/// Some rows of `small`, and their contribution to the sums of a weights gradient. Rows are numbered through the whole
/// batch.
struct TileGradientRows {
  const ck_tile_weights_gradient *gradient;
  const BFloat16 *large, *small;
  int64_t firstRow, endRow;
  /// inputBlocks: the number of blocks of 16 input channels. outputBlocks: the number of blocks of 16 output channels.
  /// chunks: the number of blocks of 32 pixels in a row of `small`.
  int64_t inputBlocks, outputBlocks, chunks;
  /// The number of rows of `small` that are read at a time.
  int64_t bandRows;
  /// For the packed rows of `large`: the index of the first column divided by the stride, the length of a strip, and
  /// the length of a row with all channels.
  int64_t firstStep, stripStride, stripRow;
  int64_t packedStride;
  /// `[kernel row, kernel column, block of inputs, block of outputs, 16, 16]`.
  float *sums;
  /// A thread's memory for one band.
  BFloat16 *strips, *packed;

  int64_t taps() const { return gradient->kernel_height * gradient->kernel_width; }
};

/// Pixels of float32 that become pairs of bfloat16, with zeros for the channels that are missing to a multiple of 32.
struct PixelPairs {
  const float *source;
  BFloat16 *destination;
  int64_t pixels, channels;
};

/// The weights of 32 inputs and 16 or 32 outputs, which become the operands of a step: rounded to bfloat16, or as pairs
/// if `low` is not null.
struct TileWeights {
  float weights[32][32];
  /// The number of vectors of 16 outputs.
  int vectors;
  BFloat16 *high, *low;
};

/// The functions that a kind of tile implements.
struct TileTable {
  const char *name;
  void (*packWeights)(const TileWeights &);
  void (*pairs)(const PixelPairs &);
  void (*rows)(const TileRows &);
  void (*productRows)(const TileMatmulRows &);
  void (*gradientRows)(const TileGradientRows &);
  /// One instruction: `c += a · b` on a[16][32], b[16][16][2] and c[16][16].
  void (*multiply)(const BFloat16 *a, const BFloat16 *b, float *c);
};

extern const TileTable plainTiles, avx2Tiles, avx512Tiles;
/// The processor's own tiles. Use them only if `matrixTilesArePermitted` returns true.
extern const TileTable matrixTiles;

/// Asks the system once whether this process may use the processor's tiles, and tests them.
bool matrixTilesArePermitted();

/// Returns the tiles for a plan. These are the processor's own if `ck_has_matrix_tiles` allows them and `emulated` is
/// false. Otherwise the current instruction set emulates them.
const TileTable &tileTable(bool emulated);

}  // namespace ck
