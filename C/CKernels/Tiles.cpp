#include "Tiles.hpp"

namespace ck {

const TileTable &tileTable(bool acted) {
  if (!acted && ck_tiles()) return matrixTiles;
  switch (ck_instructions()) {
    case 0: return plainTiles;
    case 1: return avx2Tiles;
    default: return avx512Tiles;
  }
}

}  // namespace ck

extern "C" {

int32_t ck_tiles(void) { return ck_instructions() >= 3 && ck::matrixTilesArePermitted() ? 1 : 0; }

int32_t ck_tile_multiply(int32_t acted, const uint16_t *a, const uint16_t *b, float *c) {
  if (!acted && !ck_tiles()) return -1;
  ck::tileTable(acted).multiply(
      reinterpret_cast<const ck::Brain *>(a), reinterpret_cast<const ck::Brain *>(b), c);
  return 0;
}

}  // extern "C"
