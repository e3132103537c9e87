#include "tiles/MatrixTiles.hpp"

#include "tiles/Tiles.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <cstdlib>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

// Vectors of 16 floats are only passed between inlined functions, so the calling convention does not matter.
#pragma clang diagnostic ignored "-Wpsabi"

namespace ck {

namespace {

/// Whether the environment permits the processor's tiles. ATELIER_TILES forbids the tiles with the value `emulated` or
/// `none`. ATELIER_MAX_ISA forbids them with the name of an instruction set without tiles.
bool isAllowed() {
  const char *tiles = std::getenv("ATELIER_TILES"), *most = std::getenv("ATELIER_MAX_ISA");
  return !(tiles && (!std::strcmp(tiles, "emulated") || !std::strcmp(tiles, "none")))
      && !(most && !std::strcmp(most, "avx512_bf16"));
}

/// Whether CPUID leaf 7 says that the processor has bfloat16 tiles.
bool hasTiles() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
  constexpr unsigned bfloat16 = 1u << 22, tiles = 1u << 24;
  return (d & bfloat16) && (d & tiles);
}

/// Asks Linux for the memory of tiles. Linux reserves this memory only in processes that ask. In other processes, the
/// first tile instruction ends the process.
bool isPermitted() {
  constexpr long request = 0x1023, tileData = 18;
  return syscall(SYS_arch_prctl, request, tileData) == 0;
}

/// Whether the processor's tiles give the same bits as the emulated tiles.
bool computesAlike() {
  alignas(64) BFloat16 a[512], b[512];
  alignas(64) float expected[256], found[256];
  uint32_t state = 1;
  const auto next = [&] {
    state = state * 1664525u + 1013904223u;
    return static_cast<float>(static_cast<int32_t>(state)) * 0x1p-31f;
  };
  for (int i = 0; i < 512; ++i) {
    fromFloat(next(), a[i]);
    fromFloat(next(), b[i]);
  }
  for (int i = 0; i < 256; ++i) expected[i] = found[i] = next();
  plainTiles.multiply(a, b, expected);
  matrixTiles.multiply(a, b, found);
  return std::memcmp(expected, found, sizeof found) == 0;
}

}  // namespace

bool matrixTilesArePermitted() {
  static const bool permitted = isAllowed() && hasTiles() && isPermitted() && computesAlike();
  return permitted;
}

}  // namespace ck

#define CK_LEVEL 3
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512dq,avx512bf16,amx-tile,amx-bf16"))), apply_to = function)

namespace ck {
namespace amx {

#include "tiles/Tiles.inl.hpp"

}  // namespace amx

const TileTable matrixTiles = amx::makeTileTable<MatrixTiles>("amx_bf16");

}  // namespace ck

#pragma clang attribute pop
#else
namespace ck {
const TileTable matrixTiles = plainTiles;
bool matrixTilesArePermitted() { return false; }
}  // namespace ck
#endif
