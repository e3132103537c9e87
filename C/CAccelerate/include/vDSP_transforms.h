// vDSP's Fourier and cosine transforms. FFTW computes the transforms; the first setup opens this library. Functions
// whose name ends in D take double precision.
//
// A forward transform is X[k] = the sum of x[n] exp(-2πi kn/N), and an inverse transform uses exp(+2πi kn/N). Neither
// divides by N. Forward transforms of real vectors give twice this sum. The spectrum of a real vector of N numbers is
// packed into N / 2 complex numbers: X[N/2], which is real, is stored as the imaginary part of X[0].

#ifndef ATELIER_VDSP_TRANSFORMS_H
#define ATELIER_VDSP_TRANSFORMS_H

#include "vDSP_types.h"

/// A binary logarithm, a direction and a radix are integers.
typedef int FFTDirection;
typedef int FFTRadix;
enum { kFFTDirection_Forward = 1, kFFTDirection_Inverse = -1 };
enum { kFFTRadix2 = 0, kFFTRadix3 = 1, kFFTRadix5 = 2 };
enum { FFT_FORWARD = kFFTDirection_Forward, FFT_INVERSE = kFFTDirection_Inverse };
enum { FFT_RADIX2 = kFFTRadix2, FFT_RADIX3 = kFFTRadix3, FFT_RADIX5 = kFFTRadix5 };

// Swift imports these as enumerations: vDSP_DFT_Direction.FORWARD, vDSP_DCT_Type.II.
typedef enum __attribute__((enum_extensibility(open))) vDSP_DFT_Direction {
  vDSP_DFT_FORWARD = 1,
  vDSP_DFT_INVERSE = -1
} vDSP_DFT_Direction;
typedef enum __attribute__((enum_extensibility(open))) vDSP_DCT_Type {
  vDSP_DCT_II = 2,
  vDSP_DCT_III = 3,
  vDSP_DCT_IV = 4
} vDSP_DCT_Type;

/// The data that transforms need. Several threads may use a setup at once.
typedef struct OpaqueFFTSetup *FFTSetup;
typedef struct OpaqueFFTSetupD *FFTSetupD;
typedef struct vDSP_DFT_SetupStruct *vDSP_DFT_Setup;
typedef struct vDSP_DFT_SetupStructD *vDSP_DFT_SetupD;

#pragma clang assume_nonnull begin
ACCELERATE_BEGIN

#define VDSP_DECLARE_TRANSFORMS(T, Split, D) \
  /** Makes a setup for lengths up to 2^Log2n. Returns NULL if the radix is not 2, Log2n is above 30, or FFTW cannot be \
      opened. */ \
  FFTSetup##D _Nullable vDSP_create_fftsetup##D(vDSP_Length Log2n, FFTRadix Radix); \
  /** Frees a setup. */ \
  void vDSP_destroy_fftsetup##D(FFTSetup##D _Nullable Setup); \
  /** A complex transform of 2^Log2N numbers in place. */ \
  void vDSP_fft_zip##D( \
      FFTSetup##D Setup, const Split *C, vDSP_Stride IC, vDSP_Length Log2N, FFTDirection Direction); \
  /** A complex transform of 2^Log2N numbers. */ \
  void vDSP_fft_zop##D( \
      FFTSetup##D Setup, const Split *A, vDSP_Stride IA, const Split *C, vDSP_Stride IC, \
      vDSP_Length Log2N, FFTDirection Direction); \
  /** A transform of 2^Log2N real numbers in place. The numbers with even indices are the real parts. */ \
  void vDSP_fft_zrip##D( \
      FFTSetup##D Setup, const Split *C, vDSP_Stride IC, vDSP_Length Log2N, FFTDirection Direction); \
  /** A transform of 2^Log2N real numbers. The numbers with even indices are the real parts. */ \
  void vDSP_fft_zrop##D( \
      FFTSetup##D Setup, const Split *A, vDSP_Stride IA, const Split *C, vDSP_Stride IC, \
      vDSP_Length Log2N, FFTDirection Direction); \
  /** As vDSP_fft_zip. Buffer is not used. */ \
  void vDSP_fft_zipt##D( \
      FFTSetup##D Setup, const Split *C, vDSP_Stride IC, const Split *Buffer, vDSP_Length Log2N, \
      FFTDirection Direction); \
  /** As vDSP_fft_zrip. Buffer is not used. */ \
  void vDSP_fft_zript##D( \
      FFTSetup##D Setup, const Split *C, vDSP_Stride IC, const Split *Buffer, vDSP_Length Log2N, \
      FFTDirection Direction); \
  /** Makes a setup for complex transforms of Length numbers. Length must be f 2^n with f = 1, 3, 5 or 15, and \
      n at least 3. Returns NULL for other lengths. */ \
  vDSP_DFT_Setup##D _Nullable vDSP_DFT_zop_CreateSetup##D( \
      vDSP_DFT_Setup##D _Nullable Previous, vDSP_Length Length, vDSP_DFT_Direction Direction); \
  /** Makes a setup for transforms of Length real numbers. Length must be f 2^n with f = 1, 3, 5 or 15, and n \
      at least 4. Returns NULL for other lengths. */ \
  vDSP_DFT_Setup##D _Nullable vDSP_DFT_zrop_CreateSetup##D( \
      vDSP_DFT_Setup##D _Nullable Previous, vDSP_Length Length, vDSP_DFT_Direction Direction); \
  /** Computes the transform of a setup. Inputs and outputs may be the same vectors. Real transforms have Length / 2 \
      numbers in each: an input's even and odd elements, or the parts of a packed spectrum. */ \
  void vDSP_DFT_Execute##D( \
      const struct vDSP_DFT_SetupStruct##D *Setup, const T *Ir, const T *Ii, T *Or, T *Oi); \
  /** Frees a setup. */ \
  void vDSP_DFT_DestroySetup##D(vDSP_DFT_Setup##D _Nullable Setup);

VDSP_DECLARE_TRANSFORMS(float, DSPSplitComplex, )
VDSP_DECLARE_TRANSFORMS(double, DSPDoubleSplitComplex, D)
#undef VDSP_DECLARE_TRANSFORMS

/// Makes a setup for cosine transforms of Length numbers. Length must be f 2^n with f = 1, 3, 5 or 15, and n at least
/// 4. Returns NULL for other lengths. With c(x) = cos πx/N, type II is Y[k] = the sum of x[j] c(k (j + ½)); type III is
/// x[0] / 2 + the sum from j = 1 of x[j] c((k + ½) j); type IV is the sum of x[j] c((k + ½) (j + ½)).
vDSP_DFT_Setup _Nullable vDSP_DCT_CreateSetup(
    vDSP_DFT_Setup _Nullable Previous, vDSP_Length Length, vDSP_DCT_Type Type);
/// Computes the cosine transform of a setup.
void vDSP_DCT_Execute(const struct vDSP_DFT_SetupStruct *Setup, const float *Input, float *Output);

ACCELERATE_END
#pragma clang assume_nonnull end

#endif
