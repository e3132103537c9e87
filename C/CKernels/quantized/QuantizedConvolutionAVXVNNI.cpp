#include "quantized/QuantizedConvolution.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

// Vectors of 16 floats are only passed between inlined functions, so the calling convention does not matter.
#pragma clang diagnostic ignored "-Wpsabi"

#define CK_LEVEL 1
#define CK_VNNI 1
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c,avxvnni"))), apply_to = function)

namespace ck {
namespace avxVNNI {

#include "common/Vector.hpp"
#include "common/Casting.inl.hpp"
#include "common/Functions.hpp"
#include "quantized/QuantizedConvolution.inl.hpp"
#include "quantized/DynamicProduct.inl.hpp"

}  // namespace avxVNNI

const QuantizedTable avxVNNIQuantized = {1, avxVNNI::quantizedBlock, avxVNNI::kDynamicVectors,
    sizeof(avxVNNI::RowValue), avxVNNI::quantizeRow, avxVNNI::dynamicBlock};

}  // namespace ck

#pragma clang attribute pop
#else
namespace ck { const QuantizedTable avxVNNIQuantized = plainQuantized; }
#endif
