#include "common/Table.hpp"

// Vectors of 16 floats are only passed between inlined functions, so the calling convention does not matter.
#pragma clang diagnostic ignored "-Wpsabi"

// Instruction sets: 0 is the compiler's baseline, 1 AVX2, 2 AVX-512, 3 AVX-512 with bfloat16.
#define CK_LEVEL 0

namespace ck {
namespace plain {

#include "common/Kernels.inl.hpp"

}  // namespace plain

// A convolution's tile has one vector of output channels and two pixels.
const Table plainTable = plain::makeTable("plain", 1, {2, 2, 2, 2});

}  // namespace ck
