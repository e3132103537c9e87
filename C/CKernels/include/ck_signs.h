#ifndef ATELIER_CK_SIGNS_H
#define ATELIER_CK_SIGNS_H

#include <stdbool.h>

#include "ck_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Whether one of the numbers is negative; true for types other than float32 and int32, which it does not
/// look at.
bool ck_has_negative(ck_type type, int64_t count, const void *values);

#ifdef __cplusplus
}
#endif

#endif
