#pragma once

#include <string>

#include "Internal.hpp"

namespace ck {

/// What one run needs beside its arguments.
struct ConvolutionRun {
  const ck_convolution_arguments &arguments;
  const Finish &finish;
  /// That of the first picture; the factors of the others follow, `3 · input channels` each.
  Reading reading;
};

/// A way to compute a convolution: made once for a description, then used by any thread.
class ConvolutionMethod {
 public:
  virtual ~ConvolutionMethod() = default;

  /// The method and the instruction set.
  const std::string &name() const { return title; }
  /// What packed weights depend on, beside the name, the channels, the window and their type.
  const std::string &weightsOrder() const { return order; }
  /// The type of packed weights, in which they are multiplied.
  ck_type weightsType() const { return productType; }
  size_t weightBytes() const { return rounded(weightCount * sizeOf(productType)); }
  size_t scratchBytes(int threads) const { return sharedBytes + threadBytes * size_t(threads); }

  virtual void pack(const float *weights, void *packed) const = 0;
  virtual void run(const ConvolutionRun &run) const = 0;

 protected:
  /// Strides of the description are filled in.
  ConvolutionMethod(const ck_convolution &description, ck_type productType)
      : description(description), productType(productType) {}

  ck_convolution description;
  /// The type in which pictures and weights are multiplied.
  ck_type productType;
  std::string title, order;
  size_t weightCount = 0;
  /// Scratch memory of all threads together, and that of each.
  size_t sharedBytes = 0, threadBytes = 0;
};

}  // namespace ck
