#pragma once

#include <vector>

#include "ConvolutionMethod.hpp"
#include "PreparedRows.hpp"

namespace ck {

/// A convolution by its plain sums: any window, strided, transposed and with repeated pixels as phases, wide
/// windows with few outputs by the window's columns.
class DirectConvolution : public ConvolutionMethod {
 public:
  DirectConvolution(const ck_convolution &description, const Table &table);

  void pack(const float *weights, void *packed) const override;
  void run(const ConvolutionRun &run) const override;

 private:
  /// Some rows of one phase, or of several.
  struct Part {
    size_t firstPhase, endPhase;
    int64_t firstRow, endRow;
  };

  void blockOutputs();
  void cutIntoParts();
  SeenRows rowsSeen(const Part &part) const;
  void runPhase(const ConvolutionRun &run, ConvolutionRow &row, const ConvolutionPhase &phase,
      const Part &part, int64_t picture) const;

  const Table &table;
  std::vector<ConvolutionPhase> phases;
  /// The parts of a picture.
  std::vector<Part> parts;
  bool hasColumns;
  /// Whether a norm is applied to the rows of the picture, or their type is another than that of products.
  bool preparesRows;
  /// The description with a picture of products' type.
  ck_convolution computed;
  /// Elements of one row of a patch; bytes of a patch, which a line of columns follows.
  int64_t patchStride = 0;
  size_t patchBytes = 0, lineBytes = 0;
};

}  // namespace ck
