#pragma once

#include "Internal.hpp"

namespace ck {

/// Pixels of a convolution of bytes, times some outputs.
struct ByteBlock {
  const ck_byte_convolution *layer;
  /// The picture with what stands around it, from the first window on, and the bytes from one of its rows to the next.
  const uint8_t *source;
  int64_t rowStride;
  /// A window is read in `rows × runs` runs, each `length` times four bytes long.
  int64_t rows, runs, length;
  /// Whether each output has an input channel of its own.
  bool isDepthwise;
  /// Pixels of the result, counted along its rows.
  int64_t firstPixel, endPixel;
  /// The first output, how many follow one another, and the first input channel.
  int64_t output, outputs, input;
  /// Of the first output: weights, from one vector of 16 outputs to the next, and the sums of weights.
  const int8_t *weights;
  int64_t vectorStride;
  const int32_t *sums;
  const float *factors, *bias;
  /// Of this picture.
  void *destination;
};

/// What each instruction set implements.
struct ByteTable {
  /// The most vectors of 16 outputs in one block.
  int mostVectors;
  void (*block)(const ByteBlock &);
};

extern const ByteTable plainBytes, avx2Bytes, avxVNNIBytes, avx512Bytes, avx512VNNIBytes;

}  // namespace ck
