#include "common/Table.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#define CK_LEVEL 2
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512dq"))), apply_to = function)

namespace ck {
namespace avx512 {

#include "common/Kernels.inl.hpp"

}  // namespace avx512

const Table avx512Table = avx512::makeTable("avx512", 4, {18, 12, 8, 6});

}  // namespace ck

#pragma clang attribute pop
#else
namespace ck { const Table avx512Table = plainTable; }
#endif
