// Included once per instruction set, after Functions.hpp.

// MARK: The inner loop: P pixels times NB · 16 output channels in registers

/// The type of the multiply-adds for a source of type `Element` (`productType`).
#if CK_LEVEL >= 3
template <typename Element>
using Product = Element;
#else
template <typename Element>
using Product = float;
#endif

CK_INLINE float operandAt(const float *from) { return *from; }

/// Reads a pair of neighbouring values, for two multiply-adds per lane.
CK_INLINE uint32_t operandAt(const BFloat16 *from) {
  uint32_t pair;
  __builtin_memcpy(&pair, from, 4);
  return pair;
}

CK_INLINE Vector multiplyOperand(Vector sum, Vector weights, float operand) {
  return multiplyAdd(splat(operand), weights, sum);
}

/// Computes `sum + a.low · b.low + a.high · b.high`.
CK_INLINE Vector multiplyOperand(Vector sum, Vector weights, uint32_t operand) {
  const Bits a = (Bits)(operand), b = asBits(weights);
#if CK_LEVEL >= 3
  return __builtin_bit_cast(Vector,
      _mm512_dpbf16_ps(__builtin_bit_cast(__m512, sum), __builtin_bit_cast(__m512bh, b),
          __builtin_bit_cast(__m512bh, a)));
#else
  sum = multiplyAdd(asFloat(a << 16), asFloat(b << 16), sum);
  return multiplyAdd(asFloat(a & 0xffff0000u), asFloat(b & 0xffff0000u), sum);
#endif
}

/// Reads the weights of 16 outputs.
CK_INLINE Vector loadWeights(const float *from) { return load(from); }
CK_INLINE Vector loadWeights(const Half *from) { return load(from); }
/// Reads a pair of weights for each of 16 outputs.
CK_INLINE Vector loadWeights(const BFloat16 *from) { return load(reinterpret_cast<const float *>(from)); }

/// Stores the sums of a tile.
struct StoredSums {
  float *to;

  template <int P, int NB>
  CK_INLINE_MEMBER void take(const Vector (&sums)[P][NB]) const {
    for (int p = 0; p < P; ++p)
      for (int n = 0; n < NB; ++n) store(to + (p * NB + n) * 16, sums[p][n]);
  }
};

/// Reads no memory ahead.
struct NothingAhead {
  CK_INLINE_MEMBER void read() {}
};

/// Brings memory into the second-level cache that a later tile reads: `step` bytes for each step of the inner loop.
struct ReadAhead {
  const char *at;
  int64_t step;

  CK_INLINE_MEMBER void read() {
    __builtin_prefetch(at, 0, 2);
    at += step;
  }
};

/// Computes the sums of a tile of P pixels and NB vectors of outputs, which stay in registers. Each of the `count`
/// pointers in `rows` adds `length` products to every sum. Neighbouring pixels are `step` elements apart in
/// the source. bfloat16 values are multiplied in pairs. float16 weights are widened while they are read. P is 2 or a
/// multiple of 3, because one base pointer serves three pixels. All addresses thus stay in registers.
template <int P, int NB, typename Element, typename Weight, typename Ahead>
CK_INLINE void sumTile(
    Vector (&sums)[P][NB], const Element *const *rows, const Weight *const *weights, int count, int64_t length,
    int64_t step, Ahead &ahead) {
  constexpr int64_t width = 4 / sizeof(Element);
  constexpr int bases = (P + 2) / 3;
  for (int p = 0; p < P; ++p)
    for (int n = 0; n < NB; ++n) sums[p][n] = splat(0.0f);
  for (int r = 0; r < count; ++r) {
    const Element *base[bases];
    for (int i = 0; i < bases; ++i) base[i] = rows[r] + 3 * i * step;
    const Weight *w = weights[r];
#pragma clang loop unroll(disable)
    for (int64_t k = 0; k < length; k += width) {
      Vector b[NB];
#pragma clang loop unroll(full)
      for (int n = 0; n < NB; ++n) b[n] = loadWeights(w + n * 16 * width);
      ahead.read();
#pragma clang loop unroll(full)
      for (int p = 0; p < P; ++p) {
        const auto x = operandAt(base[p / 3] + (p % 3) * step);
#pragma clang loop unroll(full)
        for (int n = 0; n < NB; ++n) sums[p][n] = multiplyOperand(sums[p][n], b[n], x);
      }
      w += NB * 16 * width;
#pragma clang loop unroll(full)
      for (int i = 0; i < bases; ++i) {
        base[i] += width;
        // Keeps the compiler from precomputing the pointers of all pixels, which it would spill to the stack.
        __asm__("" : "+r"(base[i]));
      }
    }
  }
}

