#pragma once

#include <cstdint>
#include <vector>

#include "ck_convolution.h"

namespace ck {

constexpr int kMaxTaps = 1024;
// The maximum number of phases of a transposed convolution (stride height × stride width). Each phase has its own
// taps and packed weights (`ConvolutionPhase`).
constexpr int64_t kMaxPhases = 4096;
/// The number of sums in the largest tile. A tile has 18 pixels × 1 vector, 12 pixels × 2 vectors, 8 pixels × 3 vectors
/// or 6 pixels × 4 vectors. Each vector holds 16 sums.
constexpr int kMaxSums = 24 * 16;

/// The kernel positions along one axis that read the same input coordinate. Output `i` of a phase reads this tap at the
/// input coordinate `step · i + offset`, where `step` is the phase's `stepY` or `stepX`.
struct Tap {
  int64_t offset;
  std::vector<int> positions;
};

/// A block of `vectors` · 16 output channels that one pass computes.
struct ConvolutionBlock {
  int vectors;
  int64_t channel;
  /// The offset of the block's packed weights, and the number of weights per tap, in elements.
  int64_t weights, tapSize;
};

/// A phase of a convolution: the outputs at rows `originY + i · everyY` and columns `originX + j · everyX`, for all i
/// and j. These outputs share one set of taps.
struct ConvolutionPhase {
  int64_t originY, originX, everyY, everyX;
  int64_t rows, columns;
  /// The distance, in the input, between the coordinates that a tap reads for two neighbouring outputs of the phase.
  int64_t stepY, stepX;
  std::vector<Tap> tapsY, tapsX;
  /// The smallest and the largest offset of the taps in `tapsX`.
  int64_t firstX, lastX;
  /// The number of contiguous elements that the inner loop reads from one pointer. If the taps in `tapsX` read
  /// adjacent input columns, these are the elements of all these columns. Otherwise, they are the elements of one
  /// column.
  int64_t length;
  /// The number of kernel columns that the inner loop reads from one pointer.
  int64_t merged;
  /// 1 if the last pair of bfloat16 values contains one element after the `length` elements, else 0.
  int64_t overread;
  std::vector<ConvolutionBlock> blocks;

  /// The number of input columns from the first to the last column that the taps read for one output.
  int64_t span() const { return lastX - firstX + 1; }

  /// The number of pointers from which the inner loop reads a row: one, or one for each tap in `tapsX`.
  int64_t groups() const { return tapsX.empty() ? 0 : static_cast<int64_t>(tapsX.size()) / merged; }
};

class FinishedBlocks;

struct Finish {
  const float *bias, *scale, *offset;
  ck_function activation;
  float alpha, beta;
  int64_t channels;
  /// Whether each of these is rounded to float16: the sum with the bias, the sum with the residual, and the result of
  /// the activation.
  bool rounds;
  /// Computes the statistics of finished pixels while they are in the cache. Null if the caller needs no statistics.
  const FinishedBlocks *blocks;
};

/// Calls `FinishedBlocks::add`. Code that is compiled once per instruction set calls this function instead of the
/// method.
void reportFinished(const FinishedBlocks &blocks, int64_t first, int64_t count, int64_t step, int64_t channels);

/// How the values of an image are read: unchanged, or through an instance norm, with or without a ReLU.
struct Reading {
  /// The mean, factor and offset of each input channel. Null if values are read unchanged.
  const float *factors;
  bool hasRelu;

  /// Returns the reading of the image that is `picture` images after this one.
  Reading of(int64_t picture, int64_t channels) const {
    return {factors ? factors + picture * 3 * channels : nullptr, hasRelu};
  }
};

/// The arguments for one output row of one phase.
struct ConvolutionRow {
  const ConvolutionPhase *phase;
  const Finish *finish;
  /// `sourceType` is also the type of the multiply-adds.
  ck_type sourceType, destinationType;
  /// The first pixel of the image.
  const void *source;
  const void *weights;
  /// The first output of the row; the residual has the same layout.
  void *destination;
  const void *residual;
  int64_t pixelStep;
  void *patch;
  int64_t patchStride;
  float *columns;
  int64_t y, outputWidth;
  /// The columns of the row that are computed, except by the algorithm with columns, which always computes all.
  int64_t firstColumn, endColumn;
  int64_t inputHeight, inputWidth, inputChannels, sourceRowStride;
  int64_t kernelWidth, padLeft;
  const int *pixels;
};

/// Some rows and columns of a convolution with a kernel of 1 × 1, as a product of matrices (`ProductConvolution`).
struct ProductBlock {
  const Finish *finish;
  /// The types of the results and of the packed right matrix, which is float32 or, for float32 results, float16.
  ck_type destinationType, weightsType;
  /// The first row of the left matrix, the packed right matrix, and the first row of the results.
  const float *source;
  const void *weights;
  void *destination;
  const void *residual;
  /// The length of the sums, all rows, and the rows of the block.
  int64_t inner, rows, firstRow, endRow;
  const ConvolutionBlock *panels;
  int64_t panelCount;
  const int *pixels;
};

constexpr int kMaxDepthwiseRows = 16;

/// Some channels of one output row of a depthwise convolution.
struct DepthwiseRow {
  const ck_depthwise *layer;
  /// The input rows inside the image that the kernel reads, and for each of them the weights `[kw, C]`.
  const void *rows[kMaxDepthwiseRows];
  const float *weights[kMaxDepthwiseRows];
  int rowCount;
  const float *bias;
  int64_t firstChannel, endChannel;
  void *destination;
};

}  // namespace ck
