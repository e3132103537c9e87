#include "Internal.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#define CK_LEVEL 2
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512dq"))), apply_to = function)

namespace ck {
namespace avx512 {

#include "Vector.hpp"
#include "Functions.hpp"
#include "Convolution.inl.hpp"
#include "Winograd.inl.hpp"
#include "Elementwise.inl.hpp"
#include "InstanceNorm.inl.hpp"
#include "Gradients.inl.hpp"
#include "Random.inl.hpp"
#include "Recurrence.inl.hpp"

}  // namespace avx512

const Table avx512Table = {
    "avx512", 4, {0, 18, 12, 8, 6}, avx512::convolutionRow, avx512::winogradBlock,
    avx512::winogradKernels, avx512::winogradGradient, avx512::winogradGradientSums, avx512::chainRange, avx512::binaryRange,
    avx512::normStatistics, avx512::normApply, avx512::normGradientStatistics, avx512::normGradientApply,
    avx512::poolingGradient, avx512::sumRange, avx512::convertRun,
    avx512::randomRange, avx512::recurrenceStep};

}  // namespace ck

#pragma clang attribute pop
#else
namespace ck { const Table avx512Table = plainTable; }
#endif
