// BLAS, with the C interface (CBLAS). OpenBLAS computes matrix products and solves equations; the first call opens it.
// The functions of vectors are this project's own. A matrix may be stored by rows or by columns.
//
// The functions have other names in the compiled program (accelerate_cblas_sgemm), so that a program may link another
// BLAS too.

#ifndef ATELIER_ACCELERATE_BLAS_H
#define ATELIER_ACCELERATE_BLAS_H

#include "vDSP_types.h"

enum CBLAS_ORDER { CblasRowMajor = 101, CblasColMajor = 102 };
enum CBLAS_TRANSPOSE { CblasNoTrans = 111, CblasTrans = 112, CblasConjTrans = 113 };
enum CBLAS_UPLO { CblasUpper = 121, CblasLower = 122 };
enum CBLAS_DIAG { CblasNonUnit = 131, CblasUnit = 132 };
enum CBLAS_SIDE { CblasLeft = 141, CblasRight = 142 };

#define BLAS_NAME(name) __asm__("accelerate_" #name)

// The parameters of the functions of vectors: N elements, and for each vector the distance between its elements. With a
// negative distance, the functions read a vector from its end.
#define BLAS_VECTOR_FUNCTIONS(F, T, s) \
  F(void, cblas_##s##axpy, (const int N, const T alpha, const T *X, const int incX, T *Y, const int incY), \
      (N, alpha, X, incX, Y, incY)) \
  F(void, cblas_##s##copy, (const int N, const T *X, const int incX, T *Y, const int incY), \
      (N, X, incX, Y, incY)) \
  F(void, cblas_##s##swap, (const int N, T *X, const int incX, T *Y, const int incY), (N, X, incX, Y, incY)) \
  F(void, cblas_##s##scal, (const int N, const T alpha, T *X, const int incX), (N, alpha, X, incX)) \
  F(T, cblas_##s##dot, (const int N, const T *X, const int incX, const T *Y, const int incY), \
      (N, X, incX, Y, incY)) \
  F(T, cblas_##s##nrm2, (const int N, const T *X, const int incX), (N, X, incX)) \
  F(T, cblas_##s##asum, (const int N, const T *X, const int incX), (N, X, incX)) \
  F(int, cblas_i##s##amax, (const int N, const T *X, const int incX), (N, X, incX))

// The functions of matrices.
#define BLAS_MATRIX_FUNCTIONS(F, T, s) \
  F(cblas_##s##gemm, \
      (const enum CBLAS_ORDER order, const enum CBLAS_TRANSPOSE transA, const enum CBLAS_TRANSPOSE transB, \
       const int M, const int N, const int K, const T alpha, const T *A, const int lda, const T *B, \
       const int ldb, const T beta, T *C, const int ldc), \
      (order, transA, transB, M, N, K, alpha, A, lda, B, ldb, beta, C, ldc)) \
  F(cblas_##s##gemv, \
      (const enum CBLAS_ORDER order, const enum CBLAS_TRANSPOSE transA, const int M, const int N, \
       const T alpha, const T *A, const int lda, const T *X, const int incX, const T beta, T *Y, \
       const int incY), \
      (order, transA, M, N, alpha, A, lda, X, incX, beta, Y, incY)) \
  F(cblas_##s##ger, \
      (const enum CBLAS_ORDER order, const int M, const int N, const T alpha, const T *X, const int incX, \
       const T *Y, const int incY, T *A, const int lda), \
      (order, M, N, alpha, X, incX, Y, incY, A, lda)) \
  F(cblas_##s##symv, \
      (const enum CBLAS_ORDER order, const enum CBLAS_UPLO uplo, const int N, const T alpha, const T *A, \
       const int lda, const T *X, const int incX, const T beta, T *Y, const int incY), \
      (order, uplo, N, alpha, A, lda, X, incX, beta, Y, incY)) \
  F(cblas_##s##symm, \
      (const enum CBLAS_ORDER order, const enum CBLAS_SIDE side, const enum CBLAS_UPLO uplo, const int M, \
       const int N, const T alpha, const T *A, const int lda, const T *B, const int ldb, const T beta, T *C, \
       const int ldc), \
      (order, side, uplo, M, N, alpha, A, lda, B, ldb, beta, C, ldc)) \
  F(cblas_##s##syrk, \
      (const enum CBLAS_ORDER order, const enum CBLAS_UPLO uplo, const enum CBLAS_TRANSPOSE trans, \
       const int N, const int K, const T alpha, const T *A, const int lda, const T beta, T *C, const int ldc), \
      (order, uplo, trans, N, K, alpha, A, lda, beta, C, ldc)) \
  F(cblas_##s##trsm, \
      (const enum CBLAS_ORDER order, const enum CBLAS_SIDE side, const enum CBLAS_UPLO uplo, \
       const enum CBLAS_TRANSPOSE transA, const enum CBLAS_DIAG diag, const int M, const int N, \
       const T alpha, const T *A, const int lda, T *B, const int ldb), \
      (order, side, uplo, transA, diag, M, N, alpha, A, lda, B, ldb)) \
  F(cblas_##s##trsv, \
      (const enum CBLAS_ORDER order, const enum CBLAS_UPLO uplo, const enum CBLAS_TRANSPOSE transA, \
       const enum CBLAS_DIAG diag, const int N, const T *A, const int lda, T *X, const int incX), \
      (order, uplo, transA, diag, N, A, lda, X, incX))

ACCELERATE_BEGIN

#define BLAS_DECLARE(R, name, parameters, arguments) R name parameters BLAS_NAME(name);
BLAS_VECTOR_FUNCTIONS(BLAS_DECLARE, float, s)
BLAS_VECTOR_FUNCTIONS(BLAS_DECLARE, double, d)
#undef BLAS_DECLARE
#define BLAS_DECLARE(name, parameters, arguments) void name parameters BLAS_NAME(name);
BLAS_MATRIX_FUNCTIONS(BLAS_DECLARE, float, s)
BLAS_MATRIX_FUNCTIONS(BLAS_DECLARE, double, d)
#undef BLAS_DECLARE

ACCELERATE_END

#endif
