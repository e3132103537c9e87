#include "quantized/QuantizedConvolution.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

// Vectors of 16 floats are only passed between inlined functions, so the calling convention does not matter.
#pragma clang diagnostic ignored "-Wpsabi"

#define CK_LEVEL 2
#define CK_VNNI 0
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512dq"))), apply_to = function)

namespace ck {
namespace avx512 {

#include "common/Vector.hpp"
#include "common/Casting.inl.hpp"
#include "common/Functions.hpp"
#include "quantized/QuantizedConvolution.inl.hpp"
#include "quantized/DynamicProduct.inl.hpp"

}  // namespace avx512

const QuantizedTable avx512Quantized = {2, avx512::quantizedBlock, avx512::kDynamicVectors,
    sizeof(avx512::RowValue), avx512::quantizeRow, avx512::dynamicBlock};

}  // namespace ck

#pragma clang attribute pop
#else
namespace ck { const QuantizedTable avx512Quantized = plainQuantized; }
#endif
