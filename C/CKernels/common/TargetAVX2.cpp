#include "common/Table.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

// Vectors of 16 floats are only passed between inlined functions, so the calling convention does not matter.
#pragma clang diagnostic ignored "-Wpsabi"

#define CK_LEVEL 1
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)

namespace ck {
namespace avx2 {

#include "common/Kernels.inl.hpp"

}  // namespace avx2

const Table avx2Table = avx2::makeTable("avx2", 1, {6, 6, 6, 6});

}  // namespace ck

#pragma clang attribute pop
#else
namespace ck { const Table avx2Table = plainTable; }
#endif
