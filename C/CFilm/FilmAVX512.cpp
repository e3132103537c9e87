#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "FilmKernels.hpp"

#if defined(__x86_64__)
#pragma clang diagnostic ignored "-Wpsabi"
#pragma clang attribute push(__attribute__((target("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl"))), apply_to = function)

namespace film {
namespace avx512 {

#include "FilmCamera.inl.hpp"
#include "FilmFlow.inl.hpp"
#include "FilmPixels.inl.hpp"
#include "FilmGlobal.inl.hpp"
#include "FilmKey.inl.hpp"
#include "FilmBlend.inl.hpp"
#include "FilmEnlarge.inl.hpp"
#include "FilmPlanes.inl.hpp"
#include "FilmTable.inl.hpp"

}  // namespace avx512

const Kernels avx512Kernels = avx512::kKernels;

}  // namespace film

#pragma clang attribute pop
#else
namespace film {
const Kernels avx512Kernels = plainKernels;
}
#endif
