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
  /// What packed weights depend on, beside the name, the channels, the window and the type.
  const std::string &weightsOrder() const { return order; }
  /// Packed weights, as elements of the source's type.
  size_t weightElements() const { return weightCount; }
  size_t scratchBytes(int threads) const { return sharedBytes + threadBytes * size_t(threads); }

  virtual void pack(const float *weights, void *packed) const = 0;
  virtual void run(const ConvolutionRun &run) const = 0;

 protected:
  /// Strides of the description are filled in.
  explicit ConvolutionMethod(const ck_convolution &description) : description(description) {}

  ck_convolution description;
  std::string title, order;
  size_t weightCount = 0;
  /// Scratch memory of all threads together, and that of each.
  size_t sharedBytes = 0, threadBytes = 0;
};

}  // namespace ck
