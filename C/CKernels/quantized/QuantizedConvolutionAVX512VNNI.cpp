#include "Bytes.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

// Vectors of 16 are only passed between functions that are inlined.
#pragma clang diagnostic ignored "-Wpsabi"

#define CK_LEVEL 2
#define CK_VNNI 1
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512dq,avx512vnni"))), apply_to = function)

namespace ck {
namespace avx512VNNI {

#include "Vector.hpp"
#include "Casting.inl.hpp"
#include "Functions.hpp"
#include "Bytes.inl.hpp"

}  // namespace avx512VNNI

const ByteTable avx512VNNIBytes = {4, avx512VNNI::byteBlock};

}  // namespace ck

#pragma clang attribute pop
#else
namespace ck { const ByteTable avx512VNNIBytes = plainBytes; }
#endif
