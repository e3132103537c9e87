// Included once per instruction set, after Functions.hpp.

/// The number of batch entries whose sums are held in registers together.
constexpr int kRecurrenceTile = CK_LEVEL >= 2 ? 4 : 1;

/// Applies the function of a gate to 16 values. Not inlined, so that the functions are compiled once.
static __attribute__((noinline)) void applyGate(
    const ck_gate_function &gate, float *values) {
  store(values, activate(gate.function, load(values), splat(gate.alpha), splat(gate.beta)));
}

CK_INLINE Vector clamped(Vector x, float bound) {
  x = choose(x < splat(-bound), splat(-bound), x);
  return choose(x > splat(bound), splat(bound), x);
}

CK_INLINE Vector gated(const ck_recurrence &layer, int function, Vector sum) {
  alignas(64) float values[16];
  store(values, clamped(sum, layer.sum_bound));
  applyGate(layer.functions[function], values);
  return load(values);
}

/// Adds the recurrent weights times the previous outputs (`before`) to the sums of `gates` gates, for 16 units and
/// `tile` batch entries.
template <int gates, int tile>
CK_INLINE void addRecursion(
    const float *weights, int64_t size, const float *before, int64_t stride, Vector (&sums)[4][4]) {
  Vector local[tile][gates];
  for (int i = 0; i < tile; ++i)
    for (int g = 0; g < gates; ++g) local[i][g] = sums[i][g];
  for (int64_t k = 0; k < size; ++k) {
    Vector row[gates];
    for (int g = 0; g < gates; ++g) row[g] = load(weights + (k * gates + g) * 16);
    for (int i = 0; i < tile; ++i) {
      const Vector y = splat(before[i * stride + k]);
      for (int g = 0; g < gates; ++g) local[i][g] = multiplyAdd(y, row[g], local[i][g]);
    }
  }
  for (int i = 0; i < tile; ++i)
    for (int g = 0; g < gates; ++g) sums[i][g] = local[i][g];
}

/// Computes gates `from ..< from + gates` of the units of one block, for `tile` batch entries from `entry` on.
template <int gates, int tile>
CK_INLINE void sumsOf(
    const RecurrenceStep &step, int from, int64_t entry, const float *before, Vector (&sums)[4][4]) {
  const ck_recurrence &layer = *step.layer;
  const int64_t first = step.block * 16, some = layer.size - first;
  for (int i = 0; i < tile; ++i)
    for (int g = 0; g < gates; ++g)
      sums[i][g] = loadSome(
          step.projected + ((entry + i) * step.gates + from + g) * layer.size + first, some);
  // Gates that are computed together are packed together, after the weights of all gates before `from`.
  const float *weights = layer.weights + (from * step.stride + step.block * 16 * gates) * layer.size;
  addRecursion<gates, tile>(weights, layer.size, before + entry * step.stride, step.stride, sums);
}

CK_INLINE Vector peephole(const RecurrenceStep &step, int which, Vector cell) {
  const ck_recurrence &layer = *step.layer;
  if (!layer.peepholes) return splat(0.0f);
  const int64_t first = step.block * 16;
  return cell * loadSome(layer.peepholes + which * layer.size + first, layer.size - first);
}

template <int tile>
CK_INLINE void recurrenceEntries(const RecurrenceStep &step, int64_t entry) {
  const ck_recurrence &layer = *step.layer;
  const int64_t first = step.block * 16;
  Vector sums[4][4];
  if (layer.cell == CK_CELL_SIMPLE) {
    sumsOf<1, tile>(step, 0, entry, step.before, sums);
    for (int i = 0; i < tile; ++i)
      store(step.after + (entry + i) * step.stride + first, gated(layer, 0, sums[i][0]));
  } else if (layer.cell == CK_CELL_LSTM) {
    sumsOf<4, tile>(step, 0, entry, step.before, sums);
    for (int i = 0; i < tile; ++i) {
      const int64_t at = (entry + i) * step.stride + first;
      Vector cell = load(step.cells + at);
      const Vector in = gated(layer, 0, sums[i][0] + peephole(step, 0, cell));
      const Vector forget = layer.couples_gates
          ? splat(1.0f) - in
          : gated(layer, 0, sums[i][1] + peephole(step, 1, cell));
      const Vector block = gated(layer, 1, sums[i][2]);
      cell = clamped(cell * forget + in * block, layer.cell_bound);
      store(step.cells + at, cell);
      const Vector out = gated(layer, 0, sums[i][3] + peephole(step, 2, cell));
      alignas(64) float shown[16];
      store(shown, cell);
      applyGate(layer.functions[2], shown);
      store(step.after + at, load(shown) * out);
    }
  } else if (step.phase == 0) {
    sumsOf<2, tile>(step, 0, entry, step.before, sums);
    for (int i = 0; i < tile; ++i) {
      const int64_t at = (entry + i) * step.stride + first;
      const Vector reset = gated(layer, 0, sums[i][1]);
      store(step.updates + at, gated(layer, 0, sums[i][0]));
      store(step.cells + at, layer.resets_recursion ? reset : reset * load(step.before + at));
    }
  } else if (layer.resets_recursion) {
    const int64_t some = layer.size - first;
    for (int i = 0; i < tile; ++i)
      sums[i][0] = layer.peepholes ? loadSome(layer.peepholes + first, some) : splat(0.0f);
    addRecursion<1, tile>(
        layer.weights + (2 * step.stride + first) * layer.size, layer.size,
        step.before + entry * step.stride, step.stride, sums);
    for (int i = 0; i < tile; ++i) {
      const int64_t at = (entry + i) * step.stride + first;
      const Vector given = loadSome(
          step.projected + ((entry + i) * step.gates + 2) * layer.size + first, some);
      const Vector update = load(step.updates + at);
      const Vector out = gated(layer, 1, given + load(step.cells + at) * sums[i][0]);
      store(step.after + at, (splat(1.0f) - update) * out + update * load(step.before + at));
    }
  } else {
    sumsOf<1, tile>(step, 2, entry, step.cells, sums);
    for (int i = 0; i < tile; ++i) {
      const int64_t at = (entry + i) * step.stride + first;
      const Vector update = load(step.updates + at);
      const Vector out = gated(layer, 1, sums[i][0]);
      store(step.after + at, (splat(1.0f) - update) * out + update * load(step.before + at));
    }
  }
}

/// Computes 16 units of one step, for the whole batch.
static void recurrenceStep(const RecurrenceStep &step) {
  const int64_t batch = step.layer->batch;
  int64_t entry = 0;
  for (; entry + kRecurrenceTile <= batch; entry += kRecurrenceTile)
    recurrenceEntries<kRecurrenceTile>(step, entry);
  for (; entry < batch; ++entry) recurrenceEntries<1>(step, entry);
}
