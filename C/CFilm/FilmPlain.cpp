#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "FilmKernels.hpp"

// Only this file calls functions with vector arguments, so other files may pass vectors in another way.
#pragma clang diagnostic ignored "-Wpsabi"

namespace film {
namespace plain {

#include "FilmCamera.inl.hpp"
#include "FilmFlow.inl.hpp"
#include "FilmPixels.inl.hpp"
#include "FilmGlobal.inl.hpp"
#include "FilmKey.inl.hpp"
#include "FilmBlend.inl.hpp"
#include "FilmEnlarge.inl.hpp"
#include "FilmPlanes.inl.hpp"
#include "FilmTable.inl.hpp"

}  // namespace plain

const Kernels plainKernels = plain::kKernels;

}  // namespace film
