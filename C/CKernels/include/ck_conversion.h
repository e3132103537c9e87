#ifndef ATELIER_CK_CONVERSION_H
#define ATELIER_CK_CONVERSION_H

/// Kernels that change the type of values.
///
/// All may run in place.

#include "ck_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Each value as a whole number: cut off towards zero and kept to the range of int32; not-a-number is 0.
void ck_cut_off(int64_t count, const float *source, int32_t *destination);

/// Each whole number as the nearest float32, ties to even.
void ck_widen(int64_t count, const int32_t *source, float *destination);

#ifdef __cplusplus
}
#endif
#endif
