// Included once per kind of tile, inside its namespace and its target attribute: all that is compiled for
// each of them.

#include "Vector.hpp"
#include "Casting.inl.hpp"
#include "Functions.hpp"
#include "Convolution.inl.hpp"
#include "TileSteps.inl.hpp"
#include "TileReading.inl.hpp"
#include "TileColumns.inl.hpp"
#include "TileConvolution.inl.hpp"
#include "TileProduct.inl.hpp"
#include "TileGradient.inl.hpp"

/// One instruction.
template <typename Unit>
static void tileMultiply(const Brain *a, const Brain *b, float *c) {
  Unit unit;
  unit.template load<0>(c, 64);
  unit.template load<1>(a, 64);
  unit.template load<2>(b, 64);
  unit.template multiply<0, 1, 2>();
  unit.template store<0>(c, 64);
}

template <typename Unit>
constexpr TileTable makeTileTable(const char *name) {
  return {name, tileRows<Unit>, tileProductRows<Unit>, tileGradientRows<Unit>, tileMultiply<Unit>};
}
