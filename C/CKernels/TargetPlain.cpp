#include "Internal.hpp"

// Vectors of 16 are only passed between functions that are inlined.
#pragma clang diagnostic ignored "-Wpsabi"

#define CK_LEVEL 0

namespace ck {
namespace plain {

#include "Vector.hpp"
#include "Functions.hpp"
#include "Convolution.inl.hpp"
#include "Winograd.inl.hpp"
#include "Elementwise.inl.hpp"
#include "InstanceNorm.inl.hpp"
#include "Gradients.inl.hpp"
#include "Random.inl.hpp"
#include "Recurrence.inl.hpp"

}  // namespace plain

const Table plainTable = {
    "plain", 1, {0, 2, 2, 2, 2}, plain::convolutionRow, plain::winogradBlock,
    plain::winogradKernels, plain::winogradGradient, plain::winogradGradientSums, plain::chainRange, plain::binaryRange,
    plain::normStatistics, plain::normApply, plain::normGradientStatistics, plain::normGradientApply,
    plain::poolingGradient, plain::sumRange, plain::convertRun,
    plain::randomRange, plain::recurrenceStep};

}  // namespace ck
