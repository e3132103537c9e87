#ifndef ATELIER_CPOINTWISE_H
#define ATELIER_CPOINTWISE_H

/// Vectorised loops for layers that touch each element alone, and for reductions.
///
/// A pointwise program is a short list of operations over a few input tensors that are broadcast
/// against each other. It runs tile by tile: a tile of every input is brought to float32 in the
/// first-level cache, all operations run on it, and the result is stored once, so that a chain such
/// as scale, shift and ReLU costs one pass over memory.
///
/// Programs and reductions are immutable after creation and may run on many threads at once. The
/// same input gives the same bits for every number of threads. Nothing is allocated by a run.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Storage of elements. Arithmetic is always float32.
typedef enum cpw_type {
  CPW_F32 = 1,
  CPW_BF16 = 2,
} cpw_type;

enum {
  /// The largest number of dimensions, inputs and operations of a program.
  CPW_MAX_RANK = 8,
  CPW_MAX_INPUTS = 8,
  CPW_MAX_OPERATIONS = 16,
};

/// What one operation computes from registers a (and b), and the numbers alpha and beta.
typedef enum cpw_operation_kind {
  /// alpha · a + beta
  CPW_AFFINE = 1,
  /// a where a ≥ 0, alpha · a elsewhere
  CPW_LEAKY_RELU = 2,
  /// min(max(a, alpha), beta)
  CPW_CLIP = 3,
  CPW_TANH = 4,
  CPW_SIGMOID = 5,
  CPW_EXP = 6,
  CPW_LOG = 7,
  CPW_SQRT = 8,
  /// 1 / √a
  CPW_RSQRT = 9,
  /// 1 / a
  CPW_INVERSE = 10,
  /// a^alpha
  CPW_POWER = 11,
  CPW_ABS = 12,
  /// a where a ≥ alpha, 0 elsewhere
  CPW_THRESHOLDED_RELU = 13,
  /// a where a ≥ 0, alpha · (e^a − 1) elsewhere
  CPW_ELU = 14,
  /// log(1 + e^a)
  CPW_SOFTPLUS = 15,
  /// a / (1 + |a|)
  CPW_SOFTSIGN = 16,
  CPW_FLOOR = 17,
  CPW_CEIL = 18,
  /// To the nearest whole number, halves to the even one.
  CPW_ROUND = 19,
  /// −1, 0 or 1
  CPW_SIGN = 20,
  /// 2^a
  CPW_EXP2 = 21,
  CPW_SIN = 22,
  CPW_COS = 23,
  CPW_TAN = 24,
  CPW_ASIN = 25,
  CPW_ACOS = 26,
  CPW_ATAN = 27,
  CPW_SINH = 28,
  CPW_COSH = 29,
  CPW_ASINH = 30,
  CPW_ACOSH = 31,
  CPW_ATANH = 32,
  CPW_ERF = 33,
  /// 1 where a is 0, 0 elsewhere
  CPW_NOT = 34,
  /// alpha everywhere; a is ignored
  CPW_CONSTANT = 35,

  CPW_ADD = 64,
  CPW_SUBTRACT = 65,
  CPW_MULTIPLY = 66,
  CPW_DIVIDE = 67,
  CPW_MAXIMUM = 68,
  CPW_MINIMUM = 69,
  /// a where a ≥ 0, a · b elsewhere
  CPW_PRELU = 70,
  /// a^b
  CPW_POW = 71,
  /// a − floor(a / b) · b: the sign of b
  CPW_MODULO = 72,
  /// floor(a / b)
  CPW_FLOOR_DIVIDE = 73,
  CPW_EQUAL = 74,
  CPW_NOT_EQUAL = 75,
  CPW_LESS = 76,
  CPW_LESS_EQUAL = 77,
  CPW_GREATER = 78,
  CPW_GREATER_EQUAL = 79,
  /// Of truth values: anything but 0 is true.
  CPW_AND = 80,
  CPW_OR = 81,
  CPW_XOR = 82,
  /// a where b > 0, 0 elsewhere
  CPW_GATE = 83,
  /// a where b is not 0, all bits 0 elsewhere
  CPW_KEEP = 84,
  /// a where b is 0, all bits 0 elsewhere
  CPW_DROP = 85,
  /// The bits of a or of b: joins what the two before keep and drop.
  CPW_UNITE = 86,
} cpw_operation_kind;

/// One operation. Registers are numbered: the inputs first, then the results of the operations in
/// their order; an operation may read any register before its own. The last one is the output.
typedef struct cpw_operation {
  cpw_operation_kind kind;
  int32_t a, b;
  float alpha, beta;
} cpw_operation;

/// An input: strides in elements over the program's dimensions, 0 where it is broadcast.
typedef struct cpw_input {
  cpw_type type;
  int64_t strides[CPW_MAX_RANK];
} cpw_input;

/// A program. Dimensions stand in the order of the output's memory, which is contiguous: the last
/// one runs fastest.
typedef struct cpw_program_description {
  int32_t rank;
  int64_t dimensions[CPW_MAX_RANK];
  int32_t input_count;
  cpw_input inputs[CPW_MAX_INPUTS];
  cpw_type output_type;
  int32_t operation_count;
  cpw_operation operations[CPW_MAX_OPERATIONS];
} cpw_program_description;

typedef struct cpw_program cpw_program;

/// Returns null where the description is out of the limits above or memory is short.
cpw_program *cpw_program_create(const cpw_program_description *description);
void cpw_program_destroy(cpw_program *program);

/// Runs on the calling thread's OpenMP team. The output may be the memory of inputs that have its
/// type and strides. 0 on success.
int32_t cpw_program_run(const cpw_program *program, const void *const *inputs, void *output);

/// How an axis is folded into one value.
typedef enum cpw_reduction_kind {
  CPW_REDUCE_SUM = 0,
  CPW_REDUCE_MEAN = 1,
  CPW_REDUCE_PRODUCT = 2,
  /// Σ log(x + epsilon)
  CPW_REDUCE_SUM_OF_LOGS = 3,
  CPW_REDUCE_SUM_OF_SQUARES = 4,
  /// Σ |x|
  CPW_REDUCE_L1 = 5,
  /// √Σ x²
  CPW_REDUCE_L2 = 6,
  CPW_REDUCE_MAXIMUM = 7,
  CPW_REDUCE_MINIMUM = 8,
  /// The index of the first largest, or smallest, value.
  CPW_REDUCE_ARGMAX = 9,
  CPW_REDUCE_ARGMIN = 10,
  /// log Σ x
  CPW_REDUCE_LOG_OF_SUM = 11,
  /// log Σ e^x, computed without overflow
  CPW_REDUCE_LOG_OF_SUM_OF_EXPONENTIALS = 12,
} cpw_reduction_kind;

/// A reduction of the middle of [outer, axis, inner]; the result is float32 [outer, inner].
typedef struct cpw_reduction {
  cpw_reduction_kind kind;
  int64_t outer, axis, inner;
  float epsilon;
  cpw_type type;
} cpw_reduction;

/// Bytes of temporary memory that a run needs.
size_t cpw_reduction_scratch_bytes(const cpw_reduction *reduction);

/// Runs. Sums are made in chunks of fixed size, added up in double in their order. 0 on
/// success.
int32_t cpw_reduction_run(
    const cpw_reduction *reduction, const void *source, float *destination, void *scratch);

#ifdef __cplusplus
}
#endif
#endif
