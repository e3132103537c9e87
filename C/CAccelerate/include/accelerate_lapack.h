// LAPACK's solvers, with Fortran's calling convention as in Apple's older headers (CLAPACK). The library is OpenBLAS,
// or Debian's reference LAPACK. The first call opens it. If neither library is installed, the functions set info to
// -1000.
//
// Matrices are stored by columns. Every argument is a pointer. The functions have other names in the compiled program
// (accelerate_sgelsd_), so that a program may link another LAPACK too.

#ifndef ATELIER_ACCELERATE_LAPACK_H
#define ATELIER_ACCELERATE_LAPACK_H

#include "accelerate_blas.h"

typedef int __CLPK_integer;
typedef int __CLPK_logical;
typedef float __CLPK_real;
typedef double __CLPK_doublereal;

// The last parameter of each function is info: 0 for success, -n if argument n is wrong, and positive if the matrix is
// singular or an iteration did not converge.
#define LAPACK_FUNCTIONS(F, T, s) \
  /* Least squares by singular values. */ \
  F(s##gelsd_, \
      (int *m, int *n, int *nrhs, T *a, int *lda, T *b, int *ldb, T *sv, T *rcond, int *rank, T *work, \
       int *lwork, int *iwork, int *info), \
      (m, n, nrhs, a, lda, b, ldb, sv, rcond, rank, work, lwork, iwork, info)) \
  F(s##gelss_, \
      (int *m, int *n, int *nrhs, T *a, int *lda, T *b, int *ldb, T *sv, T *rcond, int *rank, T *work, \
       int *lwork, int *info), \
      (m, n, nrhs, a, lda, b, ldb, sv, rcond, rank, work, lwork, info)) \
  /* Least squares by QR. */ \
  F(s##gels_, \
      (char *trans, int *m, int *n, int *nrhs, T *a, int *lda, T *b, int *ldb, T *work, int *lwork, int *info), \
      (trans, m, n, nrhs, a, lda, b, ldb, work, lwork, info)) \
  /* Linear equations by LU. */ \
  F(s##gesv_, (int *n, int *nrhs, T *a, int *lda, int *ipiv, T *b, int *ldb, int *info), \
      (n, nrhs, a, lda, ipiv, b, ldb, info)) \
  F(s##getrf_, (int *m, int *n, T *a, int *lda, int *ipiv, int *info), (m, n, a, lda, ipiv, info)) \
  F(s##getri_, (int *n, T *a, int *lda, int *ipiv, T *work, int *lwork, int *info), \
      (n, a, lda, ipiv, work, lwork, info)) \
  F(s##getrs_, (char *trans, int *n, int *nrhs, T *a, int *lda, int *ipiv, T *b, int *ldb, int *info), \
      (trans, n, nrhs, a, lda, ipiv, b, ldb, info)) \
  /* Linear equations by Cholesky. */ \
  F(s##posv_, (char *uplo, int *n, int *nrhs, T *a, int *lda, T *b, int *ldb, int *info), \
      (uplo, n, nrhs, a, lda, b, ldb, info)) \
  F(s##potrf_, (char *uplo, int *n, T *a, int *lda, int *info), (uplo, n, a, lda, info)) \
  F(s##potrs_, (char *uplo, int *n, int *nrhs, T *a, int *lda, T *b, int *ldb, int *info), \
      (uplo, n, nrhs, a, lda, b, ldb, info)) \
  F(s##potri_, (char *uplo, int *n, T *a, int *lda, int *info), (uplo, n, a, lda, info)) \
  /* QR. */ \
  F(s##geqrf_, (int *m, int *n, T *a, int *lda, T *tau, T *work, int *lwork, int *info), \
      (m, n, a, lda, tau, work, lwork, info)) \
  F(s##orgqr_, (int *m, int *n, int *k, T *a, int *lda, T *tau, T *work, int *lwork, int *info), \
      (m, n, k, a, lda, tau, work, lwork, info)) \
  /* Eigenvalues. */ \
  F(s##syev_, (char *jobz, char *uplo, int *n, T *a, int *lda, T *w, T *work, int *lwork, int *info), \
      (jobz, uplo, n, a, lda, w, work, lwork, info)) \
  F(s##syevd_, \
      (char *jobz, char *uplo, int *n, T *a, int *lda, T *w, T *work, int *lwork, int *iwork, int *liwork, \
       int *info), \
      (jobz, uplo, n, a, lda, w, work, lwork, iwork, liwork, info)) \
  F(s##geev_, \
      (char *jobvl, char *jobvr, int *n, T *a, int *lda, T *wr, T *wi, T *vl, int *ldvl, T *vr, int *ldvr, \
       T *work, int *lwork, int *info), \
      (jobvl, jobvr, n, a, lda, wr, wi, vl, ldvl, vr, ldvr, work, lwork, info)) \
  /* Singular values. */ \
  F(s##gesvd_, \
      (char *jobu, char *jobvt, int *m, int *n, T *a, int *lda, T *sv, T *u, int *ldu, T *vt, int *ldvt, \
       T *work, int *lwork, int *info), \
      (jobu, jobvt, m, n, a, lda, sv, u, ldu, vt, ldvt, work, lwork, info)) \
  F(s##gesdd_, \
      (char *jobz, int *m, int *n, T *a, int *lda, T *sv, T *u, int *ldu, T *vt, int *ldvt, T *work, \
       int *lwork, int *iwork, int *info), \
      (jobz, m, n, a, lda, sv, u, ldu, vt, ldvt, work, lwork, iwork, info))

ACCELERATE_BEGIN

#define LAPACK_DECLARE(name, parameters, arguments) int name parameters BLAS_NAME(name);
LAPACK_FUNCTIONS(LAPACK_DECLARE, float, s)
LAPACK_FUNCTIONS(LAPACK_DECLARE, double, d)
#undef LAPACK_DECLARE

ACCELERATE_END

#endif