/// Computes the sums of a tile, and passes them to `result` in registers.
template <int P, int NB, typename Element, typename Weight, typename Result>
static void multiplyTile(
    const Element *const *rows, const Weight *const *weights, int count, int64_t length,
    int64_t step, const Result &result) {
  Vector sums[P][NB];
  NothingAhead ahead;
  sumTile(sums, rows, weights, count, length, step, ahead);
  result.take(sums);
}

template <typename Element, typename Weight, typename Result>
static void multiplyTileOf(
    int vectors, const Element *const *rows, const Weight *const *weights, int count,
    int64_t length, int64_t step, const Result &result) {
#if CK_LEVEL >= 2
  switch (vectors) {
    case 1: return multiplyTile<18, 1>(rows, weights, count, length, step, result);
    case 2: return multiplyTile<12, 2>(rows, weights, count, length, step, result);
    case 3: return multiplyTile<8, 3>(rows, weights, count, length, step, result);
    default: return multiplyTile<6, 4>(rows, weights, count, length, step, result);
  }
#elif CK_LEVEL == 1
  (void)vectors;
  return multiplyTile<6, 1>(rows, weights, count, length, step, result);
#else
  (void)vectors;
  return multiplyTile<2, 1>(rows, weights, count, length, step, result);
#endif
}

// MARK: After the sums: bias, residual, activation, scale

/// The bounds of an activation that clips, or of none. With roundings to float16, a float16 that is clipped and then
/// rounded is the float16 clipped to rounded bounds.
struct Bounds {
  Vector lower, upper;

  CK_INLINE_MEMBER explicit Bounds(const Finish &finish) {
    const bool relu = finish.activation == CK_RELU, clip = finish.activation == CK_CLIP;
    lower = splat(clip ? finish.alpha : relu ? 0.0f : -__builtin_inff());
    upper = splat(clip ? finish.beta : __builtin_inff());
    if (finish.rounds) {
      lower = roundToHalf(lower);
      upper = roundToHalf(upper);
    }
  }

  CK_INLINE_MEMBER Vector clip(Vector value) const {
    value = choose(value < lower, lower, value);
    return choose(value > upper, upper, value);
  }
};

/// Whether `Bounds` describes the activation.
static bool isClip(const Finish &finish) {
  return finish.activation == CK_RELU || finish.activation == CK_CLIP || finish.activation == CK_IDENTITY;
}

/// Finishes the sums of a tile of full vectors, without scale, and stores them. The sums stay in registers.
struct FinishedSums {
  /// Whether a residual may be added. With AVX-512, sums that a residual follows are stored first.
  static constexpr bool kHasResidual = CK_LEVEL == 1;
  const float *bias;
  /// The first output of the tile, and the first value of its residual, which has the same layout. Null without
  /// residual.
  float *to = nullptr;
  const float *residual = nullptr;
  int64_t pixelStep;
  enum { kClip, kRoundedClip, kHardSwish, kRoundedHardSwish, kRoundedHardSwishF16 } kind;
  Bounds bounds;
  Vector alpha, beta;

  FinishedSums(const Finish &finish, int64_t channel)
      : bias(finish.bias ? finish.bias + channel : nullptr), pixelStep(finish.channels),
        kind(isClip(finish)       ? finish.rounds ? kRoundedClip : kClip
             : !finish.rounds     ? kHardSwish
             : finish.activation == CK_HARD_SWISH ? kRoundedHardSwish
                                                  : kRoundedHardSwishF16),
        bounds(finish), alpha(splat(finish.alpha)), beta(splat(finish.beta)) {}

  /// Whether a tile with some outputs may be finished so.
  static bool suits(const Finish &finish, int outputs, int64_t channel) {
    return channel + outputs <= finish.channels && finish.scale == nullptr
        && (isClip(finish) || finish.activation == CK_HARD_SWISH
            || (finish.activation == CK_HARD_SWISH_F16 && finish.rounds));
  }

