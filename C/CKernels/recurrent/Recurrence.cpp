#include <algorithm>

#include "common/Table.hpp"

using namespace ck;

namespace {

constexpr int kLanes = 16;

int gatesOf(ck_cell cell) {
  switch (cell) {
    case CK_CELL_SIMPLE: return 1;
    case CK_CELL_GRU: return 3;
    case CK_CELL_LSTM: return 4;
  }
  return 0;
}

/// Returns the number of units, rounded up to whole vectors.
int64_t strideOf(int64_t size) { return ceilDivide(size, kLanes) * kLanes; }

/// Calls `body(from, gates)` for each group of gates that are computed together: `gates` gates from gate `from` on.
template <typename Body>
void forGroups(ck_cell cell, Body body) {
  if (cell == CK_CELL_GRU) {
    body(0, 2);
    body(2, 1);
  } else {
    body(0, gatesOf(cell));
  }
}

}  // namespace

extern "C" int64_t ck_recurrence_weights(ck_cell cell, int64_t size) {
  return gatesOf(cell) * strideOf(size) * size;
}

extern "C" void ck_recurrence_pack(
    ck_cell cell, int64_t size, const float *const *recursions, float *packed) {
  const int64_t stride = strideOf(size);
  forGroups(cell, [&](int from, int gates) {
    float *group = packed + from * stride * size;
    for (int64_t block = 0; block < stride / kLanes; ++block)
      for (int64_t k = 0; k < size; ++k)
        for (int g = 0; g < gates; ++g)
          for (int lane = 0; lane < kLanes; ++lane) {
            const int64_t unit = block * kLanes + lane;
            *group++ = unit < size ? recursions[from + g][unit * size + k] : 0.0f;
          }
  });
}

extern "C" int64_t ck_recurrence_scratch(int64_t batch, int64_t size) {
  // The memory holds four arrays: the outputs of the previous step, the outputs of this step, the cells and the
  // updates.
  return 4 * batch * strideOf(size) * static_cast<int64_t>(sizeof(float));
}

extern "C" int32_t ck_recurrence_run(const ck_recurrence *layer, const ck_recurrence_run_memory *memory) {
  const int gates = gatesOf(layer->cell);
  if (gates == 0 || layer->steps < 1 || layer->size < 1) return -1;
  const int64_t size = layer->size, batch = layer->batch, stride = strideOf(size);
  const int64_t blocks = stride / kLanes, state = batch * stride;
  float *before = memory->scratch, *after = before + state;
  float *cells = after + state, *updates = cells + state;
  std::fill(before, before + 4 * state, 0.0f);
  for (int64_t entry = 0; entry < batch; ++entry) {
    if (memory->first_output)
      std::copy_n(memory->first_output + entry * size, size, before + entry * stride);
    if (memory->first_cell)
      std::copy_n(memory->first_cell + entry * size, size, cells + entry * stride);
  }
  // For smaller layers, waking other threads for every step takes more time than these threads save.
  const int maxThreads = batch * size * size * gates < 65536 ? 1 : 0;
  const int phases = layer->cell == CK_CELL_GRU ? 2 : 1;
  const Table &kernels = table();
  for (int64_t iteration = 0; iteration < layer->steps; ++iteration) {
    const int64_t time = layer->reverses ? layer->steps - 1 - iteration : iteration;
    RecurrenceStep step{layer, gates, stride, memory->projected + time * batch * gates * size,
        before, after, cells, updates, 0, 0};
    for (step.phase = 0; step.phase < phases; ++step.phase)
      forParts(
          blocks,
          [&](int64_t block, int) {
            RecurrenceStep part = step;
            part.block = block;
            kernels.recurrenceStep(part);
          },
          maxThreads);
    std::swap(before, after);
    if (!layer->returns_sequence && iteration + 1 < layer->steps) continue;
    const int64_t row = !layer->returns_sequence ? 0 : layer->outputs_by_time ? time : iteration;
    for (int64_t entry = 0; entry < batch; ++entry)
      std::copy_n(before + entry * stride, size,
          memory->outputs + (row * batch + entry) * layer->output_stride);
  }
  for (int64_t entry = 0; entry < batch; ++entry) {
    if (memory->last_output)
      std::copy_n(before + entry * stride, size, memory->last_output + entry * size);
    if (memory->last_cell)
      std::copy_n(cells + entry * stride, size, memory->last_cell + entry * size);
  }
  return 0;
}
