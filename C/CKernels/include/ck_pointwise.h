#ifndef ATELIER_CK_POINTWISE_H
#define ATELIER_CK_POINTWISE_H

/// Programs for layers that touch each element alone.
///
/// A pointwise program is a short list of operations over a few input tensors that are broadcast
/// against each other. It runs tile by tile: a tile of every input is brought to float32 in the
/// first-level cache, all operations run on it, and the result is stored once, so that a chain such
/// as scale, shift and ReLU costs one pass over memory.
///
/// Programs are immutable after creation and may run on many threads at once. The same input gives
/// the same bits for every number of threads. Nothing is allocated by a run.

#include "ck_functions.h"
#include "ck_types.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  /// The largest number of dimensions, inputs and operations of a program.
  CK_MAX_RANK = 8,
  CK_MAX_INPUTS = 8,
  CK_MAX_OPERATIONS = 16,
};

/// One operation. Registers are numbered: the inputs first, then the results of the operations in
/// their order; an operation may read any register before its own. The last one is the output.
typedef struct ck_operation {
  ck_function kind;
  int32_t a, b;
  float alpha, beta;
} ck_operation;

/// An input: strides in elements over the program's dimensions, 0 where it is broadcast. float32,
/// bfloat16, float16, or whole numbers of 0 to 255 (`CK_U8`).
typedef struct ck_input {
  ck_type type;
  int64_t strides[CK_MAX_RANK];
} ck_input;

/// A program. Dimensions stand in the order of the output's memory, which is contiguous: the last
/// one runs fastest. Arithmetic is float32; the output is stored as float32, bfloat16 or float16, or, kept to
/// the range and cut off, as whole numbers of 0 to 255.
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

/// Returns null where the description is out of the limits above or memory is short.
ck_program *ck_program_create(const ck_program_description *description);
void ck_program_destroy(ck_program *program);

/// Runs on the calling thread's OpenMP team. The output may be the memory of inputs that have its
/// type and strides. 0 on success.
///
/// tanh, exp, sigmoid and log are within 1e-6 (relative) of the exact value; powers but squares and
/// cubes, trigonometric and hyperbolic functions and erf are the C library's.
int32_t ck_program_run(const ck_program *program, const void *const *inputs, void *output);

#ifdef __cplusplus
}
#endif
#endif
