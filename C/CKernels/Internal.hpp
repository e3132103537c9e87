#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "CKernels.h"
#include "Pointwise.hpp"

namespace ck {

/// A bfloat16 and a float16, by their bits.
struct Brain {
  uint16_t bits;
};
struct Half {
  uint16_t bits;
};

inline float toFloat(float value) { return value; }
inline float toFloat(Brain value) {
  return __builtin_bit_cast(float, static_cast<uint32_t>(value.bits) << 16);
}
float toFloat(Half value);
inline void fromFloat(float value, float &to) { to = value; }
/// Whole numbers of 0 to 255.
inline void fromFloat(float value, uint8_t &to) { to = static_cast<uint8_t>(value); }
inline void fromFloat(float value, Brain &to) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  to.bits = static_cast<uint16_t>(
      value != value ? (bits >> 16) | 0x40u : (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
void fromFloat(float value, Half &to);

/// How many products of bfloat16 pairs this processor makes while it makes one of float32; call it only
/// where it has them.
double bfloat16Rate();

/// Lets waiting threads sleep soon while the machine is busy; see Waiting.cpp.
void watchContention();

/// In the child of a fork: no thread waits, and no look is under way.
void forgetContention();

// MARK: Convolution

constexpr int kMostTaps = 1024;
/// Room for the largest tile: 18 pixels × 1, 12 × 2, 8 × 3 or 6 × 4 vectors of 16.
constexpr int kMostSums = 24 * 16;

/// One distance between an output and an input coordinate, and the kernel positions that meet there.
struct Tap {
  int64_t offset;
  std::vector<int> positions;
};

/// Output channels that one pass computes, `vectors` times 16.
struct ConvolutionBlock {
  int vectors;
  int64_t channel;
  /// Where its packed weights start, and how many each tap has, in elements.
  int64_t weights, tapSize;
};

/// The outputs at `firstY + i · everyY`, `firstX + j · everyX`, which all see the same taps.
struct ConvolutionPhase {
  int64_t originY, originX, everyY, everyX;
  int64_t rows, columns;
  /// Input coordinate = step · index + offset.
  int64_t stepY, stepX;
  std::vector<Tap> tapsY, tapsX;
  /// Offsets of the first and the last column that a window touches.
  int64_t firstX, lastX;
  /// Contiguous elements that one pointer covers; all columns of a row where they lie side by side.
  int64_t length;
  /// How many kernel columns one pointer covers.
  int64_t merged;
  /// 1 where the last pair reaches one element too far.
  int64_t overread;
  std::vector<ConvolutionBlock> blocks;

  /// The columns from the first to the last that a window touches.
  int64_t span() const { return lastX - firstX + 1; }
};

class FinishedBlocks;

struct Finish {
  const float *bias, *scale, *offset;
  ck_function activation;
  float alpha, beta;
  int64_t channels;
  /// Who is told what is written; null where nobody wants its statistics.
  const FinishedBlocks *blocks;
};

/// Tells that `count` pixels are written, as `FinishedBlocks::add`; for code that is compiled per instruction set.
void tellFinished(const FinishedBlocks &blocks, int64_t first, int64_t count, int64_t step, int64_t channels);

/// How the values of one picture are read: as they are, or as an instance norm leaves them, and perhaps a ReLU.
struct Reading {
  /// Means, factors and offsets, one an input channel each; null for values as they are.
  const float *factors;
  bool hasRelu;

  /// That of another picture, counted from this one.
  Reading of(int64_t picture, int64_t channels) const {
    return {factors ? factors + picture * 3 * channels : nullptr, hasRelu};
  }
};

/// One output row of one phase.
struct ConvolutionRow {
  const ConvolutionPhase *phase;
  const Finish *finish;
  /// The source's is that of products.
  ck_type sourceType, destinationType;
  /// Start of the picture.
  const void *source;
  const void *weights;
  /// First output of the row; the residual lies alike.
  void *destination;
  const void *residual;
  int64_t pixelStep;
  void *patch;
  int64_t patchStride;
  float *columns;
  int64_t y, outputWidth;
  int64_t inputHeight, inputWidth, inputChannels, sourceRowStride;
  int64_t kernelWidth, padLeft;
  const int *pixels;
};

constexpr int kMostDepthwiseLines = 16;

/// Some channels of one output row of a depthwise convolution.
struct DepthwiseRow {
  const ck_depthwise *layer;
  /// The input rows that the window meets inside of the picture, and the weights `[kw, C]` of each.
  const void *lines[kMostDepthwiseLines];
  const float *weights[kMostDepthwiseLines];
  int lineCount;
  const float *bias;
  int64_t firstChannel, endChannel;
  void *destination;
};

/// Pixels of a line in which Winograd's results are finished.
constexpr int kWinogradLine = 32;

/// The squares of results that Winograd's method computes at a time: of two, four or six pixels, of four of a picture
/// whose pixels are repeated, or of three by windows that move by two; see WinogradSquares.inl.hpp.
enum class Squares { two, four, six, fourRepeated, threeStrided };

/// How many values there are along one axis of a square's transformed window, of its transformed kernel, and of their
/// products.
struct SquareLengths {
  int window, kernel, products;
};

constexpr SquareLengths lengthsOf(Squares squares) {
  switch (squares) {
    case Squares::two: return {4, 4, 4};
    case Squares::four: return {6, 6, 6};
    case Squares::six: return {8, 8, 8};
    case Squares::fourRepeated: return {4, 5, 5};
    case Squares::threeStrided: return {7, 5, 7};
  }
  return {};
}

/// Some tiles of a convolution by Winograd's method, counted along the rows of all pictures.
struct WinogradBlock {
  Squares squares;
  ck_type sourceType, destinationType;
  const Finish *finish;
  const std::vector<ConvolutionBlock> *blocks;
  const int *pixels;
  /// Whether the windows are made from the picture, or were before; and the blocks of outputs that follow.
  bool makesWindows;
  size_t firstBlock, endBlock;
  /// That of the first picture; the factors of the others follow, `3 · inputChannels` each.
  Reading reading;
  const void *source, *weights, *residual;
  void *destination;
  /// Scratch: windows `[position, tile, input channels]`, products `[product, tile, lanes]`, each position
  /// `windowPlane` or `productPlane` elements from the one before, and finished lines `[tile, kWinogradLine, lanes]`.
  void *windows;
  float *products, *line;
  int64_t windowPlane, productPlane, firstTile, endTile, tilesX, tilesY;
  int64_t inputHeight, inputWidth, inputChannels, outputHeight, outputWidth, padTop, padLeft;
  int64_t sourceRowStride, sourceBatchStride, destinationRowStride, destinationBatchStride;
  int64_t residualRowStride, residualBatchStride;
};

/// Outputs that the products of WideWinograd.hpp take together, and its most blocks of a window, one above the
/// other: 15 rows.
constexpr int64_t kWideOutputs = 4, kMostWideBlocks = 5;

/// Floats from one channel to the next in `vectors` vectors of squares: with those that the blocks to the right see.
inline int64_t wideStride(int64_t vectors) { return vectors * 16 + 32; }

/// Floats from one point to the next where each has so many: an odd number of cache lines, so that all points'
/// lines fit into a first cache together.
inline int64_t widePlane(int64_t floats) { return (floats + 15) / 16 / 2 * 32 + 16; }

/// Some rows of squares of a strip; see WideWinograd.hpp. Strides count elements.
struct WideWinogradBlock {
  ck_type sourceType, destinationType;
  const Finish *finish;
  Reading reading;
  /// Of this picture.
  const void *source;
  const float *weights;
  const void *residual;
  void *destination;
  /// Scratch: rows `[5, 3, channels, stride]`, windows `[blocksY, point, channels, stride]`, products
  /// `[point, outputs, squares]`, points and rows' thirds `widePlane` apart; results `[9, 16, squares]` and a line of finished pixels `[pixels, 16]`.
  float *rows, *windows, *products, *results, *line;
  int64_t blocksY, blocksX, firstTileY, endTileY, firstTileX, vectors, stride, picture;
  int64_t inputHeight, inputWidth, inputChannels, outputHeight, outputWidth, padTop, padLeft;
  int64_t sourceRowStride, destinationRowStride, residualRowStride;
};

/// The kernels from one input channel, or in bfloat16 from two, to 16 outputs; strides count elements.
struct WinogradKernels {
  Squares squares;
  ck_type type;
  bool isMirrored;
  int64_t count, inputStride, outputStride, positionStride;
  const float *source;
  void *destination;
};

/// One of the two pictures that the gradient of weights is made of; dense, channels last.
struct WinogradPicture {
  const void *source;
  int64_t height, width, channels;
};

/// Some tiles that add to the gradient of a convolution's weights.
struct WinogradGradientBlock {
  int tile;
  ck_type type;
  WinogradPicture large, small;
  int64_t padTop, padLeft;
  const std::vector<ConvolutionBlock> *blocks;
  /// Scratch: `[position, slotStride, channels, pair]`.
  void *windows, *deltas;
  /// `[position, block, input, lanes]`; added to.
  float *sums;
  int64_t slotStride, firstTile, endTile, tilesX, tilesY;
};

/// The sums of several threads, for one input channel.
struct WinogradGradientSums {
  int tile;
  const std::vector<ConvolutionBlock> *blocks;
  const float *const *sums;
  int64_t parts, input, inputs, outputs;
  float *destination;
};

// MARK: Instance normalisation

struct NormBlock {
  int64_t pixels, channels;
  const void *source;
  void *destination;
  const void *residual;
  ck_type sourceType, destinationType;
  /// Means, then sums of squared distances or factors, then offsets; one a channel.
  float *first, *second, *third;
  ck_function activation;
  float alpha, beta;
};

/// A block of the gradient of an instance norm. Statistics: `first` gets the means of x, `second` the
/// sums of squared distances from them, `third` the sums of dy, `fourth` those of dy times the distance.
/// Application: dx = second · dy + third · (x - first) + fourth.
struct NormGradientBlock {
  int64_t pixels, channels;
  const void *source, *gradient;
  void *destination;
  ck_type sourceType, gradientType;
  float *first, *second, *third, *fourth;
};

// MARK: Gradients of pooling and padding

/// A window of a pooled picture, for some neighbouring channels; strides count elements.
struct PoolingWindow {
  int64_t rows, columns, channels;
  int64_t rowStride, pixelStride;
  const void *source, *gradient;
  ck_type sourceType, gradientType, destinationType;
  void *destination;
  int64_t destinationRowStride, destinationPixelStride;
  bool isMaximum, adds;
  float factor;
};

/// destination = Σ sources, of one type.
struct SumRange {
  const void *const *sources;
  int64_t sourceCount;
  void *destination;
  ck_type type;
  int64_t count;
};

// MARK: Maxima and softmax

/// One output row of a maximum over windows, channels last; starts and ends are those of each window.
struct MaxPoolingRow {
  ck_type type;
  int64_t rows, rowStride, channels, outputWidth;
  const int32_t *columnStarts, *columnEnds;
  /// The first pixel of the windows' first row, and the end of all pixels.
  const void *source, *sourceEnd;
  /// The row's first output, and the end of the row.
  void *destination;
  const void *destinationEnd;
};

/// Rows that lie one after another (stride 1), or some columns of one whose elements lie apart.
struct SoftmaxBlock {
  ck_type type;
  int64_t rows, axis, stride, columns;
  const void *source;
  void *destination;
};

/// Rows that are normalised; factors and shifts may be null.
struct LayerNormBlock {
  const float *source, *gamma, *beta;
  float *destination;
  int64_t rows, length;
  float epsilon;
};

// MARK: Reductions

/// Columns that are reduced side by side.
constexpr int64_t kReductionColumns = 256;

/// `count` values of each of some neighbouring columns, `stride` apart; or with a stride of 1 some rows
/// of `count` values, one after another.
struct ReductionBlock {
  ck_reduction_kind kind;
  ck_type type;
  int64_t count, stride, columns, rows;
  float epsilon;
  const void *source;
  float *result;
};

// MARK: Random numbers and recurrence

/// Numbers `start ..< start + count` of a sequence; start is a multiple of 32.
struct RandomRange {
  ck_distribution distribution;
  float first, second;
  uint64_t seed;
  int64_t start, count;
  /// Where number 0 belongs.
  float *destination;
};

/// 16 units of one step along a sequence. States are [batch, stride].
struct RecurrenceStep {
  const ck_recurrence *layer;
  int64_t gates;
  /// The size rounded up to whole vectors.
  int64_t stride;
  /// [batch, gates, size] of this step.
  const float *projected;
  const float *before;
  float *after;
  /// Of an LSTM the cells, of a GRU what the reset gate leaves of the outputs before.
  float *cells;
  float *updates;
  int phase;
  int64_t block;
};

// MARK: Regions

/// One row of interpolated pixels.
struct CropRow {
  /// A column's two pixels and the share of the second.
  struct Tap {
    int64_t low, high;
    float share;
  };
  const void *upper, *lower;
  void *destination;
  ck_type type;
  int64_t columns, channels;
  const Tap *taps;
  /// The share of the lower row.
  float share;
};

/// The edges of boxes that are kept, in arrays of their own, and of one that asks.
struct KeptBoxes {
  const double *left, *right, *top, *bottom, *area;
  const int32_t *best;
  int64_t count;
};
struct Box {
  double left, right, top, bottom, area;
  int32_t best;
};

// MARK: Stored matrices

/// Columns of one part, and elements of their rows that are widened together.
constexpr int64_t kStoredColumns = 24, kStoredInner = 1024;

/// Some columns of a matrix and some elements of their rows, times all rows of the source.
struct StoredBlock {
  const ck_stored_matrix *matrix;
  int64_t column, columns, first, count;
  const float *source;
  int64_t rows;
  /// Sums of these columns; added to, and finished by the last elements of the rows.
  float *sums;
  int64_t sumsStride;
  ck_function activation;
  float alpha, beta;
};

/// A row of `destination = first (function) second`; steps of the operands in elements.
struct WholeRow {
  ck_whole_function function;
  const int32_t *first, *second;
  int64_t firstStep, secondStep;
  int32_t *destination;
  int64_t count;
};

/// What each instruction set implements.
struct Table {
  const char *name;
  /// Whether pairs of bfloat16 are multiplied and summed up by one instruction. Elsewhere they are widened first,
  /// which takes longer than products of float32.
  bool multipliesBrain;
  /// The most vectors of output channels in one block, and the pixels of a tile by vectors.
  int mostVectors;
  int pixels[5];
  void (*convolutionRow)(const ConvolutionRow &);
  void (*depthwiseRow)(const DepthwiseRow &);
  void (*winogradBlock)(const WinogradBlock &);
  void (*winogradKernels)(const WinogradKernels &);
  void (*wideWinogradBlock)(const WideWinogradBlock &);
  void (*winogradGradient)(const WinogradGradientBlock &);
  void (*winogradGradientSums)(const WinogradGradientSums &);
  void (*pointwiseTiles)(const PointwiseTiles &);
  void (*reductionBlock)(const ReductionBlock &);
  void (*normStatistics)(const NormBlock &);
  void (*normApply)(const NormBlock &);
  void (*normGradientStatistics)(const NormGradientBlock &);
  void (*normGradientApply)(const NormGradientBlock &);
  void (*poolingGradient)(const PoolingWindow &);
  void (*sumRange)(const SumRange &);
  void (*maxPoolingRow)(const MaxPoolingRow &);
  void (*softmax)(const SoftmaxBlock &);
  void (*layerNorm)(const LayerNormBlock &);
  void (*convertRun)(const void *source, ck_type from, void *destination, ck_type to, int64_t count);
  void (*randomRange)(const RandomRange &);
  void (*recurrenceStep)(const RecurrenceStep &);
  /// folded = max(folded, row), where not-a-number wins, or folded += row; `starts` with the row itself.
  void (*foldMaximum)(const void *row, ck_type type, int64_t count, bool starts, float *folded);
  void (*foldSum)(const void *row, ck_type type, int64_t count, bool starts, double *folded);
  void (*cropRow)(const CropRow &);
  /// Whether a box overlaps one of those kept by more than the share; classes count where `perClass`.
  bool (*overlapsAny)(const KeptBoxes &kept, const Box &box, double overlap, bool perClass);
  float (*dotProduct)(const float *a, const float *b, int64_t count, bool cosine);
  /// `ck_weigh_rows` and `ck_weigh_columns`.
  void (*weighRows)(
      float *sums, const uint8_t *rows, size_t rowStride, const float *weights, size_t taps,
      size_t count);
  void (*weighColumns)(
      uint8_t *out, const float *sums, const int32_t *starts, const int32_t *counts,
      const float *weights, size_t stride, size_t width, int32_t components);
  void (*cutOffRun)(const float *source, int32_t *destination, int64_t count);
  void (*widenRun)(const int32_t *source, float *destination, int64_t count);
  void (*storedBlock)(const StoredBlock &);
  void (*widenStored)(
      const ck_stored_matrix &matrix, int64_t column, int64_t first, int64_t count, float *to);
  void (*wholeRow)(const WholeRow &);
};

/// The type in which a convolution's pictures and weights are multiplied.
inline ck_type productType(const ck_convolution &d, const Table &table) {
  return table.multipliesBrain ? d.source_type : CK_F32;
}

extern const Table plainTable, avx2Table, avx512Table, avx512BrainTable;
const Table &table();

/// `ck_parallel` for callables, with the index of the thread.
void parallel(
    void (*body)(void *context, int64_t part, int thread), void *context, int64_t parts,
    int mostThreads);

template <typename Body>
void forParts(int64_t parts, Body body, int mostThreads = 0) {
  parallel(
      [](void *context, int64_t part, int thread) {
        (*static_cast<Body *>(context))(part, thread);
      },
      &body, parts, mostThreads);
}

inline int64_t ceilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Bytes up to the next pair of cache lines.
inline size_t rounded(size_t bytes) { return (bytes + 127) / 128 * 128; }

inline size_t sizeOf(ck_type type) {
  switch (type) {
    case CK_F32: case CK_S32: return 4;
    case CK_BF16: case CK_F16: return 2;
    case CK_S8: case CK_U8: return 1;
    case CK_F64: case CK_S64: return 8;
  }
  return 0;
}

}  // namespace ck
