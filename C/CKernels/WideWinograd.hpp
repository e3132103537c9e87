#pragma once

#include "ConvolutionMethod.hpp"

namespace ck {

/// A convolution of any window by Winograd's minimal filtering F(3 × 3, 3 × 3): the window is cut into blocks of
/// 3 × 3, each of which sees the squares of its neighbours; all are summed up before the way back, so that the
/// transforms are paid once. A window of 9 × 9 takes 25 products for each pixel and pair of channels instead of 81.
///
/// Squares lie in the lanes, so few channels fill whole vectors. Everything is computed in float32, whatever the
/// types of the pictures. The sums are taken over block rows, input channels, block columns, in this order, for
/// any number of threads.
///
/// **Source:** Lavin and Gray, "Fast algorithms for convolutional neural networks", arXiv:1509.09308; the
/// points are 0, ±3/4, 2 and infinity, which round less than 0, ±1 and 2 (compare Barabasz et al., arXiv:1803.10986).
class WideWinograd : public ConvolutionMethod {
 public:
  /// Whether a description can be computed so: windows that move pixel by pixel, few channels.
  static bool suits(const ck_convolution &description);

  WideWinograd(const ck_convolution &description, const Table &table);

  void pack(const float *weights, void *packed) const override;
  void run(const ConvolutionRun &run) const override;

 private:
  /// Where a thread's scratch memory has its parts, in floats.
  struct Parts {
    size_t rows, windows, products, results, line, end;
  };
  Parts parts() const;
  /// How many parts the rows of squares are cut into for so many threads. Each part transforms the rows above its
  /// last ones again, so they have many; what is computed does not depend on it.
  int64_t rowParts(int64_t threads) const;

  const Table &table;
  int64_t blocksY, blocksX, tilesX, tilesY;
  /// Vectors of squares side by side in one strip.
  int64_t vectors, strips;
};

}  // namespace ck
