#pragma once

#include <vector>

#include "ConvolutionMethod.hpp"
#include "PreparedRows.hpp"
#include "Tiles.hpp"

namespace ck {

/// A convolution of bfloat16 on matrix tiles: windows of all kinds, strided, transposed and with repeated
/// pixels as phases, wide windows with few outputs by the window's columns.
///
/// Sums run over the window's rows, its columns (as taps lie side by side) and the input channels, 32
/// values at a time.
class TileConvolution : public ConvolutionMethod {
 public:
  /// Whether a description can be computed so. Strides are filled in.
  static bool suits(const ck_convolution &description);

  explicit TileConvolution(const ck_convolution &description);

  void pack(const float *weights, void *packed) const override;
  void run(const ConvolutionRun &run) const override;

 private:
  /// What one thread computes at a time.
  struct Part {
    const ConvolutionPhase *phase;
    int64_t firstRow, endRow, firstColumn, endColumn;
    int firstBlock, endBlock;
  };

  void blockOutputs();
  void cutIntoParts();
  void tell(const FinishedBlocks &finished, int64_t picture, const Part &part) const;

  const TileTable &table;
  std::vector<ConvolutionPhase> phases;
  std::vector<Part> parts;
  bool hasColumns, gathers;
  int64_t patchStride = 0, stripStride = 0, lines = 0, lineStride = 0;
  /// Scratch memory of a thread before the rows that a norm was applied to.
  size_t ownBytes = 0;
};

}  // namespace ck
