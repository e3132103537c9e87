#pragma once

#include <vector>

#include "convolution/ConvolutionAlgorithm.hpp"
#include "convolution/PreparedRows.hpp"

namespace ck {

/// The direct algorithm. Splits the outputs of a transposed convolution or of an upsampled one into phases
/// (`ConvolutionPhase`). Other convolutions have one phase. For large kernels with few outputs, first computes the sum
/// of each kernel column as if it were a separate output, and then adds the sums of all columns.
class DirectConvolution : public ConvolutionAlgorithm {
 public:
  DirectConvolution(const ck_convolution &description, const Table &table);

  void pack(const float *weights, void *packed) const override;
  void run(const ConvolutionRun &run) const override;

 private:
  /// Some columns of some rows of one phase, or of several phases.
  struct Part {
    size_t firstPhase, endPhase;
    int64_t firstRow, endRow, firstColumn, endColumn;
  };

  void blockOutputs();
  void cutIntoParts();
  void cutColumns();
  SeenRows rowsSeen(const Part &part) const;
  void runPhase(const ConvolutionRun &run, ConvolutionRow &row, const ConvolutionPhase &phase,
      const Part &part, int64_t picture) const;

  const Table &table;
  std::vector<ConvolutionPhase> phases;
  /// The parts of an image.
  std::vector<Part> parts;
  bool hasColumns;
  /// Whether rows of the image are first copied, either to apply an instance norm or to convert them to the type of the
  /// multiply-adds.
  bool preparesRows;
  /// A copy of the description. Its source type is the type of the multiply-adds.
  ck_convolution computed;
  /// A patch is a copy of the input columns that a group of taps reads for a tile, with zeros as padding. patchStride:
  /// the number of elements from one patch to the next. patchesPerRow: the largest number of groups of a phase.
  int64_t patchStride = 0, patchesPerRow = 0;
  /// The size of a patch in bytes, and the size in bytes of the column sums that follow the patch in memory.
  size_t patchBytes = 0, lineBytes = 0;
};

}  // namespace ck
