// Included once per instruction set, after Functions.hpp.

constexpr int64_t kChainBlock = 2048;


/// Repeats `values[channel]` so that every value of a block has its own.
static void spread(
    const float *values, float *block, int64_t start, int64_t count, int64_t channels,
    int64_t inner) {
  if (inner == 1) {
    int64_t c = start % channels;
    int64_t done = 0;
    while (done < count) {
      int64_t run = channels - c;
      if (run > count - done) run = count - done;
      for (int64_t i = 0; i < run; ++i) block[done + i] = values[c + i];
      done += run;
      c = 0;
    }
    return;
  }
  int64_t done = 0;
  while (done < count) {
    const int64_t position = start + done;
    int64_t run = inner - position % inner;
    if (run > count - done) run = count - done;
    const float value = values[(position / inner) % channels];
    for (int64_t i = 0; i < run; ++i) block[done + i] = value;
    done += run;
  }
}

CK_INLINE void stepBlock(
    const ck_step &step, float *values, const float *first, const float *second, int64_t count) {
  const Vector alpha = splat(step.alpha), beta = splat(step.beta);
  for (int64_t i = 0; i < count; i += 16) {
    Vector x = load(values + i);
    const Vector a = first ? load(first + i) : alpha;
    const Vector b = second ? load(second + i) : beta;
    x = step.is_operation ? combine(step.operation, x, a) : apply(step.function, x, a, b);
    store(values + i, x);
  }
}

CK_INLINE void anyToFloat(const void *source, ck_type type, int64_t start, float *to, int64_t count) {
  int64_t i = 0;
  if (type == CK_F32) {
    __builtin_memcpy(to, static_cast<const float *>(source) + start, sizeof(float) * count);
  } else if (type == CK_BF16) {
    const Brain *from = static_cast<const Brain *>(source) + start;
    for (; i + 16 <= count; i += 16) store(to + i, load(from + i));
    if (i < count) storeSome(to + i, loadSome(from + i, count - i), count - i);
  } else {
    const Half *from = static_cast<const Half *>(source) + start;
    for (; i + 16 <= count; i += 16) store(to + i, load(from + i));
    if (i < count) storeSome(to + i, loadSome(from + i, count - i), count - i);
  }
}

CK_INLINE void floatToAny(const float *from, void *destination, ck_type type, int64_t start, int64_t count) {
  int64_t i = 0;
  if (type == CK_F32) {
    __builtin_memcpy(static_cast<float *>(destination) + start, from, sizeof(float) * count);
  } else if (type == CK_BF16) {
    Brain *to = static_cast<Brain *>(destination) + start;
    for (; i + 16 <= count; i += 16) store(to + i, load(from + i));
    if (i < count) storeSome(to + i, loadSome(from + i, count - i), count - i);
  } else {
    Half *to = static_cast<Half *>(destination) + start;
    for (; i + 16 <= count; i += 16) store(to + i, load(from + i));
    if (i < count) storeSome(to + i, loadSome(from + i, count - i), count - i);
  }
}

static void chainRange(const ChainRange &range) {
  alignas(64) float values[kChainBlock];
  alignas(64) float first[kChainBlock];
  alignas(64) float second[kChainBlock];
  __builtin_memset(values, 0, sizeof(values));
  for (int64_t done = 0; done < range.count; done += kChainBlock) {
    const int64_t start = range.start + done;
    const int64_t count = range.count - done < kChainBlock ? range.count - done : kChainBlock;
    anyToFloat(range.source, range.sourceType, start, values, count);
    for (int32_t s = 0; s < range.stepCount; ++s) {
      const ck_step &step = range.steps[s];
      const float *a = nullptr, *b = nullptr;
      if (step.is_operation && step.operand) {
        anyToFloat(step.operand, step.operand_type, start, first, count);
        a = first;
      } else if (step.channel_alpha) {
        spread(step.channel_alpha, first, start, count, range.channels, range.inner);
        a = first;
      }
      if (step.channel_beta) {
        spread(step.channel_beta, second, start, count, range.channels, range.inner);
        b = second;
      }
      stepBlock(step, values, a, b, count);
    }
    floatToAny(values, range.destination, range.destinationType, start, count);
  }
}

template <typename Element>
static void binaryOf(const BinaryRange &range) {
  const Element *a = static_cast<const Element *>(range.a);
  const Element *b = static_cast<const Element *>(range.b);
  Element *to = static_cast<Element *>(range.destination);
  const Vector fixedA = range.repeatA ? splat(toFloat(*a)) : splat(0.0f);
  const Vector fixedB = range.repeatB ? splat(toFloat(*b)) : splat(0.0f);
  for (int64_t i = 0; i < range.count; i += 16) {
    const int64_t left = range.count - i;
    const Vector x = range.repeatA ? fixedA : loadSome(a + i, left);
    const Vector y = range.repeatB ? fixedB : loadSome(b + i, left);
    storeSome(to + i, combine(range.operation, x, y), left);
  }
}

static void binaryRange(const BinaryRange &range) {
  switch (range.type) {
    case CK_F32: return binaryOf<float>(range);
    case CK_BF16: return binaryOf<Brain>(range);
    default: return binaryOf<Half>(range);
  }
}

/// Contiguous conversion between float types.
static void convertRun(
    const void *source, ck_type from, void *destination, ck_type to, int64_t count) {
  alignas(64) float values[512];
  for (int64_t i = 0; i < count; i += 512) {
    const int64_t some = count - i < 512 ? count - i : 512;
    anyToFloat(source, from, i, values, some);
    floatToAny(values, destination, to, i, some);
  }
}
