// vForce: elementary functions of vectors. Functions whose name ends in f take single precision. The last argument is
// the number of elements. The result may be stored in the memory of an argument.
//
// The lists give, for each function, its formula with C's mathematical functions. The functions in the first list are
// computed by glibc's libmvec, within 4 units in the last place. Powers in single precision are within 1.4 units.

#ifndef ATELIER_VFORCE_H
#define ATELIER_VFORCE_H

#include "vDSP_types.h"

// The function of C. libmvec has its vector version.
#define VFORCE_LIBRARY_FUNCTIONS(F) \
  F(exp) F(exp2) F(expm1) F(log) F(log2) F(log10) F(log1p) F(sin) F(cos) F(tan) F(asin) F(acos) F(atan) \
  F(sinh) F(cosh) F(tanh) F(asinh) F(acosh) F(atanh) F(cbrt)

// One argument: y = f(x).
#define VFORCE_UNARY_FUNCTIONS(F) \
  F(rec, T(1) / x) \
  F(sqrt, __builtin_elementwise_sqrt(x)) \
  F(rsqrt, T(1) / __builtin_elementwise_sqrt(x)) \
  F(fabs, __builtin_elementwise_abs(x)) \
  F(ceil, __builtin_elementwise_ceil(x)) \
  F(floor, __builtin_elementwise_floor(x)) \
  F(int, __builtin_elementwise_trunc(x)) \
  F(nint, __builtin_elementwise_roundeven(x)) \
  F(logb, std::logb(x)) \
  F(sinpi, sineOfHalfTurns(x)) \
  F(cospi, cosineOfHalfTurns(x)) \
  F(tanpi, sineOfHalfTurns(x) / cosineOfHalfTurns(x))

// Two arguments, in the order in which they are passed: z = f(y, x).
#define VFORCE_BINARY_FUNCTIONS(F) \
  F(div, y / x) \
  F(fmod, std::fmod(y, x)) \
  F(remainder, std::remainder(y, x)) \
  F(copysign, std::copysign(y, x)) \
  F(nextafter, std::nextafter(y, x))

#pragma clang assume_nonnull begin
ACCELERATE_BEGIN

#define VFORCE_DECLARE(name, formula) \
  void vv##name##f(float *y, const float *x, const int *n); \
  void vv##name(double *y, const double *x, const int *n);
#define VFORCE_DECLARE_LIBRARY(name) VFORCE_DECLARE(name, )
VFORCE_LIBRARY_FUNCTIONS(VFORCE_DECLARE_LIBRARY)
VFORCE_UNARY_FUNCTIONS(VFORCE_DECLARE)
#undef VFORCE_DECLARE_LIBRARY
#undef VFORCE_DECLARE

#define VFORCE_DECLARE(name, formula) \
  void vv##name##f(float *z, const float *y, const float *x, const int *n); \
  void vv##name(double *z, const double *y, const double *x, const int *n);
VFORCE_BINARY_FUNCTIONS(VFORCE_DECLARE)
/// z = the angle of the point (x, y).
VFORCE_DECLARE(atan2, )
/// z = x to the power of y. The exponents come first, as in Apple's vForce.
VFORCE_DECLARE(pow, )
/// z = x to the power of the number to which y points.
VFORCE_DECLARE(pows, )
#undef VFORCE_DECLARE

/// z = sin x and y = cos x.
void vvsincosf(float *z, float *y, const float *x, const int *n);
void vvsincos(double *z, double *y, const double *x, const int *n);

ACCELERATE_END
#pragma clang assume_nonnull end

#endif
