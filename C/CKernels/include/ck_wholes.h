#ifndef ATELIER_CK_WHOLES_H
#define ATELIER_CK_WHOLES_H

/// Arithmetic on whole numbers, and choices between tensors, element by element with any broadcasting.

#include "ck_orders.h"
#include "ck_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Functions of two int32. Sums, differences, products and powers wrap around; those named SATURATED give the nearest
/// end of the range instead. Comparisons and logic give 1 or 0; anything but 0 is true.
typedef enum ck_whole_function {
  CK_WHOLE_ADD = 0,
  CK_WHOLE_SUBTRACT = 1,
  CK_WHOLE_MULTIPLY = 2,
  /// Rounded down; 0 where the divisor is 0.
  CK_WHOLE_FLOOR_DIVIDE = 3,
  /// What `CK_WHOLE_FLOOR_DIVIDE` leaves; the first operand where the divisor is 0.
  CK_WHOLE_MODULO = 4,
  CK_WHOLE_MAXIMUM = 5,
  CK_WHOLE_MINIMUM = 6,
  CK_WHOLE_EQUAL = 7,
  CK_WHOLE_NOT_EQUAL = 8,
  CK_WHOLE_LESS = 9,
  CK_WHOLE_AT_MOST = 10,
  CK_WHOLE_GREATER = 11,
  CK_WHOLE_AT_LEAST = 12,
  CK_WHOLE_AND = 13,
  CK_WHOLE_OR = 14,
  CK_WHOLE_XOR = 15,
  /// The first where the second is above 0, else 0.
  CK_WHOLE_GATE = 16,
  /// The fraction cut off; 0 where the divisor is 0.
  CK_WHOLE_DIVIDE = 17,
  /// The first to the power of the second. A negative exponent gives 1 / xⁿ with its fraction cut off, 0 of 0.
  CK_WHOLE_POWER = 18,
  CK_WHOLE_SATURATED_ADD = 19,
  CK_WHOLE_SATURATED_SUBTRACT = 20,
  CK_WHOLE_SATURATED_MULTIPLY = 21,
  CK_WHOLE_SATURATED_FLOOR_DIVIDE = 22,
  CK_WHOLE_SATURATED_DIVIDE = 23,
  CK_WHOLE_SATURATED_POWER = 24,
} ck_whole_function;

/// A tensor that is read with a stride for each axis of the result; 0 repeats.
typedef struct ck_strided {
  const void *values;
  const int64_t *strides;
} ck_strided;

/// `destination = first (function) second`. The destination is dense, of rank ≤ 8, and may be an operand that
/// is so too. Returns 0, or -1 for a rank or a function that it does not know.
int32_t ck_whole(
    ck_whole_function function, int32_t rank, const int64_t *shape, ck_strided first,
    ck_strided second, int32_t *destination);

/// `destination = condition ≠ 0 ? first : second`, bit by bit, for any type of four bytes. The condition is
/// float32 or int32. The destination is dense, of rank ≤ 8, and may be an operand that is so too. Returns 0, or
/// -1 for another type or rank.
int32_t ck_choose(
    ck_type condition_type, int32_t rank, const int64_t *shape, ck_strided condition,
    ck_strided first, ck_strided second, void *destination);

/// How integers along an axis become one. Sums and products wrap around; those named SATURATED give the nearest end of
/// the range instead.
typedef enum ck_whole_folding {
  CK_WHOLE_SUM = 0,
  CK_WHOLE_PRODUCT = 1,
  CK_WHOLE_SUM_OF_SQUARES = 2,
  /// The sum of magnitudes.
  CK_WHOLE_L1 = 3,
  CK_WHOLE_MOST = 4,
  CK_WHOLE_LEAST = 5,
  /// Where the first greatest stands; the result is int32 whatever the source is.
  CK_WHOLE_PLACE_OF_MOST = 6,
  CK_WHOLE_PLACE_OF_LEAST = 7,
  /// The mean of an exact sum, with its fraction cut off.
  CK_WHOLE_MEAN = 8,
  CK_WHOLE_SATURATED_SUM = 9,
  CK_WHOLE_SATURATED_PRODUCT = 10,
  CK_WHOLE_SATURATED_SUM_OF_SQUARES = 11,
  CK_WHOLE_SATURATED_L1 = 12,
} ck_whole_folding;

/// Folds each line into one number: `destination` is [outer, inner]. int32 or int64; at most 2³¹ - 1 numbers a
/// line, and at least one. Returns 0, or -1 for another type, folding or length.
int32_t ck_whole_fold(
    ck_whole_folding folding, ck_type type, const ck_lines *lines, const void *source,
    void *destination);

/// Running sums that wrap around, or where `saturates` are kept to the range; without its own element where
/// `exclusive`, from the end where `reverse`. int32 or int64; may run in place. Returns 0, or -1 for another type.
int32_t ck_whole_cumulative_sum(
    const ck_lines *lines, ck_type type, int32_t exclusive, int32_t reverse, int32_t saturates,
    const void *source, void *destination);

/// Matrix products of int32 or int64 that wrap around, or where `saturates` are kept to the range.
typedef struct ck_whole_product {
  ck_type type;
  int32_t saturates;
  int64_t batch, rows, inner, columns;
  /// From one left matrix to the next, from row to row, and along a row; 0 repeats.
  int64_t left_strides[3];
  /// From one right matrix to the next, from row to row, and along a row; 0 repeats.
  int64_t right_strides[3];
} ck_whole_product;

/// `destination[b, r, c] = Σ left[b, r, k] · right[b, k, c]`, dense. Returns 0, or -1 for another type.
int32_t ck_whole_product_run(
    const ck_whole_product *product, const void *left, const void *right, void *destination);

#ifdef __cplusplus
}
#endif
#endif
