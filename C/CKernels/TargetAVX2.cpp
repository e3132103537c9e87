#include "Internal.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

// Vectors of 16 are only passed between functions that are inlined.
#pragma clang diagnostic ignored "-Wpsabi"

#define CK_LEVEL 1
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)

namespace ck {
namespace avx2 {

#include "Vector.hpp"
#include "Functions.hpp"
#include "Convolution.inl.hpp"
#include "Winograd.inl.hpp"
#include "Elementwise.inl.hpp"
#include "InstanceNorm.inl.hpp"
#include "Gradients.inl.hpp"
#include "Random.inl.hpp"
#include "Recurrence.inl.hpp"

}  // namespace avx2

const Table avx2Table = {
    "avx2", 1, {0, 6, 6, 6, 6}, avx2::convolutionRow, avx2::winogradBlock,
    avx2::winogradKernels, avx2::winogradGradient, avx2::winogradGradientSums, avx2::chainRange, avx2::binaryRange,
    avx2::normStatistics, avx2::normApply, avx2::normGradientStatistics, avx2::normGradientApply,
    avx2::poolingGradient, avx2::sumRange, avx2::convertRun,
    avx2::randomRange, avx2::recurrenceStep};

}  // namespace ck

#pragma clang attribute pop
#else
namespace ck { const Table avx2Table = plainTable; }
#endif
