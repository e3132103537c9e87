#include "Internal.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#define CK_LEVEL 3
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512dq,avx512bf16"))), apply_to = function)

namespace ck {
namespace avx512Brain {

#include "Kernels.inl.hpp"

}  // namespace avx512Brain

const Table avx512BrainTable = avx512Brain::makeTable("avx512_bf16", 4, {18, 12, 8, 6});

}  // namespace ck

#pragma clang attribute pop
#else
namespace ck { const Table avx512BrainTable = plainTable; }
#endif