  template <int P, int NB>
  CK_INLINE_MEMBER void take(const Vector (&sums)[P][NB]) const {
    withFunction([&](const auto &function) __attribute__((always_inline)) { finish(sums, function); });
  }

  template <int P, int NB, typename Function>
  CK_INLINE_MEMBER void finish(const Vector (&sums)[P][NB], const Function &function) const {
#pragma clang loop unroll(full)
    for (int n = 0; n < NB; ++n) {
      const Vector added = bias ? load(bias + n * 16) : splat(0.0f);
#pragma clang loop unroll(full)
      for (int p = 0; p < P; ++p) {
        const int64_t at = p * pixelStep + n * 16;
        Vector sum = sums[p][n] + added;
        if (kHasResidual && residual) sum = withResidual(sum, load(residual + at));
        store(to + at, function(sum));
      }
    }
  }

  /// Finishes the sums of a tile of 8 outputs.
  template <int P, typename Function>
  CK_INLINE_MEMBER void finish(const HalfVector (&sums)[P], const Function &function) const {
    const HalfVector half = bias ? loadHalfVector(bias) : (HalfVector)(0.0f);
    const Vector added = joined(half, half);
#pragma clang loop unroll(full)
    for (int p = 0; p < P; p += 2) {
      const int64_t first = p * pixelStep, second = first + pixelStep;
      Vector sum = joined(sums[p], sums[p + 1]) + added;
      if (kHasResidual && residual)
        sum = withResidual(sum, joined(loadHalfVector(residual + first), loadHalfVector(residual + second)));
      const Vector result = function(sum);
      storeHalfVector(to + first, lowHalf(result));
      storeHalfVector(to + second, highHalf(result));
    }
  }

  /// Goes on to the next tile of as many pixels.
  CK_INLINE_MEMBER void advance(int64_t pixels) {
    to += pixels * pixelStep;
    if (residual) residual += pixels * pixelStep;
  }

  /// Calls `body` with the function of the sums with bias and residual.
  template <typename Body>
  CK_INLINE_MEMBER void withFunction(const Body &body) const {
    switch (kind) {
      case kClip: return body([&](Vector sum) { return bounds.clip(sum); });
      case kRoundedClip: return body([&](Vector sum) { return bounds.clip(roundToHalf(sum)); });
      case kHardSwish: return body([&](Vector sum) { return activate(CK_HARD_SWISH, sum, alpha, beta); });
      case kRoundedHardSwish:
        return body([&](Vector sum) {
          return roundToHalf(activate(CK_HARD_SWISH, roundToHalf(sum), alpha, beta));
        });
      case kRoundedHardSwishF16:
        return body([&](Vector sum) {
          return roundToHalf(activate(CK_HARD_SWISH_F16, roundToHalf(sum), alpha, beta));
        });
    }
  }

 private:
  CK_INLINE_MEMBER Vector withResidual(Vector sum, Vector other) const {
    return (kind == kClip || kind == kHardSwish ? sum : roundToHalf(sum)) + other;
  }
};

/// Writes the results of the pixels `first ..< last` of one tile.
template <typename Destination>
static void finishTile(
    const Finish &finish, const float *sums, int vectors, int64_t first, int64_t last,
    int64_t channel, Destination *destination, const Destination *residual, int64_t pixelStep) {
  const Vector alpha = splat(finish.alpha), beta = splat(finish.beta);
  for (int n = 0; n < vectors; ++n) {
    const int64_t c = channel + n * 16;
    const int64_t count = finish.channels - c;
    if (count <= 0) break;
    const Vector bias = finish.bias ? loadSome(finish.bias + c, count) : splat(0.0f);
    const Vector scale = finish.scale ? loadSome(finish.scale + c, count) : splat(1.0f);
    const Vector offset = finish.scale ? loadSome(finish.offset + c, count) : splat(0.0f);
    const bool rounds = finish.rounds;
    if (count >= 16 && !finish.scale && isClip(finish)) {
      // Handles the common activations without a branch for each value.
      const Bounds bounds(finish);
      for (int64_t p = first; p < last; ++p) {
        Vector value = load(sums + (p * vectors + n) * 16) + bias;
        if (rounds) value = roundToHalf(value);
        if (residual) {
          value += load(residual + p * pixelStep + c);
          if (rounds) value = roundToHalf(value);
        }
        store(destination + p * pixelStep + c, bounds.clip(value));
      }
      continue;
    }
    for (int64_t p = first; p < last; ++p) {
      Vector value = load(sums + (p * vectors + n) * 16) + bias;
      if (rounds) value = roundToHalf(value);
      if (residual) {
        value += loadSome(residual + p * pixelStep + c, count);
        if (rounds) value = roundToHalf(value);
      }
      value = activate(finish.activation, value, alpha, beta);
      if (rounds) value = roundToHalf(value);
      if (finish.scale) value = multiplyAdd(value, scale, offset);
      storeSome(destination + p * pixelStep + c, value, count);
    }
  }
}

