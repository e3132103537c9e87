// vDSP's functions of complex vectors. Functions whose name ends in D take double precision.

#ifndef ATELIER_VDSP_COMPLEX_H
#define ATELIER_VDSP_COMPLEX_H

#include "vDSP_types.h"

#pragma clang assume_nonnull begin
ACCELERATE_BEGIN

#define VDSP_DECLARE_COMPLEX(T, Complex, Split, D) \
  /** Splits an array of complex numbers into two vectors. IC counts numbers, two for each complex number. */ \
  void vDSP_ctoz##D(const Complex *C, vDSP_Stride IC, const Split *Z, vDSP_Stride IZ, vDSP_Length N); \
  /** Joins two vectors to an array of complex numbers. IC counts numbers, two for each complex number. */ \
  void vDSP_ztoc##D(const Split *Z, vDSP_Stride IZ, Complex *C, vDSP_Stride IC, vDSP_Length N); \
  /** C = |A|. */ \
  void vDSP_zvabs##D(const Split *A, vDSP_Stride IA, T *C, vDSP_Stride IC, vDSP_Length N); \
  /** C = |A|². */ \
  void vDSP_zvmags##D(const Split *A, vDSP_Stride IA, T *C, vDSP_Stride IC, vDSP_Length N); \
  /** C = |A|² + B. */ \
  void vDSP_zvmgsa##D( \
      const Split *A, vDSP_Stride IA, const T *B, vDSP_Stride IB, T *C, vDSP_Stride IC, vDSP_Length N); \
  /** C = the angle of A. */ \
  void vDSP_zvphas##D(const Split *A, vDSP_Stride IA, T *C, vDSP_Stride IC, vDSP_Length N); \
  /** C += |A|². */ \
  void vDSP_zaspec##D(const Split *A, T *C, vDSP_Length N); \
  /** C = A. */ \
  void vDSP_zvmov##D(const Split *A, vDSP_Stride IA, const Split *C, vDSP_Stride IC, vDSP_Length N); \
  /** C = the conjugate of A. */ \
  void vDSP_zvconj##D(const Split *A, vDSP_Stride IA, const Split *C, vDSP_Stride IC, vDSP_Length N); \
  /** C = -A. */ \
  void vDSP_zvneg##D(const Split *A, vDSP_Stride IA, const Split *C, vDSP_Stride IC, vDSP_Length N); \
  /** Sets every element of C to the number to which A points. */ \
  void vDSP_zvfill##D(const Split *A, const Split *C, vDSP_Stride IC, vDSP_Length N); \
  /** C = A + B. */ \
  void vDSP_zvadd##D( \
      const Split *A, vDSP_Stride IA, const Split *B, vDSP_Stride IB, const Split *C, vDSP_Stride IC, \
      vDSP_Length N); \
  /** C = A - B. */ \
  void vDSP_zvsub##D( \
      const Split *A, vDSP_Stride IA, const Split *B, vDSP_Stride IB, const Split *C, vDSP_Stride IC, \
      vDSP_Length N); \
  /** C = A B if Conjugate is 1; the conjugate of A times B if it is -1. */ \
  void vDSP_zvmul##D( \
      const Split *A, vDSP_Stride IA, const Split *B, vDSP_Stride IB, const Split *C, vDSP_Stride IC, \
      vDSP_Length N, int Conjugate); \
  /** C = the conjugate of A times B. */ \
  void vDSP_zvcmul##D( \
      const Split *A, vDSP_Stride IA, const Split *B, vDSP_Stride IB, const Split *C, vDSP_Stride IC, \
      vDSP_Length N); \
  /** C = B / A: the divisor is passed first. */ \
  void vDSP_zvdiv##D( \
      const Split *A, vDSP_Stride IA, const Split *B, vDSP_Stride IB, const Split *C, vDSP_Stride IC, \
      vDSP_Length N); \
  /** D = A B + C. */ \
  void vDSP_zvma##D( \
      const Split *A, vDSP_Stride IA, const Split *B, vDSP_Stride IB, const Split *C, vDSP_Stride IC, \
      const Split *D_, vDSP_Stride ID, vDSP_Length N); \
  /** C = A b, with a complex number b. */ \
  void vDSP_zvzsml##D( \
      const Split *A, vDSP_Stride IA, const Split *B, const Split *C, vDSP_Stride IC, vDSP_Length N); \
  /** C = A B, with a real vector B. */ \
  void vDSP_zrvmul##D( \
      const Split *A, vDSP_Stride IA, const T *B, vDSP_Stride IB, const Split *C, vDSP_Stride IC, \
      vDSP_Length N); \
  /** C = A / B, with a real vector B. */ \
  void vDSP_zrvdiv##D( \
      const Split *A, vDSP_Stride IA, const T *B, vDSP_Stride IB, const Split *C, vDSP_Stride IC, \
      vDSP_Length N); \
  /** C = the sum of A B. */ \
  void vDSP_zdotpr##D( \
      const Split *A, vDSP_Stride IA, const Split *B, vDSP_Stride IB, const Split *C, vDSP_Length N); \
  /** C = the sum of the conjugate of A times B. */ \
  void vDSP_zidotpr##D( \
      const Split *A, vDSP_Stride IA, const Split *B, vDSP_Stride IB, const Split *C, vDSP_Length N); \
  /** Points (x, y) to (radius, angle). IA and IC count numbers, two for each point. */ \
  void vDSP_polar##D(const T *A, vDSP_Stride IA, T *C, vDSP_Stride IC, vDSP_Length N); \
  /** Points (radius, angle) to (x, y). IA and IC count numbers, two for each point. */ \
  void vDSP_rect##D(const T *A, vDSP_Stride IA, T *C, vDSP_Stride IC, vDSP_Length N);

VDSP_DECLARE_COMPLEX(float, DSPComplex, DSPSplitComplex, )
VDSP_DECLARE_COMPLEX(double, DSPDoubleComplex, DSPDoubleSplitComplex, D)
#undef VDSP_DECLARE_COMPLEX

ACCELERATE_END
#pragma clang assume_nonnull end

#endif
