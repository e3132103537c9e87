// Elementary functions. The functions of glibc's libmvec take vectors of the instruction set's width. Their symbols
// follow x86's vector function ABI: _ZGV, the instruction set, N for no mask, the width, and a v for each argument.

#include "kernels/Powers.inl.hpp"

#if defined(__x86_64__)

#if CA_LEVEL == 0
#define CA_BYTES 16
#define CA_MAP accelerate_map_16
#define CA_COMBINE accelerate_combine_16
#define CA_FLOAT_PREFIX "_ZGVbN4"
#define CA_DOUBLE_PREFIX "_ZGVbN2"
#elif CA_LEVEL == 1
#define CA_BYTES 32
#define CA_MAP accelerate_map_32
#define CA_COMBINE accelerate_combine_32
#define CA_FLOAT_PREFIX "_ZGVdN8"
#define CA_DOUBLE_PREFIX "_ZGVdN4"
#else
#define CA_BYTES 64
#define CA_MAP accelerate_map_64
#define CA_COMBINE accelerate_combine_64
#define CA_FLOAT_PREFIX "_ZGVeN16"
#define CA_DOUBLE_PREFIX "_ZGVeN8"
#endif

/// Calls `function` for vectors of count elements. Fills the last vector up with ones.
template <class T>
inline void applyLibrary(T *y, const T *x, long count, VectorFunction *function) {
  constexpr long width = CA_BYTES / sizeof(T);
  const long whole = count / width * width, left = count - whole;
  // Reads the rest before it writes y, because y may be x.
  T rest[width];
  for (long lane = 0; lane < width; lane++) rest[lane] = lane < left ? x[whole + lane] : T(1);
  if (whole > 0) CA_MAP(y, x, whole / width, function);
  if (left <= 0) return;
  CA_MAP(rest, rest, 1, function);
  memcpy(y + whole, rest, size_t(left) * sizeof(T));
}

/// As above, for functions of two arguments. `xStep` is 0 if the second argument is a scalar.
template <class T>
inline void applyLibrary(
    T *z, const T *y, const T *x, long xStep, long count, VectorFunction *function) {
  constexpr long width = CA_BYTES / sizeof(T);
  if (count <= 0) return;
  const long whole = count / width * width, left = count - whole;
  T first[width], second[width], scalar[width];
  for (long lane = 0; lane < width; lane++) {
    first[lane] = lane < left ? y[whole + lane] : T(1);
    second[lane] = lane < left ? x[(whole + lane) * xStep] : T(1);
    scalar[lane] = x[0];
  }
  if (whole > 0) CA_COMBINE(z, y, xStep ? x : scalar, xStep ? CA_BYTES : 0, whole / width, function);
  if (left == 0) return;
  CA_COMBINE(first, first, second, 0, 1, function);
  memcpy(z + whole, first, size_t(left) * sizeof(T));
}

// The first call of each function looks up its address. Older versions of glibc lack some of them.
#define CA_LIBRARY(T, name, symbol) \
  inline void name##Function(T *y, const T *x, long n) { \
    static VectorFunction *const function = vectorFunction(symbol); \
    if (function) return applyLibrary(y, x, n, function); \
    for (long i = 0; i < n; i++) y[i] = std::name(x[i]); \
  }
#define F(name) \
  CA_LIBRARY(float, name, CA_FLOAT_PREFIX "v_" #name "f") CA_LIBRARY(double, name, CA_DOUBLE_PREFIX "v_" #name)
VFORCE_LIBRARY_FUNCTIONS(F)
#undef F
#undef CA_LIBRARY

#define CA_LIBRARY(T, name, symbol) \
  inline void name##Function(T *z, const T *y, const T *x, long step, long n) { \
    static VectorFunction *const function = vectorFunction(symbol); \
    if (function) return applyLibrary(z, y, x, step, n, function); \
    for (long i = 0; i < n; i++) z[i] = std::name(y[i], x[i * step]); \
  }
CA_LIBRARY(float, atan2, CA_FLOAT_PREFIX "vv_atan2f")
CA_LIBRARY(double, atan2, CA_DOUBLE_PREFIX "vv_atan2")
CA_LIBRARY(double, pow, CA_DOUBLE_PREFIX "vv_pow")
#undef CA_LIBRARY

#undef CA_FLOAT_PREFIX
#undef CA_DOUBLE_PREFIX
#undef CA_BYTES
#undef CA_MAP
#undef CA_COMBINE
#else

#define F(name) \
  template <class T> \
  inline void name##Function(T *y, const T *x, long n) { \
    for (long i = 0; i < n; i++) y[i] = std::name(x[i]); \
  }
VFORCE_LIBRARY_FUNCTIONS(F)
#undef F

#define CA_LIBRARY(T, name) \
  inline void name##Function(T *z, const T *y, const T *x, long step, long n) { \
    for (long i = 0; i < n; i++) z[i] = std::name(y[i], x[i * step]); \
  }
CA_LIBRARY(float, atan2)
CA_LIBRARY(double, atan2)
CA_LIBRARY(double, pow)
#undef CA_LIBRARY

#endif

/// Computes sin πx and cos πx. Reduces the argument exactly, so integers and halves give exact results.
template <class T>
CA_INLINE T sineOfHalfTurns(T x) {
  const T rest = std::remainder(x, T(2));
  if (magnitude(rest) <= T(0.25)) return std::sin(T(M_PI) * rest);
  if (magnitude(rest) >= T(0.75)) return std::sin(T(M_PI) * (std::copysign(T(1), rest) - rest));
  return std::copysign(std::cos(T(M_PI) * (T(0.5) - magnitude(rest))), rest);
}

template <class T>
CA_INLINE T cosineOfHalfTurns(T x) {
  return sineOfHalfTurns(T(0.5) - magnitude(std::remainder(x, T(2))));
}

#define F(name, formula) \
  template <class T> \
  void name##Function(T *results, const T *values, long n) { \
    CA_VECTOR_LOOP for (long i = 0; i < n; i++) { \
      const T x = values[i]; \
      results[i] = formula; \
    } \
  }
VFORCE_UNARY_FUNCTIONS(F)
#undef F

#define F(name, formula) \
  template <class T> \
  void name##Function(T *results, const T *first, const T *second, long n) { \
    CA_VECTOR_LOOP for (long i = 0; i < n; i++) { \
      const T y = first[i], x = second[i]; \
      results[i] = formula; \
    } \
  }
VFORCE_BINARY_FUNCTIONS(F)
#undef F
