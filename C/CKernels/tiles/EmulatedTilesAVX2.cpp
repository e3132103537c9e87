#include "Tiles.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

// Vectors of 16 are only passed between functions that are inlined.
#pragma clang diagnostic ignored "-Wpsabi"

#define CK_LEVEL 1
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)

namespace ck {
namespace avx2 {

#include "Tiles.inl.hpp"
#include "ActedTiles.inl.hpp"

}  // namespace avx2

const TileTable avx2Tiles = avx2::makeTileTable<avx2::ActedTiles>("acted tiles, avx2");

}  // namespace ck

#pragma clang attribute pop
#else
namespace ck { const TileTable avx2Tiles = plainTiles; }
#endif
