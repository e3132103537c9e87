#include "tiles/Tiles.hpp"

// Vectors of 16 floats are only passed between inlined functions, so the calling convention does not matter.
#pragma clang diagnostic ignored "-Wpsabi"

#define CK_LEVEL 0

namespace ck {
namespace plain {

#include "tiles/Tiles.inl.hpp"
#include "tiles/EmulatedTiles.inl.hpp"

}  // namespace plain

const TileTable plainTiles = plain::makeTileTable<plain::EmulatedTiles>("emulated tiles, plain");

}  // namespace ck
