#pragma once

#include <vector>

#include "convolution/ConvolutionAlgorithm.hpp"
#include "convolution/PreparedRows.hpp"
#include "tiles/Tiles.hpp"

namespace ck {

/// A convolution on matrix tiles, of bfloat16 values, or of float32 values as pairs of bfloat16 (`storePairs`). Splits
/// the outputs of a transposed convolution or of an upsampled one into phases (`ConvolutionPhase`). Other convolutions
/// have one phase. With bfloat16, large kernels and few outputs, the sum of each kernel column is first
/// computed as if it were a separate output. Then the sums of all columns are added.
///
/// Each sum runs over the kernel's rows, in each row over the kernel's columns, and in each column over the input
/// channels. It takes 32 values at a time. Taps that read adjacent columns count as one column with more channels.
class TileConvolution : public ConvolutionAlgorithm {
 public:
  /// Whether this algorithm supports a description. The caller must have filled in the strides.
  static bool suits(const ck_convolution &description);

  explicit TileConvolution(const ck_convolution &description);

  void pack(const float *weights, void *packed) const override;
  void run(const ConvolutionRun &run) const override;

 private:
  /// The work that one thread takes at a time.
  struct Part {
    const ConvolutionPhase *phase;
    int64_t firstRow, endRow, firstColumn, endColumn;
    int firstBlock, endBlock;
  };

  void blockOutputs();
  void cutIntoParts();
  void packSteps(const float *weights, BFloat16 *packed) const;
  void writePairs(const void *source, BFloat16 *pairs, int threads) const;
  void reportFinished(const FinishedBlocks &finished, int64_t picture, const Part &part) const;

  const TileTable &table;
  std::vector<ConvolutionPhase> phases;
  std::vector<Part> parts;
  bool hasColumns, gathers, hasPairs;
  /// The number of bfloat16 values of a pixel: its channels, or their pairs, padded to a multiple of 32 pairs.
  int64_t pixelValues = 0;
  int64_t patchStride = 0, stripStride = 0, lines = 0, lineStride = 0;
  /// The bytes of a thread's own scratch memory. Next in memory are the rows to which a norm was applied.
  size_t ownBytes = 0;
};

}  // namespace ck
