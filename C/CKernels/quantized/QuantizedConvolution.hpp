#pragma once

#include "common/Table.hpp"
#include "quantized/DynamicProduct.hpp"

namespace ck {

/// The arguments of one call: some pixels and some outputs of a quantised convolution.
struct QuantizedBlock {
  const ck_quantized_convolution *layer;
  /// The address of the first kernel position in the padded image, and the bytes from one row of this image to the
  /// next.
  const uint8_t *source;
  int64_t rowStride;
  /// A kernel is read in `rows × runs` runs, each of `length` · 4 bytes.
  int64_t rows, runs, length;
  /// Whether each output has its own input channel.
  bool isDepthwise;
  /// The first pixel of the result, and the pixel after the last one, counted along the rows of the result.
  int64_t firstPixel, endPixel;
  /// The first output, the number of outputs, and the first input channel.
  int64_t output, outputs, input;
  /// weights: the weights of the first output. vectorStride: the distance in bytes between the weights of neighbouring
  /// vectors of 16 outputs. sums: the sum of the weights of each output, from the first output on.
  const int8_t *weights;
  int64_t vectorStride;
  const int32_t *sums;
  const float *factors, *bias;
  /// The memory for the results of this image.
  void *destination;
};

/// The functions that each instruction set implements.
struct QuantizedTable {
  /// The maximum number of vectors of 16 outputs in one block.
  int maxVectors;
  void (*block)(const QuantizedBlock &);
  /// dynamicVectors: the number of vectors of 16 columns in a panel of a product with dynamic quantisation.
  /// dynamicValueBytes: the number of bytes of a quantised value of its rows.
  int dynamicVectors, dynamicValueBytes;
  void (*quantizeRow)(const DynamicRow &);
  void (*dynamicBlock)(const DynamicBlock &);
};

extern const QuantizedTable plainQuantized, avx2Quantized, avxVNNIQuantized, avx512Quantized, avx512VNNIQuantized;

/// Returns the functions of the instruction set that `ck_instructions` permits.
const QuantizedTable &quantizedTable();

}  // namespace ck
