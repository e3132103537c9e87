#ifndef ATELIER_CK_ELEMENTWISE_H
#define ATELIER_CK_ELEMENTWISE_H

/// Kernels that compute every element of the result independently: functions, copies, conversions, random numbers.

#include <stdbool.h>

#include "ck_functions.h"
#include "ck_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// MARK: Pointwise programs
//
// A pointwise program is a short list of operations over a few input tensors that are broadcast against each other. It
// runs tile by tile. For each tile, it converts the elements of every input to float32 in the first-level cache, runs
// all operations on them, and stores the result once. A chain such as scale, shift and ReLU therefore costs one pass
// over memory.
//
// Programs are immutable after creation and may run on many threads at once. The same input gives the same
// bits for every number of threads. A run allocates nothing.

enum {
  /// The maximum numbers of dimensions, inputs and operations of a program.
  CK_MAX_RANK = 8,
  CK_MAX_INPUTS = 8,
  CK_MAX_OPERATIONS = 16,
};

/// One operation. Registers are numbered: the inputs first, then the results of the operations in order. An operation
/// may read any register with a lower number than the register of its result. The last operation's result is the
/// output.
typedef struct ck_operation {
  ck_function kind;
  int32_t a, b;
  float alpha, beta;
} ck_operation;

/// An input. The elements are float32, bfloat16, float16, or integers of 0 to 255 (`CK_U8`). The strides count
/// elements, one stride for each dimension of the program. A stride of 0 broadcasts the input.
typedef struct ck_input {
  ck_type type;
  int64_t strides[CK_MAX_RANK];
} ck_input;

/// A program. The output's memory is contiguous. Dimensions are in the order of this memory, so the last dimension
/// varies fastest. Arithmetic is float32. The output is stored as float32, bfloat16 or float16, or clamped and
/// truncated to integers of 0 to 255.
typedef struct ck_program_description {
  int32_t rank;
  int64_t dimensions[CK_MAX_RANK];
  int32_t input_count;
  ck_input inputs[CK_MAX_INPUTS];
  ck_type output_type;
  int32_t operation_count;
  ck_operation operations[CK_MAX_OPERATIONS];
} ck_program_description;

typedef struct ck_program ck_program;

/// Returns null if the description exceeds the limits above or memory is short.
ck_program *ck_program_create(const ck_program_description *description);
void ck_program_destroy(ck_program *program);

/// Runs a program on the calling thread's OpenMP team. The output may be the memory of an input that has the type and
/// the strides of the output. Returns 0 on success.
///
/// tanh, exp, sigmoid and log are within 1e-6 (relative) of the exact value. Powers other than squares and
/// cubes, trigonometric and hyperbolic functions and erf are those of the C library.
int32_t ck_program_run(const ck_program *program, const void *const *inputs, void *output);

// MARK: Copies and conversions

/// Copies a strided array of rank ≤ 8 into another, converting between element types.
///
/// The strides can permute, slice, crop, concatenate and repeat axes. Elements of equal types are copied bit by bit.
/// Conversion of floats to integers rounds to nearest, ties to even, and clamps. Source and destination must not
/// overlap.
int32_t ck_copy(
    int32_t rank, const int64_t *shape, const void *source, ck_type source_type,
    const int64_t *source_strides, void *destination, ck_type destination_type,
    const int64_t *destination_strides);

/// Truncates each value towards zero and clamps it to the range of int32; not-a-number becomes 0. May run in
/// place.
void ck_float_to_int32(int64_t count, const float *source, int32_t *destination);

/// Converts each integer to the nearest float32, ties to even. May run in place.
void ck_int32_to_float(int64_t count, const int32_t *source, float *destination);

/// Returns true if a value is negative. For types other than float32 and int32, returns true and does not read the
/// values.
bool ck_has_negative(ck_type type, int64_t count, const void *values);

// MARK: Integers and selection

