#include "quantized/QuantizedConvolution.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

// Vectors of 16 floats are only passed between inlined functions, so the calling convention does not matter.
#pragma clang diagnostic ignored "-Wpsabi"

#define CK_LEVEL 0
#define CK_VNNI 0

namespace ck {
namespace plain {

#include "common/Vector.hpp"
#include "common/Casting.inl.hpp"
#include "common/Functions.hpp"
#include "quantized/QuantizedConvolution.inl.hpp"
#include "quantized/DynamicProduct.inl.hpp"

}  // namespace plain

const QuantizedTable plainQuantized = {1, plain::quantizedBlock, plain::kDynamicVectors,
    sizeof(plain::RowValue), plain::quantizeRow, plain::dynamicBlock};

}  // namespace ck
