#include "MatrixTiles.hpp"

#include "Tiles.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <cstdlib>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

// Vectors of 16 are only passed between functions that are inlined.
#pragma clang diagnostic ignored "-Wpsabi"

namespace ck {

namespace {

/// Whether the environment leaves the processor's tiles to this process: ATELIER_TILES is `acted` where they
/// shall be acted and `none` where there shall be none, ATELIER_MAX_ISA names the most instructions.
bool isAllowed() {
  const char *tiles = std::getenv("ATELIER_TILES"), *most = std::getenv("ATELIER_MAX_ISA");
  return !(tiles && (!std::strcmp(tiles, "acted") || !std::strcmp(tiles, "none")))
      && !(most && !std::strcmp(most, "avx512_bf16"));
}

/// Whether the processor has tiles of bfloat16: CPUID leaf 7.
bool hasTiles() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
  constexpr unsigned brain = 1u << 22, tiles = 1u << 24;
  return (d & brain) && (d & tiles);
}

/// Linux gives room for tiles to processes that ask; the first instruction of others would end them.
bool isPermitted() {
  constexpr long request = 0x1023, tileData = 18;
  return syscall(SYS_arch_prctl, request, tileData) == 0;
}

/// Whether the processor's tiles give the bits of the acted ones.
bool computesAlike() {
  alignas(64) Brain a[512], b[512];
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

#include "Tiles.inl.hpp"

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
