#pragma once

#include "Tiles.hpp"

namespace products {

/// A convolution or deconvolution of volumes, channels-last. Images are volumes of depth 1.
struct Sizes {
  int64_t batch, inputChannels, outputChannels, groups;
  int64_t input[3], output[3], kernel[3], stride[3], dilation[3], before[3];
  bool isTransposed;
  adnn_type sourceType, destinationType;

  explicit Sizes(const adnn_convolution &d);
  explicit Sizes(const adnn_volume_convolution &d);
  int64_t inputs() const { return inputChannels / groups; }
  int64_t outputs() const { return outputChannels / groups; }
  int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
  int64_t inputArea() const { return input[0] * input[1] * input[2]; }
  int64_t outputArea() const { return output[0] * output[1] * output[2]; }

  /// The index of the input, along an axis, that a tap reads for an index of the output. -1 outside the input.
  int64_t source(int axis, int64_t output, int64_t tap) const {
    int64_t place;
    if (isTransposed) {
      place = output + before[axis] - tap * dilation[axis];
      if (place < 0 || place % stride[axis] != 0) return -1;
      place /= stride[axis];
    } else {
      place = output * stride[axis] - before[axis] + tap * dilation[axis];
    }
    return place >= 0 && place < input[axis] ? place : -1;
  }
};

/// Some positions of the output. Each position is a row of a matrix: the inputs in the position's window.
struct Windows {
  const Sizes &sizes;
  int64_t image, group, count;
  int64_t places[kTileRows][3];

  /// Writes the elements of `terms` columns from k on. Each column belongs to a tap and a channel: k = tap · inputs +
  /// channel. The rows have `length` floats.
  void gather(const void *source, int64_t k, int64_t terms, int64_t length, float *to) const;
};

}  // namespace products
