// vDSP's functions that make, sort, select and filter vectors. Functions whose name ends in D take double precision.

#ifndef ATELIER_VDSP_SERIES_H
#define ATELIER_VDSP_SERIES_H

#include "vDSP_types.h"

/// Flags of the windows: the whole window, or only its first half of (N + 1) / 2 points.
enum { vDSP_HALF_WINDOW = 1, vDSP_HANN_DENORM = 0, vDSP_HANN_NORM = 2 };

#pragma clang assume_nonnull begin
ACCELERATE_BEGIN

#define VDSP_DECLARE_SERIES(T, D) \
  /** Sets every element of C to 0. */ \
  void vDSP_vclr##D(T *C, vDSP_Stride IC, vDSP_Length N); \
  /** Sets every element of C to the number to which A points. */ \
  void vDSP_vfill##D(const T *A, T *C, vDSP_Stride IC, vDSP_Length N); \
  /** C[n] = a + n b. */ \
  void vDSP_vramp##D(const T *A, const T *B, T *C, vDSP_Stride IC, vDSP_Length N); \
  /** C[n] = a + n (b - a) / (N - 1). */ \
  void vDSP_vgen##D(const T *A, const T *B, T *C, vDSP_Stride IC, vDSP_Length N); \
  /** O[n] = (Start + n Step) I[n]. Then Start is the value for the next element. */ \
  void vDSP_vrampmul##D( \
      const T *I, vDSP_Stride IS, T *Start, const T *Step, T *O, vDSP_Stride OS, vDSP_Length N); \
  /** O[n] += (Start + n Step) I[n]. Then Start is the value for the next element. */ \
  void vDSP_vrampmuladd##D( \
      const T *I, vDSP_Stride IS, T *Start, const T *Step, T *O, vDSP_Stride OS, vDSP_Length N); \
  /** Exchanges A and B. */ \
  void vDSP_vswap##D(T *A, vDSP_Stride IA, T *B, vDSP_Stride IB, vDSP_Length N); \
  /** Reverses the order of C. */ \
  void vDSP_vrvrs##D(T *C, vDSP_Stride IC, vDSP_Length N); \
  /** Sorts C: in ascending order if Order is 1, in descending order if Order is -1. */ \
  void vDSP_vsort##D(T *C, vDSP_Length N, int Order); \
  /** Sorts the indices I by the elements of C at these indices (see vDSP_vsort). Equal elements keep their order. \
      Temporary is not used. */ \
  void vDSP_vsorti##D( \
      const T *C, vDSP_Length *I, vDSP_Length *_Nullable Temporary, vDSP_Length N, int Order); \
  /** Copies the elements of A for which B is not 0 to the beginning of C. */ \
  void vDSP_vcmprs##D( \
      const T *A, vDSP_Stride IA, const T *B, vDSP_Stride IB, T *C, vDSP_Stride IC, vDSP_Length N); \
  /** C[n] = A[B[n] - 1]: the indices start at 1. */ \
  void vDSP_vgathr##D( \
      const T *A, const vDSP_Length *B, vDSP_Stride IB, T *C, vDSP_Stride IC, vDSP_Length N); \
  /** C[n] = A[B[n]], with B rounded towards 0. The indices start at 0. */ \
  void vDSP_vindex##D( \
      const T *A, const T *B, vDSP_Stride IB, T *C, vDSP_Stride IC, vDSP_Length N); \
  /** Linear interpolation: C[n] = A[i] + f (A[i + 1] - A[i]), where B[n] = i + f. A has M elements. An index at or \
      beyond the last element gives the last element. */ \
  void vDSP_vlint##D( \
      const T *A, const T *B, vDSP_Stride IB, T *C, vDSP_Stride IC, vDSP_Length N, vDSP_Length M); \
  /** Polynomials: C[n] = the sum of A[P - p] B[n]^p for p from 0 to P. */ \
  void vDSP_vpoly##D( \
      const T *A, vDSP_Stride IA, const T *B, vDSP_Stride IB, T *C, vDSP_Stride IC, vDSP_Length N, \
      vDSP_Length P); \
  /** Decibels: C = F log10(A / b), with the factor 10 if F is 0 (power), and 20 if F is 1 (amplitude). */ \
  void vDSP_vdbcon##D( \
      const T *A, vDSP_Stride IA, const T *B, T *C, vDSP_Stride IC, vDSP_Length N, unsigned int F); \
  /** Running sums: C[n] = s times the sum of A[1] ... A[n], and C[0] = 0. */ \
  void vDSP_vrsum##D( \
      const T *A, vDSP_Stride IA, const T *S, T *C, vDSP_Stride IC, vDSP_Length N); \
  /** The trapezoidal rule: C[n] = C[n - 1] + s (A[n - 1] + A[n]) / 2, and C[0] = 0. */ \
  void vDSP_vtrapz##D( \
      const T *A, vDSP_Stride IA, const T *B, T *C, vDSP_Stride IC, vDSP_Length N); \
  /** Sums of P successive elements: C[n] = A[n] + ... + A[n + P - 1]. A has N + P - 1 elements. */ \
  void vDSP_vswsum##D( \
      const T *A, vDSP_Stride IA, T *C, vDSP_Stride IC, vDSP_Length N, vDSP_Length P); \
  /** Maxima of P successive elements. A has N + P - 1 elements. */ \
  void vDSP_vswmax##D( \
      const T *A, vDSP_Stride IA, T *C, vDSP_Stride IC, vDSP_Length N, vDSP_Length P); \
  /** Correlation: C[n] = the sum of A[n + p] F[p] for p < P. With a negative IF, and F at the filter's last element, \
      convolution. A has N + P - 1 elements. */ \
  void vDSP_conv##D( \
      const T *A, vDSP_Stride IA, const T *F, vDSP_Stride IF, T *C, vDSP_Stride IC, vDSP_Length N, \
      vDSP_Length P); \
  /** Filters and downsamples: C[n] = the sum of A[n DF + p] F[p] for p < P. */ \
  void vDSP_desamp##D( \
      const T *A, vDSP_Stride DF, const T *F, T *C, vDSP_Length N, vDSP_Length P); \
  /** A recursive filter: C[n] = A[n] B[0] + A[n-1] B[1] + A[n-2] B[2] - C[n-1] B[3] - C[n-2] B[4] for n from 2 to \
      N + 1. */ \
  void vDSP_deq22##D( \
      const T *A, vDSP_Stride IA, const T *B, T *C, vDSP_Stride IC, vDSP_Length N); \
  /** Hann's window: w (1 - cos 2πn/N) with w = 0.5, or √(2/3) with vDSP_HANN_NORM. */ \
  void vDSP_hann_window##D(T *C, vDSP_Length N, int Flag); \
  /** Hamming's window: 0.54 - 0.46 cos 2πn/N. */ \
  void vDSP_hamm_window##D(T *C, vDSP_Length N, int Flag); \
  /** Blackman's window: 0.42 - 0.5 cos 2πn/N + 0.08 cos 4πn/N. */ \
  void vDSP_blkman_window##D(T *C, vDSP_Length N, int Flag);

VDSP_DECLARE_SERIES(float, )
VDSP_DECLARE_SERIES(double, D)
#undef VDSP_DECLARE_SERIES

ACCELERATE_END
#pragma clang assume_nonnull end

#endif
