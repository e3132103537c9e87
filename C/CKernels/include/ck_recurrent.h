#ifndef ATELIER_CK_RECURRENT_H
#define ATELIER_CK_RECURRENT_H

/// Recurrent layers: simple, GRU and LSTM.

#include "ck_functions.h"
#include "ck_types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ck_cell { CK_CELL_SIMPLE = 0, CK_CELL_GRU = 1, CK_CELL_LSTM = 2 } ck_cell;

/// A function with its parameters: affine, sigmoid, tanh, ReLU, scaled tanh or hard sigmoid.
typedef struct ck_gate_function {
  ck_function function;
  float alpha, beta;
} ck_gate_function;

/// A recurrent layer. The caller computes the products of inputs and weights beforehand. Gates are in the order update,
/// reset, output for a GRU, and input, forget, block, output for an LSTM.
typedef struct ck_recurrence {
  ck_cell cell;
  int64_t steps, batch;
  /// Units: the number of outputs per step and batch entry.
  int64_t size;
  /// The packed weights that `ck_recurrence_pack` wrote, 64-byte aligned.
  const float *weights;
  /// For an LSTM: the peephole weights [3, size] of the input, forget and output gate, or null. For a GRU with
  /// `resets_recursion`: the bias [size] that is added to the recurrent product before the reset gate multiplies it, or
  /// null.
  const float *peepholes;
  /// The activations. A simple layer has one. A GRU has one for the update and reset gates, then one for the output
  /// gate. An LSTM has one for the gates, then one for the block input, then one for the cell before the output gate.
  ck_gate_function functions[3];
  /// For an LSTM, 1: the forget gate is one minus the input gate.
  int32_t couples_gates;
  /// For an LSTM: cells are clamped to ± this value.
  float cell_bound;
  /// The sum before each activation is clamped to ± this value.
  float sum_bound;
  /// For a GRU, 1: the reset gate multiplies the recurrent product; 0: the reset gate multiplies the previous output
  /// before that product.
  int32_t resets_recursion;
  /// 1: reads the sequence from its end.
  int32_t reverses;
  /// 1: the run writes the outputs of all steps; 0: only those of the last computed step.
  int32_t returns_sequence;
  /// For a reversed sequence, 1: outputs are in the order of their inputs; 0: in the order in which they are
  /// computed.
  int32_t outputs_by_time;
  /// The distance from the output of one batch entry to that of the next, in floats; at least `size`.
  int64_t output_stride;
} ck_recurrence;

typedef struct ck_recurrence_run_memory {
  /// [steps, batch, gates, size]: the products of inputs and weights, with the biases added.
  const float *projected;
  /// [batch, size]; null means zeros.
  const float *first_output, *first_cell;
  /// [steps or 1, batch, output_stride].
  float *outputs;
  /// [batch, size]; null if the caller does not need them.
  float *last_output, *last_cell;
  /// `ck_recurrence_scratch` bytes, 64-byte aligned.
  float *scratch;
} ck_recurrence_run_memory;

/// Returns the number of packed recurrent weights.
int64_t ck_recurrence_weights(ck_cell cell, int64_t size);
/// Packs one matrix [size, size] for each gate. A matrix multiplies a vector x by `y[i] = Σ matrix[i][k] · x[k]`.
void ck_recurrence_pack(
    ck_cell cell, int64_t size, const float *const *recursions, float *packed);
int64_t ck_recurrence_scratch(int64_t batch, int64_t size);
/// Computes all steps of the sequence. Returns 0, or -1 for invalid sizes.
int32_t ck_recurrence_run(
    const ck_recurrence *layer, const ck_recurrence_run_memory *memory);

#ifdef __cplusplus
}
#endif

#endif
