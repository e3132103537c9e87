// vDSP's elementwise functions. The lists give the formula of each function; the macros below the lists declare each
// function in single precision (vDSP_vadd) and in double precision (vDSP_vaddD).
//
// Vectors have strides. The letters a, b, c and d in a formula are the elements of the arguments in the order in which
// they are passed; a scalar is passed as a pointer. The result may be stored in the memory of an argument if both have
// the same stride. With N = 0 nothing is read or written.

#ifndef ATELIER_VDSP_ELEMENTWISE_H
#define ATELIER_VDSP_ELEMENTWISE_H

#include "vDSP_types.h"

// One vector.
#define VDSP_UNARY_FUNCTIONS(F) \
  F(vneg, -a) \
  F(vabs, magnitude(a)) \
  F(vnabs, -magnitude(a)) \
  F(vsq, a * a) \
  F(vssq, a * magnitude(a)) \
  F(vfrac, a - truncated(a))

// Two vectors. As in Apple's vDSP, vsub and vdiv take the subtrahend and the divisor first.
#define VDSP_BINARY_FUNCTIONS(F) \
  F(vadd, a + b) \
  F(vsub, b - a) \
  F(vmul, a * b) \
  F(vdiv, b / a) \
  F(vmax, a < b ? b : a) \
  F(vmin, b < a ? b : a) \
  F(vmaxmg, larger(magnitude(a), magnitude(b))) \
  F(vminmg, smaller(magnitude(a), magnitude(b))) \
  F(vdist, squareRoot(a * a + b * b))

// A vector and a scalar.
#define VDSP_VECTOR_SCALAR_FUNCTIONS(F) \
  F(vsadd, a + b) \
  F(vsmul, a * b) \
  F(vsdiv, a / b) \
  F(vthr, a >= b ? a : b) \
  F(vthres, a >= b ? a : T(0))

// A vector and two scalars.
#define VDSP_VECTOR_TWO_SCALARS_FUNCTIONS(F) \
  F(vsmsa, a * b + c) \
  F(vclip, clipped(a, b, c)) \
  F(viclip, (a <= b || a >= c) ? a : (a < 0 ? b : c)) \
  F(vlim, a >= b ? c : -c) \
  F(vthrsc, a >= b ? c : -c)

// Two vectors and a scalar.
#define VDSP_TWO_VECTORS_SCALAR_FUNCTIONS(F) \
  F(vasm, (a + b) * c) \
  F(vsbsm, (a - b) * c) \
  F(vmsa, a * b + c) \
  F(vintb, a + c * (b - a))

// A vector, a scalar, and a vector.
#define VDSP_VECTOR_SCALAR_VECTOR_FUNCTIONS(F) \
  F(vsma, a * b + c) \
  F(vsmsb, a * b - c)

// Three vectors.
#define VDSP_THREE_VECTORS_FUNCTIONS(F) \
  F(vma, a * b + c) \
  F(vmsb, a * b - c) \
  F(vam, (a + b) * c) \
  F(vsbm, (a - b) * c)

// Four vectors.
#define VDSP_FOUR_VECTORS_FUNCTIONS(F) \
  F(vaam, (a + b) * (c + d)) \
  F(vsbsbm, (a - b) * (c - d)) \
  F(vasbm, (a + b) * (c - d)) \
  F(vmma, a * b + c * d) \
  F(vmmsb, a * b - c * d) \
  F(vpythg, squareRoot((a - c) * (a - c) + (b - d) * (b - d)))

#pragma clang assume_nonnull begin
ACCELERATE_BEGIN

#define VDSP_DECLARE_BOTH(PARAMETERS, name) \
  void vDSP_##name(PARAMETERS(float)); \
  void vDSP_##name##D(PARAMETERS(double));

#define VDSP_UNARY(T) const T *A, vDSP_Stride IA, T *C, vDSP_Stride IC, vDSP_Length N
#define VDSP_BINARY(T) \
  const T *A, vDSP_Stride IA, const T *B, vDSP_Stride IB, T *C, vDSP_Stride IC, vDSP_Length N
#define VDSP_VECTOR_SCALAR(T) \
  const T *A, vDSP_Stride IA, const T *B, T *C, vDSP_Stride IC, vDSP_Length N
#define VDSP_VECTOR_TWO_SCALARS(T) \
  const T *A, vDSP_Stride IA, const T *B, const T *C, T *D, vDSP_Stride ID, vDSP_Length N
#define VDSP_TWO_VECTORS_SCALAR(T) \
  const T *A, vDSP_Stride IA, const T *B, vDSP_Stride IB, const T *C, T *D, vDSP_Stride ID, vDSP_Length N
#define VDSP_VECTOR_SCALAR_VECTOR(T) \
  const T *A, vDSP_Stride IA, const T *B, const T *C, vDSP_Stride IC, T *D, vDSP_Stride ID, vDSP_Length N
#define VDSP_THREE_VECTORS(T) \
  const T *A, vDSP_Stride IA, const T *B, vDSP_Stride IB, const T *C, vDSP_Stride IC, T *D, vDSP_Stride ID, \
      vDSP_Length N
