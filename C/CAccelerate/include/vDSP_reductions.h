// vDSP's reductions of vectors. Functions whose name ends in D take double precision.
//
// Maxima and minima ignore NaN. With N = 0, sums are 0, means are NaN, a maximum is -∞, a minimum +∞, a maximum of
// magnitudes 0, and an index 0.

#ifndef ATELIER_VDSP_REDUCTIONS_H
#define ATELIER_VDSP_REDUCTIONS_H

#include "vDSP_types.h"

// Sums: the term that is added for an element a.
#define VDSP_SUM_FUNCTIONS(F) \
  F(sve, a) \
  F(svemg, magnitude(a)) \
  F(svesq, a * a) \
  F(svs, a * magnitude(a))

// Means: the term whose sum is divided by N.
#define VDSP_MEAN_FUNCTIONS(F) \
  F(meanv, a) \
  F(meamgv, magnitude(a)) \
  F(measqv, a * a) \
  F(mvessq, a * magnitude(a))

// Extremes: the value that is compared, the comparison that makes a value the new extreme, and the initial extreme.
#define VDSP_EXTREME_FUNCTIONS(F) \
  F(maxv, a, >, -infinity) \
  F(minv, a, <, infinity) \
  F(maxmgv, magnitude(a), >, 0) \
  F(minmgv, magnitude(a), <, infinity)

#pragma clang assume_nonnull begin
ACCELERATE_BEGIN

#define VDSP_DECLARE(name, term) \
  void vDSP_##name(const float *A, vDSP_Stride IA, float *C, vDSP_Length N); \
  void vDSP_##name##D(const double *A, vDSP_Stride IA, double *C, vDSP_Length N);
VDSP_SUM_FUNCTIONS(VDSP_DECLARE)
VDSP_MEAN_FUNCTIONS(VDSP_DECLARE)
/// The root of the mean square.
VDSP_DECLARE(rmsqv, )
#undef VDSP_DECLARE

// maxv, maxvi and so on. Functions whose name ends in i also write the index of the first extreme, times IA.
#define VDSP_DECLARE(name, value, comparison, first) \
  void vDSP_##name(const float *A, vDSP_Stride IA, float *C, vDSP_Length N); \
  void vDSP_##name##D(const double *A, vDSP_Stride IA, double *C, vDSP_Length N); \
  void vDSP_##name##i(const float *A, vDSP_Stride IA, float *C, vDSP_Length *I, vDSP_Length N); \
  void vDSP_##name##iD(const double *A, vDSP_Stride IA, double *C, vDSP_Length *I, vDSP_Length N);
VDSP_EXTREME_FUNCTIONS(VDSP_DECLARE)
#undef VDSP_DECLARE

/// The sum and the sum of squares.
void vDSP_sve_svesq(const float *A, vDSP_Stride IA, float *Sum, float *SumOfSquares, vDSP_Length N);
void vDSP_sve_svesqD(
    const double *A, vDSP_Stride IA, double *Sum, double *SumOfSquares, vDSP_Length N);

/// The dot product of A and B.
void vDSP_dotpr(
    const float *A, vDSP_Stride IA, const float *B, vDSP_Stride IB, float *C, vDSP_Length N);
void vDSP_dotprD(
    const double *A, vDSP_Stride IA, const double *B, vDSP_Stride IB, double *C, vDSP_Length N);

/// The sum of (A - B)².
void vDSP_distancesq(
    const float *A, vDSP_Stride IA, const float *B, vDSP_Stride IB, float *C, vDSP_Length N);
void vDSP_distancesqD(
    const double *A, vDSP_Stride IA, const double *B, vDSP_Stride IB, double *C, vDSP_Length N);

/// Writes the mean and the standard deviation (with divisor N) of A. If C is not NULL, also writes
/// C = (A - mean) / deviation.
void vDSP_normalize(
    const float *A, vDSP_Stride IA, float *_Nullable C, vDSP_Stride IC, float *Mean,
    float *StandardDeviation, vDSP_Length N);
void vDSP_normalizeD(
    const double *A, vDSP_Stride IA, double *_Nullable C, vDSP_Stride IC, double *Mean,
    double *StandardDeviation, vDSP_Length N);

/// Finds at most B zero crossings. A crossing is an element whose sign bit differs from the sign bit of the element
/// before. D is the number of crossings. C is the index of crossing number B, times IA, or 0 if there are fewer
/// crossings.
void vDSP_nzcros(
    const float *A, vDSP_Stride IA, vDSP_Length B, vDSP_Length *C, vDSP_Length *D, vDSP_Length N);
/// As vDSP_nzcros, in double precision.
void vDSP_nzcrosD(
    const double *A, vDSP_Stride IA, vDSP_Length B, vDSP_Length *C, vDSP_Length *D, vDSP_Length N);

ACCELERATE_END
#pragma clang assume_nonnull end

#endif
