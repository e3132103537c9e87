#pragma once

#include <string>

#include "common/Table.hpp"

namespace ck {

/// The arguments of one run, and the values that the plan derives from the arguments.
struct ConvolutionRun {
  const ck_convolution_arguments &arguments;
  const Finish &finish;
  /// How the values of the first image are read. The factors of the other images follow in memory, `3 · input channels`
  /// numbers for each image.
  Reading reading;
};

/// An algorithm for a convolution: created once for a description, then used by any thread.
class ConvolutionAlgorithm {
 public:
  virtual ~ConvolutionAlgorithm() = default;

  /// The names of the algorithm and of the instruction set.
  const std::string &name() const { return title; }
  /// Names the order of the packed weights. The layout of the packed weights depends only on this order, the
  /// algorithm's name, the channels, the kernel's size and the type.
  const std::string &weightsOrder() const { return order; }
  /// The type of the packed weights and of the multiply-adds.
  ck_type weightsType() const { return productType; }
  size_t weightBytes() const { return rounded(weightCount * sizeOf(productType)); }
  size_t scratchBytes(int threads) const { return sharedBytes + threadBytes * size_t(threads); }

  virtual void pack(const float *weights, void *packed) const = 0;
  /// Packs float16 weights. Returns false, and packs nothing, if packed weights are not float16.
  virtual bool packFloat16(const Half *, void *) const { return false; }
  virtual void run(const ConvolutionRun &run) const = 0;

 protected:
  /// Every stride in the description must be filled in; 0 does not mean dense here.
  ConvolutionAlgorithm(const ck_convolution &description, ck_type productType)
      : description(description), productType(productType) {}

  ck_convolution description;
  /// The type of the multiply-adds.
  ck_type productType;
  std::string title, order;
  size_t weightCount = 0;
  /// The bytes of scratch memory that all threads share, and the bytes that each thread needs for itself.
  size_t sharedBytes = 0, threadBytes = 0;
};

}  // namespace ck
