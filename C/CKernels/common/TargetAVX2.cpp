#include "Internal.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

// Vectors of 16 are only passed between functions that are inlined.
#pragma clang diagnostic ignored "-Wpsabi"

#define CK_LEVEL 1
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)

namespace ck {
namespace avx2 {

#include "Kernels.inl.hpp"

}  // namespace avx2

const Table avx2Table = avx2::makeTable("avx2", 1, {6, 6, 6, 6});

}  // namespace ck

#pragma clang attribute pop
#else
namespace ck { const Table avx2Table = plainTable; }
#endif
