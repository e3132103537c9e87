// All code that is compiled for every kind of tile. Included once per kind of tile, inside its namespace and its
// target attribute.

#include "common/Vector.hpp"
#include "common/Casting.inl.hpp"
#include "common/Functions.hpp"
#include "convolution/Convolution.inl.hpp"
#include "tiles/TilePairs.inl.hpp"
#include "tiles/TileSteps.inl.hpp"
#include "tiles/TileReading.inl.hpp"
#include "tiles/TileColumns.inl.hpp"
#include "tiles/TileConvolution.inl.hpp"
#include "tiles/TileProduct.inl.hpp"
#include "tiles/TileGradient.inl.hpp"

/// Executes one tile instruction.
template <typename Unit>
static void tileMultiply(const BFloat16 *a, const BFloat16 *b, float *c) {
  Unit unit;
  unit.template load<0>(c, 64);
  unit.template load<1>(a, 64);
  unit.template load<2>(b, 64);
  unit.template multiply<0, 1, 2>();
  unit.template store<0>(c, 64);
}

template <typename Unit>
constexpr TileTable makeTileTable(const char *name) {
  return {name, packTileWeights, writePairs, tileRows<Unit>, tileMatmulRows<Unit>, tileGradientRows<Unit>, tileMultiply<Unit>};
}
