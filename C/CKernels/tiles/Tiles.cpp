#include "tiles/Tiles.hpp"

namespace ck {

const TileTable &tileTable(bool emulated) {
  if (!emulated && ck_has_matrix_tiles()) return matrixTiles;
  switch (ck_instructions()) {
    case 0: return plainTiles;
    case 1: return avx2Tiles;
    default: return avx512Tiles;
  }
}

}  // namespace ck

extern "C" {

int32_t ck_has_matrix_tiles(void) { return ck_instructions() >= 3 && ck::matrixTilesArePermitted() ? 1 : 0; }

int32_t ck_tile_multiply(int32_t emulated, const uint16_t *a, const uint16_t *b, float *c) {
  if (!emulated && !ck_has_matrix_tiles()) return -1;
  ck::tileTable(emulated).multiply(
      reinterpret_cast<const ck::BFloat16 *>(a), reinterpret_cast<const ck::BFloat16 *>(b), c);
  return 0;
}

}  // extern "C"
