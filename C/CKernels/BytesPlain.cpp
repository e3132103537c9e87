#include "Bytes.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

// Vectors of 16 are only passed between functions that are inlined.
#pragma clang diagnostic ignored "-Wpsabi"

#define CK_LEVEL 0
#define CK_VNNI 0

namespace ck {
namespace plain {

#include "Vector.hpp"
#include "Casting.inl.hpp"
#include "Functions.hpp"
#include "Bytes.inl.hpp"

}  // namespace plain

const ByteTable plainBytes = {1, plain::byteBlock};

}  // namespace ck
