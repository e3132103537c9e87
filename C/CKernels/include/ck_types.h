#ifndef ATELIER_CK_TYPES_H
#define ATELIER_CK_TYPES_H

#include <stddef.h>
#include <stdint.h>

/// Types of elements.
typedef enum ck_type {
  CK_F32 = 1,
  CK_BF16 = 2,
  CK_F16 = 3,
  CK_S32 = 4,
  CK_S8 = 5,
  CK_U8 = 6,
  CK_F64 = 7,
  CK_S64 = 8,
} ck_type;

#endif
