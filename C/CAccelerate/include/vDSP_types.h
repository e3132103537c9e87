// Types that all functions of vDSP share.

#ifndef ATELIER_VDSP_TYPES_H
#define ATELIER_VDSP_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define ACCELERATE_BEGIN extern "C" {
#define ACCELERATE_END }
#else
#define ACCELERATE_BEGIN
#define ACCELERATE_END
#endif

/// A number of elements.
typedef unsigned long vDSP_Length;
/// The distance from one element of a vector to the next, in elements. It may be negative or 0.
typedef long vDSP_Stride;

/// A complex number.
typedef struct DSPComplex {
  float real;
  float imag;
} DSPComplex;

/// A complex number in double precision.
typedef struct DSPDoubleComplex {
  double real;
  double imag;
} DSPDoubleComplex;

/// A complex vector whose real and imaginary parts are two real vectors.
typedef struct DSPSplitComplex {
  float *_Nonnull realp;
  float *_Nonnull imagp;
} DSPSplitComplex;

/// A complex vector in double precision whose real and imaginary parts are two real vectors.
typedef struct DSPDoubleSplitComplex {
  double *_Nonnull realp;
  double *_Nonnull imagp;
} DSPDoubleSplitComplex;

#endif