/// The scales and offsets of dense pixels with at most 16 channels. One vector spans several pixels, so the lane of a
/// channel differs from vector to vector. After `channels` vectors, the pattern repeats.
struct DenseEnd {
  Vector scales[16], offsets[16];
};

CK_INLINE DenseEnd denseEnd(const Finish &finish) {
  DenseEnd end;
  if (finish.scale)
    for (int64_t i = 0; i < finish.channels * 16; ++i) {
      end.scales[i / 16][i % 16] = finish.scale[i % finish.channels];
      end.offsets[i / 16][i % 16] = finish.offset[i % finish.channels];
    }
  return end;
}

/// Applies residual, activation, scale and offset to contiguous pixels with all their channels. The sums already
/// contain the bias.
template <typename Destination>
static void finishDense(
    const Finish &finish, const DenseEnd &end, const float *sums, int64_t count,
    Destination *destination, const Destination *residual) {
  const Vector alpha = splat(finish.alpha), beta = splat(finish.beta);
  for (int64_t i = 0; i < count; i += 16) {
    Vector value = loadSome(sums + i, count - i);
    if (finish.rounds) value = roundToHalf(value);
    if (residual) {
      value += loadSome(residual + i, count - i);
      if (finish.rounds) value = roundToHalf(value);
    }
    value = activate(finish.activation, value, alpha, beta);
    if (finish.rounds) value = roundToHalf(value);
    const int64_t index = i / 16 % finish.channels;
    if (finish.scale) value = multiplyAdd(value, end.scales[index], end.offsets[index]);
    storeSome(destination + i, value, count - i);
  }
}

template <typename Element, typename Destination>
static void runRow(const ConvolutionRow &row) {
  const ConvolutionPhase &phase = *row.phase;
  const int64_t channels = row.inputChannels;
  const Element *source = static_cast<const Element *>(row.source);
  Element *patch = static_cast<Element *>(row.patch);
  alignas(64) float sums[kMaxSums];
  const Element *rows[kMaxTaps];
  const Element *weights[kMaxTaps];
  const int64_t groups = phase.groups();
  for (const ConvolutionBlock &block : phase.blocks) {
    const int64_t pixels = row.pixels[block.vectors];
    const Element *packed = static_cast<const Element *>(row.weights) + block.weights;
    constexpr bool isFloat = __is_same(Element, float) && __is_same(Destination, float);
    const bool staysInRegisters = isFloat && (FinishedSums::kHasResidual || !row.residual)
        && FinishedSums::suits(*row.finish, block.vectors * 16, block.channel);
    FinishedSums finished(*row.finish, block.channel);
    finished.pixelStep = row.pixelStep;
    for (int64_t x = row.firstColumn; x < row.endColumn; x += pixels) {
      // The last tile overlaps the tile before it, and so stays inside the row. It stores only the pixels that no tile
      // before it has stored.
      int64_t start = x, first = 0;
      if (x + pixels > row.outputWidth && row.outputWidth >= pixels) {
        start = row.outputWidth - pixels;
        first = x - start;
      }
      const int64_t last = row.endColumn - start < pixels ? row.endColumn - start : pixels;
      int count = 0;
      for (size_t ty = 0; ty < phase.tapsY.size(); ++ty) {
        const int64_t y = row.y * phase.stepY + phase.tapsY[ty].offset;
        if (y < 0 || y >= row.inputHeight) continue;
        for (int64_t group = 0; group < groups; ++group) {
          // The input columns that the group's taps read for the tile. A dilated kernel has a group for each tap, and
          // often all columns of a group are outside the image.
          const int64_t left = start * phase.stepX + phase.tapsX[group * phase.merged].offset;
          const int64_t right = left + (pixels - 1) * phase.stepX + phase.merged;
          if (right <= 0 || left >= row.inputWidth) continue;
          const Element *line = source + y * row.sourceRowStride + left * channels;
          const int64_t index = static_cast<int64_t>(ty) * groups + group;
          if (left < 0 || right + phase.overread > row.inputWidth) {
            Element *copy = patch + index * row.patchStride;
            const int64_t before = left < 0 ? -left : 0;
            const int64_t end = right < row.inputWidth ? right : row.inputWidth;
            __builtin_memset(copy, 0, sizeof(Element) * ((right - left) * channels + 2));
            __builtin_memcpy(copy + before * channels, line + before * channels,
                sizeof(Element) * (end - left - before) * channels);
            line = copy;
          }
          rows[count] = line;
          weights[count] = packed + index * block.tapSize;
          ++count;
        }
      }
      Destination *to = static_cast<Destination *>(row.destination) + start * row.pixelStep;
      const Destination *residual = row.residual
          ? static_cast<const Destination *>(row.residual) + start * row.pixelStep
          : nullptr;
      const int64_t step = phase.stepX * channels;
      if constexpr (isFloat) {
        if (staysInRegisters && first == 0 && last == pixels) {
          finished.to = to + block.channel;
          if (residual) finished.residual = residual + block.channel;
          multiplyTileOf(block.vectors, rows, weights, count, phase.length, step, finished);
          continue;
        }
      }
      multiplyTileOf(block.vectors, rows, weights, count, phase.length, step, StoredSums{sums});
      finishTile<Destination>(*row.finish, sums, block.vectors, first, last, block.channel, to,
          residual, row.pixelStep);
    }
  }
}

