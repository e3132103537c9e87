#include "Tiles.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

// Vectors of 16 are only passed between functions that are inlined.
#pragma clang diagnostic ignored "-Wpsabi"

#define CK_LEVEL 2
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512dq"))), apply_to = function)

namespace ck {
namespace avx512 {

#include "Tiles.inl.hpp"
#include "ActedTiles.inl.hpp"

}  // namespace avx512

const TileTable avx512Tiles = avx512::makeTileTable<avx512::ActedTiles>("acted tiles, avx512");

}  // namespace ck

#pragma clang attribute pop
#else
namespace ck { const TileTable avx512Tiles = plainTiles; }
#endif
