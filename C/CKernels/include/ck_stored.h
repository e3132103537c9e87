#ifndef ATELIER_CK_STORED_H
#define ATELIER_CK_STORED_H

#include <stdint.h>

#include "ck_functions.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How a matrix keeps its numbers.
typedef enum ck_stored_kind {
  CK_STORED_FLOAT16 = 0,
  CK_STORED_BFLOAT16 = 1,
  /// Whole numbers of 8 or 4 bits, with a sign or without.
  CK_STORED_SIGNED = 2,
  CK_STORED_UNSIGNED = 3,
  /// Codes of 1, 2, 3, 4, 6 or 8 bits that a table gives numbers.
  CK_STORED_PALETTE = 4,
} ck_stored_kind;

/// A matrix [columns, inner] as a file keeps it: rows lie one after another without gaps, codes of less
/// than a byte from the lowest bit up. A row must fill whole bytes.
typedef struct ck_stored_matrix {
  ck_stored_kind kind;
  int32_t bits;
  int64_t columns, inner;
  const void *codes;
  /// Null, or one factor, and one shift where they are not null, for each block of `scale_columns` rows of the
  /// matrix and `scale_inner` elements of a row: number = code · scale + shift. `scale_inner` divides
  /// `inner`, and is a multiple of 16 unless it is all of it.
  const float *scale, *shift;
  int64_t scale_columns, scale_inner;
  /// For palettes: 2^bits numbers for each `table_columns` rows of the matrix.
  const float *table;
  int64_t table_columns;
  /// Rounds numbers to float16 before they are used, as a program writes them.
  int32_t rounds_to_float16;
} ck_stored_matrix;

/// Whether the product can be computed: kind, bits and blocks are as above.
int32_t ck_stored_is_valid(const ck_stored_matrix *matrix);

/// destination[row, column] = f(bias[column] + Σ source[row, i] · matrix[column, i]), in float32; the bias may be
/// null. Numbers are widened block by block while they are used. Returns 0, or -1 for a matrix that is not
/// valid.
int32_t ck_stored_product(
    const ck_stored_matrix *matrix, const float *source, int64_t rows, const float *bias,
    ck_function activation, float alpha, float beta, float *destination);

/// The numbers of some rows of the matrix, [count, inner].
int32_t ck_stored_rows(
    const ck_stored_matrix *matrix, int64_t first, int64_t count, float *destination);

#ifdef __cplusplus
}
#endif

#endif
