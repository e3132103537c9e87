#include "vDSP_complex.h"

#include "vDSP_elementwise.h"
#include "vDSP_reductions.h"

#include "kernels/Common.hpp"
#include "kernels/Splitting.hpp"

#define CA_KERNELS "kernels/Complex.inl.hpp"
#include "kernels/Instances.hpp"

void splitNumbers(const float *C, long IC, float *Zr, float *Zi, long IZ, long N) {
  CA_CALL(split<float>(C, IC, Zr, Zi, IZ, N))
}

void splitNumbers(const double *C, long IC, double *Zr, double *Zi, long IZ, long N) {
  CA_CALL(split<double>(C, IC, Zr, Zi, IZ, N))
}

void joinNumbers(const float *Zr, const float *Zi, long IZ, float *C, long IC, long N) {
  CA_CALL(join<float>(Zr, Zi, IZ, C, IC, N))
}

void joinNumbers(const double *Zr, const double *Zi, long IZ, double *C, long IC, long N) {
  CA_CALL(join<double>(Zr, Zi, IZ, C, IC, N))
}

namespace {

void dot(const float *A, long IA, const float *B, long IB, float *C, vDSP_Length N) {
  vDSP_dotpr(A, IA, B, IB, C, N);
}

void dot(const double *A, long IA, const double *B, long IB, double *C, vDSP_Length N) {
  vDSP_dotprD(A, IA, B, IB, C, N);
}

/// The sum of A B. If sign is -1, the sum of the conjugate of A times B.
template <class T, class Split>
void complexDot(
    const Split *A, long IA, const Split *B, long IB, const Split *C, vDSP_Length N, T sign) {
  T rr, ii, ri, ir;
  dot(A->realp, IA, B->realp, IB, &rr, N);
  dot(A->imagp, IA, B->imagp, IB, &ii, N);
  dot(A->realp, IA, B->imagp, IB, &ri, N);
  dot(A->imagp, IA, B->realp, IB, &ir, N);
  *C->realp = rr - sign * ii;
  *C->imagp = ri + sign * ir;
}

}  // namespace

#define TO_REAL(name, B, IB) CA_CALL(name(A->realp, A->imagp, IA, B, IB, C, IC, long(N)))
#define TO_COMPLEX(name, Br, Bi, IB) \
  CA_CALL(name(A->realp, A->imagp, IA, Br, Bi, IB, C->realp, C->imagp, IC, long(N)))

