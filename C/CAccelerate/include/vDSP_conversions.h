// vDSP's conversions between numbers.

#ifndef ATELIER_VDSP_CONVERSIONS_H
#define ATELIER_VDSP_CONVERSIONS_H

#include "vDSP_types.h"

// The suffix of the names, and the integer type.
#define VDSP_INTEGER_TYPES(F) \
  F(8, char) \
  F(16, short) \
  F(32, int) \
  F(u8, unsigned char) \
  F(u16, unsigned short) \
  F(u32, unsigned int)

#pragma clang assume_nonnull begin
ACCELERATE_BEGIN

// vfix… rounds towards 0, vfixr… to the nearest integer (halves to even), vflt… converts an integer. Numbers outside of
// the integer's range become its smallest or greatest value, and NaN becomes 0, as on Apple's processors.
#define VDSP_DECLARE(suffix, Integer) \
  void vDSP_vfix##suffix(const float *A, vDSP_Stride IA, Integer *C, vDSP_Stride IC, vDSP_Length N); \
  void vDSP_vfix##suffix##D(const double *A, vDSP_Stride IA, Integer *C, vDSP_Stride IC, vDSP_Length N); \
  void vDSP_vfixr##suffix(const float *A, vDSP_Stride IA, Integer *C, vDSP_Stride IC, vDSP_Length N); \
  void vDSP_vfixr##suffix##D(const double *A, vDSP_Stride IA, Integer *C, vDSP_Stride IC, vDSP_Length N); \
  void vDSP_vflt##suffix(const Integer *A, vDSP_Stride IA, float *C, vDSP_Stride IC, vDSP_Length N); \
  void vDSP_vflt##suffix##D(const Integer *A, vDSP_Stride IA, double *C, vDSP_Stride IC, vDSP_Length N);
VDSP_INTEGER_TYPES(VDSP_DECLARE)
#undef VDSP_DECLARE

/// Converts double to single precision.
void vDSP_vdpsp(const double *A, vDSP_Stride IA, float *C, vDSP_Stride IC, vDSP_Length N);
/// Converts single to double precision.
void vDSP_vspdp(const float *A, vDSP_Stride IA, double *C, vDSP_Stride IC, vDSP_Length N);

ACCELERATE_END
#pragma clang assume_nonnull end

#endif