// MARK: Columns: one convolution of kernel width 1, then shifted sums

typedef float Four __attribute__((ext_vector_type(4)));
typedef Four LooseFour __attribute__((aligned(4)));

template <typename Element, typename Destination>
static void runColumnRow(const ConvolutionRow &row) {
  const ConvolutionPhase &phase = *row.phase;
  const ConvolutionBlock &block = phase.blocks[0];
  const int64_t channels = row.inputChannels;
  const Element *source = static_cast<const Element *>(row.source);
  const int64_t lanes = block.vectors * 16;
  const int64_t pixels = row.pixels[block.vectors];
  const int64_t wanted = row.outputWidth + row.kernelWidth - 1;
  float *columns = row.columns;
  const Element *rows[kMaxTaps];
  const Element *weights[kMaxTaps];
  const Element *packed = static_cast<const Element *>(row.weights) + block.weights;
  // Of the `wanted` columns, `from ..< to` are inside the image. The sums of the other columns are zero.
  const int64_t from = row.padLeft < 0 ? 0 : row.padLeft < wanted ? row.padLeft : wanted;
  const int64_t reached = row.padLeft + row.inputWidth;
  const int64_t to = reached < from ? from : reached < wanted ? reached : wanted;
  __builtin_memset(columns, 0, sizeof(float) * from * lanes);
  __builtin_memset(columns + to * lanes, 0, sizeof(float) * (wanted - to) * lanes);
  alignas(64) float sums[kMaxSums];
  for (int64_t x = from; x < to; x += pixels) {
    int64_t start = x;
    if (x + pixels > to && to - from >= pixels) start = to - pixels;
    const bool narrow = start + pixels > to;
    int count = 0;
    for (size_t ty = 0; ty < phase.tapsY.size(); ++ty) {
      const int64_t y = row.y * phase.stepY + phase.tapsY[ty].offset;
      if (y < 0 || y >= row.inputHeight) continue;
      const Element *line =
          source + y * row.sourceRowStride + (start - row.padLeft) * channels;
      if (narrow) {
        Element *copy = static_cast<Element *>(row.patch) + static_cast<int64_t>(ty) * row.patchStride;
        __builtin_memset(copy, 0, sizeof(Element) * pixels * channels);
        __builtin_memcpy(copy, line, sizeof(Element) * (to - start) * channels);
        line = copy;
      }
      rows[count] = line;
      weights[count] = packed + static_cast<int64_t>(ty) * block.tapSize;
      ++count;
    }
    float *result = narrow ? sums : columns + start * lanes;
    multiplyTileOf(
        block.vectors, rows, weights, count, phase.length, channels, StoredSums{result});
    if (narrow)
      __builtin_memcpy(columns + start * lanes, sums, sizeof(float) * (to - start) * lanes);
  }
  // For each k in order, output pixel x adds group k of column x + k. Group k holds the sums of kernel column k.
  const Finish &finish = *row.finish;
  const int64_t outputs = finish.channels;
  Destination *destination = static_cast<Destination *>(row.destination);
  const Destination *residual = static_cast<const Destination *>(row.residual);
  constexpr int64_t perChunk = 64;
  alignas(64) float line[perChunk * 16 + 16];
  const bool isDense = row.pixelStep == outputs;
  // With three outputs, adds vectors of four. The fourth value belongs to the next group and is not used.
  const bool hasFours = outputs == 3 && row.kernelWidth * 3 < lanes;
  const Four bias = hasFours && finish.bias
      ? (Four){finish.bias[0], finish.bias[1], finish.bias[2], 0.0f}
      : (Four)(0.0f);
  DenseEnd ends;
  if (isDense) ends = denseEnd(finish);
  for (int64_t x = 0; x < row.outputWidth; x += perChunk) {
    const int64_t end = x + perChunk < row.outputWidth ? x + perChunk : row.outputWidth;
    for (int64_t p = x; p < end; ++p) {
      const float *column = columns + p * lanes;
      float *to = line + (p - x) * outputs;
      if (hasFours) {
        Four sum = bias;
        for (int64_t k = 0; k < row.kernelWidth; ++k, column += lanes + 3)
          sum += *reinterpret_cast<const LooseFour *>(column);
        *reinterpret_cast<LooseFour *>(to) = sum;
        continue;
      }
      for (int64_t c = 0; c < outputs; ++c) to[c] = finish.bias ? finish.bias[c] : 0.0f;
      for (int64_t k = 0; k < row.kernelWidth; ++k, column += lanes + outputs)
        for (int64_t c = 0; c < outputs; ++c) to[c] += column[c];
    }
    const int64_t count = (end - x) * outputs;
    const auto roundLine = [&] {
      for (int64_t i = 0; i < count; i += 16) store(line + i, roundToHalf(load(line + i)));
    };
    if (finish.rounds && !isDense) roundLine();
    if (residual && !isDense) {
      for (int64_t p = x; p < end; ++p)
        for (int64_t c = 0; c < outputs; ++c)
          line[(p - x) * outputs + c] += toFloat(residual[p * row.pixelStep + c]);
      if (finish.rounds) roundLine();
    }
    if (isDense) {
      finishDense<Destination>(finish, ends, line, count, destination + x * outputs,
          residual ? residual + x * outputs : nullptr);
      continue;
    }
    const Vector alpha = splat(finish.alpha), beta = splat(finish.beta);
    for (int64_t i = 0; i < count; i += 16) {
      const Vector value = activate(finish.activation, load(line + i), alpha, beta);
      store(line + i, finish.rounds ? roundToHalf(value) : value);
    }
    for (int64_t p = x; p < end; ++p)
      for (int64_t c = 0; c < outputs; ++c) {
        float value = line[(p - x) * outputs + c];
        if (finish.scale) value = value * finish.scale[c] + finish.offset[c];
        fromFloat(value, destination[p * row.pixelStep + c]);
      }
  }
}

static void convolutionRow(const ConvolutionRow &row) {
  const bool bfloat16Source = row.sourceType == CK_BF16;
  const bool bfloat16Destination = row.destinationType == CK_BF16;
  using Source = Product<BFloat16>;
  if (row.columns) {
    if (bfloat16Source)
      return bfloat16Destination ? runColumnRow<Source, BFloat16>(row) : runColumnRow<Source, float>(row);
    return bfloat16Destination ? runColumnRow<float, BFloat16>(row) : runColumnRow<float, float>(row);
  }
  if (bfloat16Source)
    return bfloat16Destination ? runRow<Source, BFloat16>(row) : runRow<Source, float>(row);
  return bfloat16Destination ? runRow<float, BFloat16>(row) : runRow<float, float>(row);
}
