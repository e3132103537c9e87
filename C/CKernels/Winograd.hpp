#pragma once

#include <memory>
#include <vector>

#include "Internal.hpp"

namespace ck {

/// A convolution of 3 × 3 by Winograd's minimal filtering, F(tile × tile, 3 × 3): 16 products for 4
/// results, or 36 for 16, where the plain sum takes 9 for each.
///
/// **Source:** Lavin and Gray, "Fast algorithms for convolutional neural networks", arXiv:1509.09308.
class Winograd {
 public:
  /// Whether a description can be computed so: windows of 3 × 3 that move pixel by pixel, and channels
  /// in whole vectors. Strides are filled in.
  static bool suits(const ck_convolution &description);

  Winograd(const ck_convolution &description, const Table &table);

  size_t weightElements() const { return weightCount; }
  size_t scratchBytes(int threads) const { return sharedBytes + threadBytes * size_t(threads); }
  void pack(const float *weights, void *packed) const;
  void run(const ck_convolution_arguments &arguments, const Finish &finish) const;

 private:
  WinogradBlock block(const ck_convolution_arguments &arguments, const Finish &finish) const;
  void runShared(const ck_convolution_arguments &arguments, const Finish &finish) const;

  const ck_convolution description;
  const Table &table;
  std::vector<ConvolutionBlock> blocks;
  int64_t side, tilesX, tilesY, tileCount;
  /// Steps of the inner loop, the tiles of each, and the least parts that share the steps.
  int64_t steps, stepTiles, parts;
  /// Elements from position to position.
  int64_t windowPlane, productPlane;
  /// The windows of all tiles together, where the picture is small and threads share outputs instead of tiles; or 0.
  size_t sharedBytes = 0;
  size_t weightCount = 0, windowBytes = 0, productBytes = 0, threadBytes = 0;
};

/// Cuts `channels` outputs into blocks that the registers hold.
std::vector<ConvolutionBlock> outputBlocks(int64_t channels, int mostVectors);

}  // namespace ck
