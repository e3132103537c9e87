#include "Internal.hpp"

// Vectors of 16 are only passed between functions that are inlined.
#pragma clang diagnostic ignored "-Wpsabi"

#define CK_LEVEL 0

namespace ck {
namespace plain {

#include "Kernels.inl.hpp"

}  // namespace plain

const Table plainTable = plain::makeTable("plain", 1, {2, 2, 2, 2});

}  // namespace ck
