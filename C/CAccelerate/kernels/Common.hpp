// Definitions for the kernels of all instruction sets.

#pragma once

#include <CKernels.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define CA_INLINE static inline __attribute__((always_inline))

/// A loop over contiguous elements. An iteration may read and write the elements at its own index only.
#define CA_VECTOR_LOOP _Pragma("clang loop vectorize(assume_safety)")

/// The vector of 64 bytes with elements of type T.
template <class T>
struct Vector64 {
  typedef T Type __attribute__((ext_vector_type(64 / sizeof(T))));
};
template <class T>
using Lanes = typename Vector64<T>::Type;

template <class T>
constexpr long laneCount = 64 / sizeof(T);
