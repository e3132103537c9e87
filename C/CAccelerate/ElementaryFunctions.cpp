#include "vForce.h"

#include "kernels/Common.hpp"
#include "libraries/VectorCalls.hpp"

// Clang would warn that it cannot vectorise loops that call functions of the C library.
#pragma clang diagnostic ignored "-Wpass-failed"

#define CA_KERNELS "kernels/ElementaryFunctions.inl.hpp"
#include "kernels/Instances.hpp"

extern "C" {

#define F(name, formula) \
  void vv##name##f(float *y, const float *x, const int *n) { CA_CALL(name##Function(y, x, long(*n))) } \
  void vv##name(double *y, const double *x, const int *n) { CA_CALL(name##Function(y, x, long(*n))) }
#define LIBRARY(name) F(name, )
VFORCE_LIBRARY_FUNCTIONS(LIBRARY)
VFORCE_UNARY_FUNCTIONS(F)
#undef F

#define F(name, formula) \
  void vv##name##f(float *z, const float *y, const float *x, const int *n) { \
    CA_CALL(name##Function(z, y, x, long(*n))) \
  } \
  void vv##name(double *z, const double *y, const double *x, const int *n) { \
    CA_CALL(name##Function(z, y, x, long(*n))) \
  }
VFORCE_BINARY_FUNCTIONS(F)
#undef F

void vvatan2f(float *z, const float *y, const float *x, const int *n) {
  CA_CALL(atan2Function(z, y, x, 1, long(*n)))
}

void vvatan2(double *z, const double *y, const double *x, const int *n) {
  CA_CALL(atan2Function(z, y, x, 1, long(*n)))
}

void vvpowf(float *z, const float *y, const float *x, const int *n) {
  CA_CALL(powFunction(z, x, y, 1, long(*n)))
}

void vvpow(double *z, const double *y, const double *x, const int *n) {
  CA_CALL(powFunction(z, x, y, 1, long(*n)))
}

void vvpowsf(float *z, const float *y, const float *x, const int *n) {
  CA_CALL(powFunction(z, x, y, 0, long(*n)))
}

void vvpows(double *z, const double *y, const double *x, const int *n) {
  CA_CALL(powFunction(z, x, y, 0, long(*n)))
}

// These functions write the cosine to y first. If y is x, they copy x before, because the sine still needs it.

void vvsincosf(float *z, float *y, const float *x, const int *n) {
  if (y == x) {
    std::vector<float> values(x, x + std::max(*n, 0));
    vvcosf(y, values.data(), n);
    return vvsinf(z, values.data(), n);
  }
  vvcosf(y, x, n);
  vvsinf(z, x, n);
}

void vvsincos(double *z, double *y, const double *x, const int *n) {
  if (y == x) {
    std::vector<double> values(x, x + std::max(*n, 0));
    vvcos(y, values.data(), n);
    return vvsin(z, values.data(), n);
  }
  vvcos(y, x, n);
  vvsin(z, x, n);
}
}
