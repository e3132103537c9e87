#pragma once

#include "convolution/ConvolutionAlgorithm.hpp"

namespace ck {

/// The algorithm for kernels of 1 × 1 with stride 1, in float32: one product of matrices. The left matrix has a row per
/// pixel of the batch, the right matrix a column per output channel.
class ProductConvolution : public ConvolutionAlgorithm {
 public:
  ProductConvolution(const ck_convolution &description, const Table &table);

  /// Returns whether the algorithm computes this convolution. All strides of the description are filled in.
  static bool suits(const ck_convolution &description, const Table &table);

  void pack(const float *weights, void *packed) const override;
  bool packFloat16(const Half *weights, void *packed) const override;
  void run(const ConvolutionRun &run) const override;

 private:
  const Table &table;
  /// The rows of the left matrix.
  int64_t rows;
  std::vector<ConvolutionBlock> panels;
  /// The rows and panels of a part. A part is the work of one thread at a time.
  int64_t rowsPerPart, panelsPerPart;
};

}  // namespace ck
