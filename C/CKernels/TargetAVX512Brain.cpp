#include "Internal.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#define CK_LEVEL 3
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512dq,avx512bf16"))), apply_to = function)

namespace ck {
namespace avx512Brain {

#include "Vector.hpp"
#include "Functions.hpp"
#include "Convolution.inl.hpp"
#include "Winograd.inl.hpp"
#include "Elementwise.inl.hpp"
#include "InstanceNorm.inl.hpp"
#include "Gradients.inl.hpp"
#include "Random.inl.hpp"
#include "Recurrence.inl.hpp"

}  // namespace avx512Brain

const Table avx512BrainTable = {
    "avx512_bf16", 4, {0, 18, 12, 8, 6}, avx512Brain::convolutionRow, avx512Brain::winogradBlock,
    avx512Brain::winogradKernels, avx512Brain::winogradGradient, avx512Brain::winogradGradientSums, avx512Brain::chainRange, avx512Brain::binaryRange,
    avx512Brain::normStatistics, avx512Brain::normApply, avx512Brain::normGradientStatistics, avx512Brain::normGradientApply,
    avx512Brain::poolingGradient, avx512Brain::sumRange, avx512Brain::convertRun,
    avx512Brain::randomRange, avx512Brain::recurrenceStep};

}  // namespace ck

#pragma clang attribute pop
#else
namespace ck { const Table avx512BrainTable = plainTable; }
#endif
