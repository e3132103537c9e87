#include "quantized/QuantizedConvolution.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

// Vectors of 16 floats are only passed between inlined functions, so the calling convention does not matter.
#pragma clang diagnostic ignored "-Wpsabi"

#define CK_LEVEL 1
#define CK_VNNI 0
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)

namespace ck {
namespace avx2 {

#include "common/Vector.hpp"
#include "common/Casting.inl.hpp"
#include "common/Functions.hpp"
#include "quantized/QuantizedConvolution.inl.hpp"
#include "quantized/DynamicProduct.inl.hpp"

}  // namespace avx2

const QuantizedTable avx2Quantized = {1, avx2::quantizedBlock, avx2::kDynamicVectors,
    sizeof(avx2::RowValue), avx2::quantizeRow, avx2::dynamicBlock};

}  // namespace ck

#pragma clang attribute pop
#else
namespace ck { const QuantizedTable avx2Quantized = plainQuantized; }
#endif
