#include "vDSP_matrices.h"

#include "accelerate_blas.h"

#include "kernels/Common.hpp"

#define CA_KERNELS "kernels/Series.inl.hpp"
#include "kernels/Instances.hpp"

namespace {

/// Up to this number of multiply-adds, plain loops are faster than a call of the library.
constexpr double smallProduct = 2048;

void multiply(const float *A, const float *B, float *C, int M, int N, int P) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, M, N, P, 1, A, P, B, N, 0, C, N);
}

void multiply(const double *A, const double *B, double *C, int M, int N, int P) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, M, N, P, 1, A, P, B, N, 0, C, N);
}

template <class T>
void product(
    const T *A, vDSP_Stride IA, const T *B, vDSP_Stride IB, T *C, vDSP_Stride IC, long M, long N, long P) {
  const bool isContiguous = IA == 1 && IB == 1 && IC == 1;
  const bool isSmall = double(M) * double(N) * double(P) <= smallProduct;
  if (isContiguous && !isSmall && std::max({M, N, P}) <= INT32_MAX) {
    return multiply(A, B, C, int(M), int(N), int(P));
  }
  for (long m = 0; m < M; m++) {
    for (long n = 0; n < N; n++) {
      double sum = 0;
      for (long p = 0; p < P; p++) sum += double(A[(m * P + p) * IA]) * double(B[(p * N + n) * IB]);
      C[(m * N + n) * IC] = T(sum);
    }
  }
}

/// Transposes in place, through a copy.
template <class T>
void transposeMatrix(const T *A, vDSP_Stride IA, T *C, vDSP_Stride IC, long M, long N) {
  if (A == C) {
    std::vector<T> copy(size_t(M) * size_t(N));
    for (long i = 0; i < M * N; i++) copy[size_t(i)] = A[i * IA];
    return transposeMatrix<T>(copy.data(), 1, C, IC, M, N);
  }
  CA_CALL(transpose<T>(A, IA, C, IC, M, N))
}

template <class T>
void move(const T *A, T *C, long columns, long rows, long TA, long TC) {
  for (long row = 0; row < rows; row++) memmove(C + row * TC, A + row * TA, size_t(columns) * sizeof(T));
}

}  // namespace

extern "C" {

#define DEFINE(T, D) \
  void vDSP_mmul##D( \
      const T *A, vDSP_Stride IA, const T *B, vDSP_Stride IB, T *C, vDSP_Stride IC, vDSP_Length M, \
      vDSP_Length N, vDSP_Length P) { \
    product<T>(A, IA, B, IB, C, IC, long(M), long(N), long(P)); \
  } \
  void vDSP_mtrans##D( \
      const T *A, vDSP_Stride IA, T *C, vDSP_Stride IC, vDSP_Length M, vDSP_Length N) { \
    transposeMatrix<T>(A, IA, C, IC, long(M), long(N)); \
  } \
  void vDSP_mmov##D( \
      const T *A, T *C, vDSP_Length M, vDSP_Length N, vDSP_Length TA, vDSP_Length TC) { \
    move<T>(A, C, long(M), long(N), long(TA), long(TC)); \
  }
DEFINE(float, )
DEFINE(double, D)
}
