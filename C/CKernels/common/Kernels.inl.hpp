// All code that is compiled for every instruction set. Included once per instruction set, inside its namespace and
// its target attribute.

#include "common/Vector.hpp"
#include "common/Casting.inl.hpp"
#include "common/Functions.hpp"
#include "convolution/NormalizedReading.inl.hpp"
#include "convolution/Convolution.inl.hpp"
#include "convolution/ProductConvolution.inl.hpp"
#include "convolution/Depthwise.inl.hpp"
#include "winograd/WinogradTiles.inl.hpp"
#include "winograd/Winograd.inl.hpp"
#include "winograd/WideWinograd.inl.hpp"
#include "elementwise/Conversion.inl.hpp"
#include "elementwise/Pointwise.inl.hpp"
#include "normalization/InstanceNorm.inl.hpp"
#include "reductions/MaxPooling.inl.hpp"
#include "normalization/Softmax.inl.hpp"
#include "attention/Attention.inl.hpp"
#include "normalization/LayerNorm.inl.hpp"
#if CK_LEVEL == 3
#include "common/ForwardedToAVX512.inl.hpp"
#else
#include "normalization/GroupNorm.inl.hpp"
#include "normalization/InstanceNormGradient.inl.hpp"
#include "reductions/PoolingGradient.inl.hpp"
#include "pixels/PaddingGradient.inl.hpp"
#include "reductions/Reductions.inl.hpp"
#include "elementwise/Random.inl.hpp"
#include "recurrent/Recurrence.inl.hpp"
#include "reductions/VolumePooling.inl.hpp"
#include "reductions/DotProduct.inl.hpp"
#include "pixels/Regions.inl.hpp"
#include "pixels/LanczosScaling.inl.hpp"
#include "quantized/StoredMatrix.inl.hpp"
#include "elementwise/Integers.inl.hpp"
#endif

/// Returns the table of this instruction set. `pixels[n - 1]` is the number of pixels in a tile with n vectors of
/// output channels.
constexpr Table makeTable(const char *name, int maxVectors, const int (&pixels)[4]) {
  return {name, CK_LEVEL >= 3, maxVectors, {0, pixels[0], pixels[1], pixels[2], pixels[3]},
      convolutionRow, productBlock, depthwiseRow, winogradBlock, winogradKernels, wideWinogradBlock, winogradGradient,
      winogradGradientSums, pointwiseTiles, reductionBlock, normStatistics, normApply,
      normGradientStatistics, normGradientApply, poolingGradient, sumRange, maxPoolingRow, softmax,
      layerNormRows, groupNormBlock, convertRun, randomRange, recurrenceStep, foldMaximum, foldSum, cropRow,
      overlapsAny, dotProduct, weightedSumOfRows, weightedSumOfColumns, truncateRun, widenRun, storedBlock,
      widenStored, integerRow, attentionBlock};
}