extern "C" {

#define DEFINE(T, Complex, Split, D) \
  void vDSP_ctoz##D(const Complex *C, vDSP_Stride IC, const Split *Z, vDSP_Stride IZ, vDSP_Length N) { \
    splitNumbers(&C->real, IC, Z->realp, Z->imagp, IZ, long(N)); \
  } \
  void vDSP_ztoc##D(const Split *Z, vDSP_Stride IZ, Complex *C, vDSP_Stride IC, vDSP_Length N) { \
    joinNumbers(Z->realp, Z->imagp, IZ, &C->real, IC, long(N)); \
  } \
  void vDSP_zvabs##D(const Split *A, vDSP_Stride IA, T *C, vDSP_Stride IC, vDSP_Length N) { \
    TO_REAL(zvabs<T>, A->realp, IA) \
  } \
  void vDSP_zvmags##D(const Split *A, vDSP_Stride IA, T *C, vDSP_Stride IC, vDSP_Length N) { \
    TO_REAL(zvmags<T>, A->realp, IA) \
  } \
  void vDSP_zvmgsa##D( \
      const Split *A, vDSP_Stride IA, const T *B, vDSP_Stride IB, T *C, vDSP_Stride IC, vDSP_Length N) { \
    TO_REAL(zvmgsa<T>, B, IB) \
  } \
  void vDSP_zvphas##D(const Split *A, vDSP_Stride IA, T *C, vDSP_Stride IC, vDSP_Length N) { \
    for (long i = 0; i < long(N); i++) C[i * IC] = std::atan2(A->imagp[i * IA], A->realp[i * IA]); \
  } \
  void vDSP_zaspec##D(const Split *A, T *C, vDSP_Length N) { vDSP_zvmgsa##D(A, 1, C, 1, C, 1, N); } \
  void vDSP_zvmov##D(const Split *A, vDSP_Stride IA, const Split *C, vDSP_Stride IC, vDSP_Length N) { \
    TO_COMPLEX(zvmov<T>, A->realp, A->imagp, IA) \
  } \
  void vDSP_zvconj##D(const Split *A, vDSP_Stride IA, const Split *C, vDSP_Stride IC, vDSP_Length N) { \
    TO_COMPLEX(zvconj<T>, A->realp, A->imagp, IA) \
  } \
  void vDSP_zvneg##D(const Split *A, vDSP_Stride IA, const Split *C, vDSP_Stride IC, vDSP_Length N) { \
    TO_COMPLEX(zvneg<T>, A->realp, A->imagp, IA) \
  } \
  void vDSP_zvfill##D(const Split *A, const Split *C, vDSP_Stride IC, vDSP_Length N) { \
    const T x = *A->realp, y = *A->imagp; \
    for (long i = 0; i < long(N); i++) C->realp[i * IC] = x, C->imagp[i * IC] = y; \
  } \
  void vDSP_zvadd##D( \
      const Split *A, vDSP_Stride IA, const Split *B, vDSP_Stride IB, const Split *C, vDSP_Stride IC, \
      vDSP_Length N) { \
    TO_COMPLEX(zvadd<T>, B->realp, B->imagp, IB) \
  } \
  void vDSP_zvsub##D( \
      const Split *A, vDSP_Stride IA, const Split *B, vDSP_Stride IB, const Split *C, vDSP_Stride IC, \
      vDSP_Length N) { \
    TO_COMPLEX(zvsub<T>, B->realp, B->imagp, IB) \
  } \
  void vDSP_zvmul##D( \
      const Split *A, vDSP_Stride IA, const Split *B, vDSP_Stride IB, const Split *C, vDSP_Stride IC, \
      vDSP_Length N, int Conjugate) { \
    if (Conjugate < 0) { TO_COMPLEX(zvcmul<T>, B->realp, B->imagp, IB) } \
    TO_COMPLEX(zvmul<T>, B->realp, B->imagp, IB) \
  } \
  void vDSP_zvcmul##D( \
      const Split *A, vDSP_Stride IA, const Split *B, vDSP_Stride IB, const Split *C, vDSP_Stride IC, \
      vDSP_Length N) { \
    TO_COMPLEX(zvcmul<T>, B->realp, B->imagp, IB) \
  } \
  void vDSP_zvdiv##D( \
      const Split *A, vDSP_Stride IA, const Split *B, vDSP_Stride IB, const Split *C, vDSP_Stride IC, \
      vDSP_Length N) { \
    TO_COMPLEX(zvdiv<T>, B->realp, B->imagp, IB) \
  } \
  void vDSP_zvma##D( \
      const Split *A, vDSP_Stride IA, const Split *B, vDSP_Stride IB, const Split *C, vDSP_Stride IC, \
      const Split *To, vDSP_Stride ID, vDSP_Length N) { \
    for (long i = 0; i < long(N); i++) { \
      const T a = A->realp[i * IA], b = A->imagp[i * IA], c = B->realp[i * IB], d = B->imagp[i * IB]; \
      const T x = a * c - b * d + C->realp[i * IC], y = a * d + b * c + C->imagp[i * IC]; \
      To->realp[i * ID] = x; \
      To->imagp[i * ID] = y; \
    } \
  } \
  void vDSP_zvzsml##D( \
      const Split *A, vDSP_Stride IA, const Split *B, const Split *C, vDSP_Stride IC, vDSP_Length N) { \
    const T c = *B->realp, d = *B->imagp; \
    for (long i = 0; i < long(N); i++) { \
      const T a = A->realp[i * IA], b = A->imagp[i * IA]; \
      C->realp[i * IC] = a * c - b * d; \
      C->imagp[i * IC] = a * d + b * c; \
    } \
  } \
  void vDSP_zrvmul##D( \
      const Split *A, vDSP_Stride IA, const T *B, vDSP_Stride IB, const Split *C, vDSP_Stride IC, \
      vDSP_Length N) { \
    TO_COMPLEX(zrvmul<T>, B, B, IB) \
  } \
  void vDSP_zrvdiv##D( \
      const Split *A, vDSP_Stride IA, const T *B, vDSP_Stride IB, const Split *C, vDSP_Stride IC, \
      vDSP_Length N) { \
    TO_COMPLEX(zrvdiv<T>, B, B, IB) \
  } \
  void vDSP_zdotpr##D( \
      const Split *A, vDSP_Stride IA, const Split *B, vDSP_Stride IB, const Split *C, vDSP_Length N) { \
    complexDot<T>(A, IA, B, IB, C, N, 1); \
  } \
  void vDSP_zidotpr##D( \
      const Split *A, vDSP_Stride IA, const Split *B, vDSP_Stride IB, const Split *C, vDSP_Length N) { \
    complexDot<T>(A, IA, B, IB, C, N, -1); \
  } \
  void vDSP_polar##D(const T *A, vDSP_Stride IA, T *C, vDSP_Stride IC, vDSP_Length N) { \
    for (long i = 0; i < long(N); i++) { \
      const T x = A[i * IA], y = A[i * IA + 1]; \
      C[i * IC] = std::hypot(x, y); \
      C[i * IC + 1] = std::atan2(y, x); \
    } \
  } \
  void vDSP_rect##D(const T *A, vDSP_Stride IA, T *C, vDSP_Stride IC, vDSP_Length N) { \
    for (long i = 0; i < long(N); i++) { \
      const T radius = A[i * IA], angle = A[i * IA + 1]; \
      C[i * IC] = radius * std::cos(angle); \
      C[i * IC + 1] = radius * std::sin(angle); \
    } \
  }

DEFINE(float, DSPComplex, DSPSplitComplex, )
DEFINE(double, DSPDoubleComplex, DSPDoubleSplitComplex, D)
}
