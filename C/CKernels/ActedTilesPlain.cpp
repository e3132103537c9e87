#include "Tiles.hpp"

// Vectors of 16 are only passed between functions that are inlined.
#pragma clang diagnostic ignored "-Wpsabi"

#define CK_LEVEL 0

namespace ck {
namespace plain {

#include "Tiles.inl.hpp"
#include "ActedTiles.inl.hpp"

}  // namespace plain

const TileTable plainTiles = plain::makeTileTable<plain::ActedTiles>("acted tiles, plain");

}  // namespace ck
