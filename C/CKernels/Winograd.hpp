#pragma once

#include <vector>

#include "ConvolutionMethod.hpp"

namespace ck {

/// A convolution of 3 × 3 by Winograd's minimal filtering, F(tile × tile, 3 × 3): 16 products for 4 results, 36 for
/// 16, or 64 for 36, where the plain sum takes 9 for each. Of a picture whose pixels are repeated 25 for 16, where
/// sums by phases take 4 for each; with windows that move by two pixels 49 for 9.
///
/// **Source:** Lavin and Gray, "Fast algorithms for convolutional neural networks", arXiv:1509.09308.
class Winograd : public ConvolutionMethod {
 public:
  /// Whether a description can be computed so: windows of 3 × 3, channels in whole vectors, and squares of two,
  /// four or six pixels where windows move pixel by pixel, of three where by two. Pixels may be repeated in squares
  /// of four, where the padding is an odd number, so that squares begin with the second of two equal pixels.
  static bool suits(const ck_convolution &description);

  Winograd(const ck_convolution &description, const Table &table);

  void pack(const float *weights, void *packed) const override;
  void run(const ConvolutionRun &run) const override;

 private:
  WinogradBlock block(const ConvolutionRun &run) const;
  void tell(const WinogradBlock &block) const;
  void runShared(const ConvolutionRun &run) const;

  const Table &table;
  std::vector<ConvolutionBlock> blocks;
  Squares squares;
  int64_t tilesX, tilesY, tileCount;
  /// Steps of the inner loop, the tiles of each, and the least parts that share the steps.
  int64_t steps, stepTiles, parts;
  /// Elements from position to position.
  int64_t windowPlane, productPlane;
  /// Whether threads share outputs instead of tiles, as the picture is small: `sharedBytes` hold all windows then.
  bool isShared;
  size_t windowBytes = 0, productBytes = 0;
};

}  // namespace ck