#define VDSP_FOUR_VECTORS(T) \
  const T *A, vDSP_Stride IA, const T *B, vDSP_Stride IB, const T *C, vDSP_Stride IC, const T *D, \
      vDSP_Stride ID, T *E, vDSP_Stride IE, vDSP_Length N

#define VDSP_DECLARE(name, formula) VDSP_DECLARE_BOTH(VDSP_UNARY, name)
VDSP_UNARY_FUNCTIONS(VDSP_DECLARE)
#undef VDSP_DECLARE
#define VDSP_DECLARE(name, formula) VDSP_DECLARE_BOTH(VDSP_BINARY, name)
VDSP_BINARY_FUNCTIONS(VDSP_DECLARE)
#undef VDSP_DECLARE
#define VDSP_DECLARE(name, formula) VDSP_DECLARE_BOTH(VDSP_VECTOR_SCALAR, name)
VDSP_VECTOR_SCALAR_FUNCTIONS(VDSP_DECLARE)
#undef VDSP_DECLARE
#define VDSP_DECLARE(name, formula) VDSP_DECLARE_BOTH(VDSP_VECTOR_TWO_SCALARS, name)
VDSP_VECTOR_TWO_SCALARS_FUNCTIONS(VDSP_DECLARE)
#undef VDSP_DECLARE
#define VDSP_DECLARE(name, formula) VDSP_DECLARE_BOTH(VDSP_TWO_VECTORS_SCALAR, name)
VDSP_TWO_VECTORS_SCALAR_FUNCTIONS(VDSP_DECLARE)
#undef VDSP_DECLARE
#define VDSP_DECLARE(name, formula) VDSP_DECLARE_BOTH(VDSP_VECTOR_SCALAR_VECTOR, name)
VDSP_VECTOR_SCALAR_VECTOR_FUNCTIONS(VDSP_DECLARE)
#undef VDSP_DECLARE
#define VDSP_DECLARE(name, formula) VDSP_DECLARE_BOTH(VDSP_THREE_VECTORS, name)
VDSP_THREE_VECTORS_FUNCTIONS(VDSP_DECLARE)
#undef VDSP_DECLARE
#define VDSP_DECLARE(name, formula) VDSP_DECLARE_BOTH(VDSP_FOUR_VECTORS, name)
VDSP_FOUR_VECTORS_FUNCTIONS(VDSP_DECLARE)
#undef VDSP_DECLARE

/// C = a / B, with a scalar a.
void vDSP_svdiv(const float *A, const float *B, vDSP_Stride IB, float *C, vDSP_Stride IC, vDSP_Length N);
void vDSP_svdivD(const double *A, const double *B, vDSP_Stride IB, double *C, vDSP_Stride IC, vDSP_Length N);

/// E = A · b + C · d, with scalars b and d.
void vDSP_vsmsma(
    const float *A, vDSP_Stride IA, const float *B, const float *C, vDSP_Stride IC, const float *D,
    float *E, vDSP_Stride IE, vDSP_Length N);
void vDSP_vsmsmaD(
    const double *A, vDSP_Stride IA, const double *B, const double *C, vDSP_Stride IC,
    const double *D, double *E, vDSP_Stride IE, vDSP_Length N);

/// Clips A to the range from b to c, and counts the elements below b and above c.
void vDSP_vclipc(
    const float *A, vDSP_Stride IA, const float *B, const float *C, float *D, vDSP_Stride ID,
    vDSP_Length N, vDSP_Length *NLow, vDSP_Length *NHigh);
void vDSP_vclipcD(
    const double *A, vDSP_Stride IA, const double *B, const double *C, double *D, vDSP_Stride ID,
    vDSP_Length N, vDSP_Length *NLow, vDSP_Length *NHigh);

// Integers.

/// C = A + B, wrapping around.
void vDSP_vaddi(
    const int *A, vDSP_Stride IA, const int *B, vDSP_Stride IB, int *C, vDSP_Stride IC, vDSP_Length N);
/// C = A + b, wrapping around, with a scalar b.
void vDSP_vsaddi(
    const int *A, vDSP_Stride IA, const int *B, int *C, vDSP_Stride IC, vDSP_Length N);
/// C = |A|, wrapping around.
void vDSP_vabsi(const int *A, vDSP_Stride IA, int *C, vDSP_Stride IC, vDSP_Length N);
/// C = B / A, rounded towards 0. Where A is 0, the result is 0.
void vDSP_vdivi(
    const int *A, vDSP_Stride IA, const int *B, vDSP_Stride IB, int *C, vDSP_Stride IC, vDSP_Length N);
/// C = A / b, rounded towards 0, with a scalar b. If b is 0, the result is 0.
void vDSP_vsdivi(
    const int *A, vDSP_Stride IA, const int *B, int *C, vDSP_Stride IC, vDSP_Length N);
/// C = ~(A ^ B): each bit is 1 where the bits of A and B are equal.
void vDSP_veqvi(
    const int *A, vDSP_Stride IA, const int *B, vDSP_Stride IB, int *C, vDSP_Stride IC, vDSP_Length N);
/// Sets every element of C to a.
void vDSP_vfilli(const int *A, int *C, vDSP_Stride IC, vDSP_Length N);

ACCELERATE_END
#pragma clang assume_nonnull end

#endif
