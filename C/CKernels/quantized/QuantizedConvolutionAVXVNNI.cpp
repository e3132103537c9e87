#include "Bytes.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

// Vectors of 16 are only passed between functions that are inlined.
#pragma clang diagnostic ignored "-Wpsabi"

#define CK_LEVEL 1
#define CK_VNNI 1
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c,avxvnni"))), apply_to = function)

namespace ck {
namespace avxVNNI {

#include "Vector.hpp"
#include "Casting.inl.hpp"
#include "Functions.hpp"
#include "Bytes.inl.hpp"

}  // namespace avxVNNI

const ByteTable avxVNNIBytes = {1, avxVNNI::byteBlock};

}  // namespace ck

#pragma clang attribute pop
#else
namespace ck { const ByteTable avxVNNIBytes = plainBytes; }
#endif
