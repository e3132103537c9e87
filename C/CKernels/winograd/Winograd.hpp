#pragma once

#include <vector>

#include "convolution/ConvolutionAlgorithm.hpp"

namespace ck {

/// A 3 × 3 convolution by Winograd's minimal filtering, F(tile × tile, 3 × 3). Tiles of 2, 4 or 6 take 16, 36 or 64
/// multiply-adds for 4, 16 or 36 results, where the direct convolution takes 9 for each result. With upsampling, a tile
/// takes 25 multiply-adds for 16 results, where the direct convolution takes 4 for each result. With strides of 2, a
/// tile takes 49 multiply-adds for 9 results, where the direct convolution takes 9 for each result.
///
/// **Source:** Lavin and Gray, "Fast algorithms for convolutional neural networks", arXiv:1509.09308.
class Winograd : public ConvolutionAlgorithm {
 public:
  /// Whether this algorithm supports a description. The kernel must be 3 × 3, and the channels must fill whole vectors.
  /// With strides of 1, output tiles are two, four or six pixels wide. With strides of 2, they are three pixels wide.
  /// Upsampling needs tiles of four pixels and odd paddings, so that every tile begins with the second of two equal
  /// pixels.
  static bool suits(const ck_convolution &description);

  Winograd(const ck_convolution &description, const Table &table);

  void pack(const float *weights, void *packed) const override;
  void run(const ConvolutionRun &run) const override;

 private:
  WinogradBlock block(const ConvolutionRun &run) const;
  void reportFinished(const WinogradBlock &block) const;
  void runShared(const ConvolutionRun &run) const;

  const Table &table;
  std::vector<ConvolutionBlock> blocks;
  TileKind tileKind;
  int64_t tilesX, tilesY, tileCount;
  /// steps: the number of steps of the inner loop. stepTiles: the number of tiles in each step. parts: the minimum
  /// number of parts into which the steps are divided.
  int64_t steps, stepTiles, parts;
  /// The distance, in elements, from one position of the transformed input to the next, and from one position of the
  /// products to the next.
  int64_t windowPlane, productPlane;
  /// Whether threads divide the outputs instead of the tiles, because the image is small. `sharedBytes` then hold all
  /// transformed tiles.
  bool isShared;
  size_t windowBytes = 0, productBytes = 0;
};

}  // namespace ck
