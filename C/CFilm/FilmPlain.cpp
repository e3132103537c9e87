#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "FilmKernels.hpp"

// The functions with vectors are called in this file only, so how vectors are passed may differ between files.
#pragma clang diagnostic ignored "-Wpsabi"

namespace film {
namespace plain {

#include "FilmFlow.inl.hpp"
#include "FilmPixels.inl.hpp"

}  // namespace plain

const Kernels plainKernels = plain::kKernels;

}  // namespace film
