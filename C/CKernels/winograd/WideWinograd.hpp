#pragma once

#include "convolution/ConvolutionAlgorithm.hpp"

namespace ck {

/// A convolution with any kernel size by Winograd's minimal filtering, F(3 × 3, 3 × 3). The kernel is divided into
/// blocks of 3 × 3. For each output tile, each block of the kernel multiplies the transformed input tile at the block's
/// offset. The products of all blocks are added up before the inverse transform, so that each tile is transformed only
/// once. A kernel of 9 × 9 takes 25 multiply-adds per pixel and pair of channels instead of 81.
///
/// The lanes of a vector hold different tiles, so that vectors are full even with few channels. Arithmetic is float32,
/// whatever the types of the images. Sums run over block rows, then input channels, then block columns, in this order
/// for any number of threads.
///
/// **Source:** Lavin and Gray, "Fast algorithms for convolutional neural networks", arXiv:1509.09308. The points are
/// 0, ±3/4, 2 and infinity, which cause less rounding than 0, ±1 and 2 (compare Barabasz et al., arXiv:1803.10986).
class WideWinograd : public ConvolutionAlgorithm {
 public:
  /// Whether this algorithm supports a description: the strides are 1 and there are few channels.
  static bool suits(const ck_convolution &description);

  WideWinograd(const ck_convolution &description, const Table &table);

  void pack(const float *weights, void *packed) const override;
  void run(const ConvolutionRun &run) const override;

 private:
  /// The offsets of the parts of a thread's scratch memory, in floats.
  struct Parts {
    size_t rows, windows, products, results, line, end;
  };
  Parts parts() const;
  /// Returns the number of parts into which the rows of tiles are divided for `threads` threads. Every part transforms
  /// some rows of the part above again, so parts have many rows. The results do not depend on the number of parts.
  int64_t rowParts(int64_t threads) const;

  const Table &table;
  int64_t blocksY, blocksX, tilesX, tilesY;
  /// The number of vectors of tiles in one strip, and the number of strips.
  int64_t vectors, strips;
};

}  // namespace ck
