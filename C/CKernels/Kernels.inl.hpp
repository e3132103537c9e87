// Included once per instruction set, inside its namespace and its target attribute: all that is compiled
// for each of them.

#include "Vector.hpp"
#include "Casting.inl.hpp"
#include "Functions.hpp"
#include "Reading.inl.hpp"
#include "Convolution.inl.hpp"
#include "Depthwise.inl.hpp"
#include "WinogradSquares.inl.hpp"
#include "Winograd.inl.hpp"
#include "WideWinograd.inl.hpp"
#include "Conversion.inl.hpp"
#include "Pointwise.inl.hpp"
#include "InstanceNorm.inl.hpp"
#include "Gradients.inl.hpp"
#include "MaxPooling.inl.hpp"
#include "Softmax.inl.hpp"
#include "Reductions.inl.hpp"
#include "LayerNorm.inl.hpp"
#include "Random.inl.hpp"
#include "Recurrence.inl.hpp"
#include "Regions.inl.hpp"
#include "Scaling.inl.hpp"
#include "Stored.inl.hpp"
#include "Wholes.inl.hpp"

/// What this instruction set implements; `pixels` are those of a tile by vectors of output channels.
constexpr Table makeTable(const char *name, int mostVectors, const int (&pixels)[4]) {
  return {name, CK_LEVEL >= 3, mostVectors, {0, pixels[0], pixels[1], pixels[2], pixels[3]},
      convolutionRow, depthwiseRow, winogradBlock, winogradKernels, wideWinogradBlock, winogradGradient,
      winogradGradientSums, pointwiseTiles, reductionBlock, normStatistics, normApply,
      normGradientStatistics, normGradientApply, poolingGradient, sumRange, maxPoolingRow, softmax,
      layerNormRows, convertRun, randomRange, recurrenceStep, foldMaximum, foldSum, cropRow,
      overlapsAny, dotProduct, weighRows, weighColumns, cutOffRun, widenRun, storedBlock,
      widenStored, wholeRow};
}