/// Functions of two int32. Sums, differences, products and powers wrap around. Functions named SATURATED give the
/// nearest end of the range of int32 instead. Comparisons and logic give 1 or 0. In logic, any number except 0 is true.
typedef enum ck_integer_function {
  CK_INTEGER_ADD = 0,
  CK_INTEGER_SUBTRACT = 1,
  CK_INTEGER_MULTIPLY = 2,
  /// The quotient rounded down; 0 if the divisor is 0.
  CK_INTEGER_FLOOR_DIVIDE = 3,
  /// The remainder of `CK_INTEGER_FLOOR_DIVIDE`; the first operand if the divisor is 0.
  CK_INTEGER_MODULO = 4,
  CK_INTEGER_MAXIMUM = 5,
  CK_INTEGER_MINIMUM = 6,
  CK_INTEGER_EQUAL = 7,
  CK_INTEGER_NOT_EQUAL = 8,
  CK_INTEGER_LESS = 9,
  CK_INTEGER_LESS_EQUAL = 10,
  CK_INTEGER_GREATER = 11,
  CK_INTEGER_GREATER_EQUAL = 12,
  CK_INTEGER_AND = 13,
  CK_INTEGER_OR = 14,
  CK_INTEGER_XOR = 15,
  /// The first operand if the second is above 0, else 0.
  CK_INTEGER_GATE = 16,
  /// The quotient truncated towards zero; 0 if the divisor is 0.
  CK_INTEGER_DIVIDE = 17,
  /// The first operand to the power of the second. A negative exponent gives 1 / xⁿ truncated towards zero, and 0 for x
  /// = 0.
  CK_INTEGER_POWER = 18,
  CK_INTEGER_SATURATED_ADD = 19,
  CK_INTEGER_SATURATED_SUBTRACT = 20,
  CK_INTEGER_SATURATED_MULTIPLY = 21,
  CK_INTEGER_SATURATED_FLOOR_DIVIDE = 22,
  CK_INTEGER_SATURATED_DIVIDE = 23,
  CK_INTEGER_SATURATED_POWER = 24,
} ck_integer_function;

/// A tensor that is read with one stride, in elements, for each axis of the result. A stride of 0 repeats the values.
typedef struct ck_strided {
  const void *values;
  const int64_t *strides;
} ck_strided;

/// `destination = first (function) second`. The destination is dense, of rank ≤ 8. The destination may be the memory of
/// an operand if that operand is dense, too. Returns 0, or -1 for an unknown function or a higher rank.
int32_t ck_integer_binary(
    ck_integer_function function, int32_t rank, const int64_t *shape, ck_strided first,
    ck_strided second, int32_t *destination);

/// `destination = condition ≠ 0 ? first : second`. The results are copied bit by bit, so `first` and `second` may have
/// any type of four bytes. The condition is float32 or int32. The destination is dense, of rank ≤ 8. The destination
/// may be the memory of an operand if that operand is dense, too. Returns 0, or -1 for another type of the condition or
/// a higher rank.
int32_t ck_select(
    ck_type condition_type, int32_t rank, const int64_t *shape, ck_strided condition,
    ck_strided first, ck_strided second, void *destination);

// MARK: Random numbers

typedef enum ck_distribution {
  /// `first` is the mean and `second` the standard deviation.
  CK_NORMAL = 0,
  /// Numbers from `first`, included, to `second`, excluded.
  CK_UNIFORM = 1,
  /// 1 with the probability `first`, else 0.
  CK_BERNOULLI = 2,
} ck_distribution;

/// Writes `count` random numbers that depend only on the seed and on their indices. Uniform and Bernoulli number i
/// comes from number i of SplitMix64, and has 24 random bits. Normal numbers come in blocks of 32 by the Box-Muller
/// transform, from 32 numbers of SplitMix64. The upper 32 bits of the first 16 numbers give 16 radii, and the last 16
/// numbers give 16 angles. The first 16 results of the block use the cosines of the angles, the last 16 results the
/// sines.
int32_t ck_random(
    ck_distribution distribution, float first, float second, uint64_t seed, int64_t count,
    float *destination);

#ifdef __cplusplus
}
#endif

#endif
