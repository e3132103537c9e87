#include "accelerate_blas.h"

#include <cmath>
#include <utility>

#include "libraries/LinearAlgebra.hpp"
#include "vDSP_elementwise.h"
#include "vDSP_reductions.h"

namespace {

void vsma(const float *A, long IA, const float *B, float *C, long IC, long N) {
  vDSP_vsma(A, IA, B, C, IC, C, IC, vDSP_Length(N));
}
void vsma(const double *A, long IA, const double *B, double *C, long IC, long N) {
  vDSP_vsmaD(A, IA, B, C, IC, C, IC, vDSP_Length(N));
}
void vsmul(const float *A, long IA, const float *B, float *C, long IC, long N) {
  vDSP_vsmul(A, IA, B, C, IC, vDSP_Length(N));
}
void vsmul(const double *A, long IA, const double *B, double *C, long IC, long N) {
  vDSP_vsmulD(A, IA, B, C, IC, vDSP_Length(N));
}
void dotProduct(const float *A, long IA, const float *B, long IB, float *C, long N) {
  vDSP_dotpr(A, IA, B, IB, C, vDSP_Length(N));
}
void dotProduct(const double *A, long IA, const double *B, long IB, double *C, long N) {
  vDSP_dotprD(A, IA, B, IB, C, vDSP_Length(N));
}
void magnitudes(const float *A, long IA, float *C, long N) { vDSP_svemg(A, IA, C, vDSP_Length(N)); }
void magnitudes(const double *A, long IA, double *C, long N) { vDSP_svemgD(A, IA, C, vDSP_Length(N)); }
void largest(const float *A, long IA, float *C, vDSP_Length *I, long N) {
  vDSP_maxmgvi(A, IA, C, I, vDSP_Length(N));
}
void largest(const double *A, long IA, double *C, vDSP_Length *I, long N) {
  vDSP_maxmgviD(A, IA, C, I, vDSP_Length(N));
}

/// The address of a vector's first element. With a negative step, the other elements come before it in memory.
template <class T>
T *first(T *X, int N, int step) {
  return step < 0 ? X - long(N - 1) * step : X;
}

template <class T>
void axpy(int N, T alpha, const T *X, int incX, T *Y, int incY) {
  if (N > 0) vsma(first(X, N, incX), incX, &alpha, first(Y, N, incY), incY, N);
}

template <class T>
void copy(int N, const T *X, int incX, T *Y, int incY) {
  const T *from = first(X, N, incX);
  T *to = first(Y, N, incY);
  for (long i = 0; i < N; i++) to[i * incY] = from[i * incX];
}

template <class T>
void swap(int N, T *X, int incX, T *Y, int incY) {
  T *a = first(X, N, incX), *b = first(Y, N, incY);
  for (long i = 0; i < N; i++) std::swap(a[i * incX], b[i * incY]);
}

template <class T>
void scal(int N, T alpha, T *X, int incX) {
  if (N > 0 && incX > 0) vsmul(X, incX, &alpha, X, incX, N);
}

template <class T>
T dot(int N, const T *X, int incX, const T *Y, int incY) {
  T sum = 0;
  if (N > 0) dotProduct(first(X, N, incX), incX, first(Y, N, incY), incY, &sum, N);
  return sum;
}

template <class T>
T asum(int N, const T *X, int incX) {
  T sum = 0;
  if (N > 0 && incX > 0) magnitudes(X, incX, &sum, N);
  return sum;
}

template <class T>
int amax(int N, const T *X, int incX) {
  T value;
  vDSP_Length index = 0;
  if (N > 0 && incX > 0) largest(X, incX, &value, &index, N);
  return incX > 0 ? int(index / vDSP_Length(incX)) : 0;
}

/// The root of the sum of squares, without overflow or underflow of the squares.
template <class T>
T nrm2(int N, const T *X, int incX) {
  if (N <= 0 || incX <= 0) return 0;
  T sum = 0;
  dotProduct(X, incX, X, incX, &sum, N);
  if (std::isnormal(sum)) return std::sqrt(sum);
  const T scale = std::abs(X[long(amax(N, X, incX)) * incX]);
  if (scale == 0 || !std::isfinite(scale)) return sum == sum ? scale : sum;
  double squares = 0;
  for (long i = 0; i < N; i++) squares += double(X[i * incX] / scale) * double(X[i * incX] / scale);
  return T(double(scale) * std::sqrt(squares));
}

}  // namespace

extern "C" {

#define DEFINE(T, s) \
  void cblas_##s##axpy(const int N, const T alpha, const T *X, const int incX, T *Y, const int incY) { \
    axpy<T>(N, alpha, X, incX, Y, incY); \
  } \
  void cblas_##s##copy(const int N, const T *X, const int incX, T *Y, const int incY) { \
    copy<T>(N, X, incX, Y, incY); \
  } \
  void cblas_##s##swap(const int N, T *X, const int incX, T *Y, const int incY) { \
    swap<T>(N, X, incX, Y, incY); \
  } \
  void cblas_##s##scal(const int N, const T alpha, T *X, const int incX) { scal<T>(N, alpha, X, incX); } \
  T cblas_##s##dot(const int N, const T *X, const int incX, const T *Y, const int incY) { \
    return dot<T>(N, X, incX, Y, incY); \
  } \
  T cblas_##s##nrm2(const int N, const T *X, const int incX) { return nrm2<T>(N, X, incX); } \
  T cblas_##s##asum(const int N, const T *X, const int incX) { return asum<T>(N, X, incX); } \
  int cblas_i##s##amax(const int N, const T *X, const int incX) { return amax<T>(N, X, incX); }
DEFINE(float, s)
DEFINE(double, d)

// If no library is installed, these functions change no result. A message on standard error gives the reason.
#define F(name, parameters, arguments) \
  void name parameters { \
    static const auto function = reinterpret_cast<void(*) parameters>(linearAlgebraFunction(#name)); \
    if (function) function arguments; \
  }
BLAS_MATRIX_FUNCTIONS(F, float, s)
BLAS_MATRIX_FUNCTIONS(F, double, d)
#undef F
}
