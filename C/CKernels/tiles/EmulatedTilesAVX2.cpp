#include "tiles/Tiles.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

// Vectors of 16 floats are only passed between inlined functions, so the calling convention does not matter.
#pragma clang diagnostic ignored "-Wpsabi"

#define CK_LEVEL 1
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)

namespace ck {
namespace avx2 {

#include "tiles/Tiles.inl.hpp"
#include "tiles/EmulatedTiles.inl.hpp"

}  // namespace avx2

const TileTable avx2Tiles = avx2::makeTileTable<avx2::EmulatedTiles>("emulated tiles, avx2");

}  // namespace ck

#pragma clang attribute pop
#else
namespace ck { const TileTable avx2Tiles = plainTiles; }
#endif
