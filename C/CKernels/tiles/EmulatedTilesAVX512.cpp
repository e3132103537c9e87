#include "tiles/Tiles.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

// Vectors of 16 floats are only passed between inlined functions, so the calling convention does not matter.
#pragma clang diagnostic ignored "-Wpsabi"

#define CK_LEVEL 2
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512dq"))), apply_to = function)

namespace ck {
namespace avx512 {

#include "tiles/Tiles.inl.hpp"
#include "tiles/EmulatedTiles.inl.hpp"

}  // namespace avx512

const TileTable avx512Tiles = avx512::makeTileTable<avx512::EmulatedTiles>("emulated tiles, avx512");

}  // namespace ck

#pragma clang attribute pop
#else
namespace ck { const TileTable avx512Tiles = plainTiles; }
#endif
