// Compiles the file CA_KERNELS once for each instruction set, inside a namespace and with its target attribute.

#pragma clang diagnostic ignored "-Wpsabi"

namespace plain {
#define CA_LEVEL 0
#include "kernels/Vectors.inl.hpp"
#include CA_KERNELS
#undef CA_LEVEL
}  // namespace plain

#if defined(__x86_64__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
namespace avx2 {
#define CA_LEVEL 1
#include "kernels/Vectors.inl.hpp"
#include CA_KERNELS
#undef CA_LEVEL
}  // namespace avx2
#pragma clang attribute pop

#pragma clang attribute push( \
    __attribute__((target("avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512dq"))), \
    apply_to = function)
namespace avx512 {
#define CA_LEVEL 2
#include "kernels/Vectors.inl.hpp"
#include CA_KERNELS
#undef CA_LEVEL
}  // namespace avx512
#pragma clang attribute pop
#else
namespace avx2 = plain;
namespace avx512 = plain;
#endif

/// Calls a function of the namespace for the instruction set in use, and returns its result.
#define CA_CALL(...) \
  switch (ck_instructions()) { \
    case 0: return plain::__VA_ARGS__; \
    case 1: return avx2::__VA_ARGS__; \
    default: return avx512::__VA_ARGS__; \
  }
