// vDSP's functions of matrices. Matrices are stored by rows.

#ifndef ATELIER_VDSP_MATRICES_H
#define ATELIER_VDSP_MATRICES_H

#include "vDSP_types.h"

#pragma clang assume_nonnull begin
ACCELERATE_BEGIN

#define VDSP_DECLARE_MATRICES(T, D) \
  /** C = A B. A is M × P, B is P × N, C is M × N. A stride is the distance between neighbours in memory order. */ \
  void vDSP_mmul##D( \
      const T *A, vDSP_Stride IA, const T *B, vDSP_Stride IB, T *C, vDSP_Stride IC, vDSP_Length M, \
      vDSP_Length N, vDSP_Length P); \
  /** C = the transpose of A. C is M × N, A is N × M. */ \
  void vDSP_mtrans##D( \
      const T *A, vDSP_Stride IA, T *C, vDSP_Stride IC, vDSP_Length M, vDSP_Length N); \
  /** Copies a matrix of N rows and M columns. TA and TC are the distances between rows. */ \
  void vDSP_mmov##D( \
      const T *A, T *C, vDSP_Length M, vDSP_Length N, vDSP_Length TA, vDSP_Length TC);

VDSP_DECLARE_MATRICES(float, )
VDSP_DECLARE_MATRICES(double, D)
#undef VDSP_DECLARE_MATRICES

ACCELERATE_END
#pragma clang assume_nonnull end

#endif
