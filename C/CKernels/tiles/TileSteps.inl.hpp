// Included once per kind of tile, after Convolution.inl.hpp: the inner loop, and the work that is interleaved with
// it.

/// Adds the products of 32 values of R times 16 pixels with the weights of V times 16 outputs. Without `loads`, the
/// weights are still those of the step before.
template <int R, int V, bool loads, typename Unit>
CK_INLINE void multiplyStep(
    Unit &unit, const char *upper, const char *lower, int64_t upperStep, int64_t lowerStep,
    const char *weights) {
  constexpr int64_t row = V * 64;
  unit.template load<4>(upper, upperStep);
  if constexpr (loads) unit.template load<6>(weights, row);
  unit.template multiply<0, 4, 6>();
  if constexpr (V > 1) {
    if constexpr (loads) unit.template load<7>(weights + 64, row);
    unit.template multiply<1, 4, 7>();
  }
  if constexpr (R > 1) {
    unit.template load<5>(lower, lowerStep);
    unit.template multiply<2, 5, 6>();
    if constexpr (V > 1) unit.template multiply<3, 5, 7>();
  }
}

/// Adds the products of one block: R times 16 pixels and V times 16 outputs. Between the steps, finishes the results of
/// the previous block (`work`), `share` pixels per step. With few inputs, finishing takes half of the time.
///
/// Weights are in the order in which this function reads them: for each row of the kernel, for each group of columns
/// and for each 32 values, the pairs of all outputs. If the operands are pairs of bfloat16 (`P` is 2), the low parts of
/// the weights of a step follow their high parts.
template <int R, int V, int P, typename Unit, typename Work>
static void addProducts(
    Unit &unit, const TileOperand *const *operands, size_t operandCount, const int64_t *groups,
    size_t groupCount, int64_t chunks, const BFloat16 *weights, Work &work, int64_t share) {
  constexpr int64_t step = V * 1024;
  static_assert(P == 1 || P == 2, "values, or pairs");
  unit.template zero<0>();
  if constexpr (V > 1) unit.template zero<1>();
  if constexpr (R > 1) unit.template zero<2>();
  if constexpr (R > 1 && V > 1) unit.template zero<3>();
  const char *w = reinterpret_cast<const char *>(weights);
  for (size_t operand = 0; operand < operandCount; ++operand) {
    const TileOperand &upper = operands[0][operand];
    const TileOperand &lower = operands[R - 1][operand];
    if (!upper.chunkStep && !lower.chunkStep) {
      w += step * P * chunks * int64_t(groupCount);
      continue;
    }
    for (size_t group = 0; group < groupCount; ++group) {
      const char *a = upper.base + (upper.chunkStep ? groups[group] : 0);
      const char *b = lower.base + (lower.chunkStep ? groups[group] : 0);
      for (int64_t chunk = 0; chunk < chunks; ++chunk) {
        multiplyStep<R, V, true>(unit, a, b, upper.pixelStep, lower.pixelStep, w);
        if constexpr (P == 2) {
          multiplyStep<R, V, false>(unit, a + 64, b + 64, upper.pixelStep, lower.pixelStep, w);
          multiplyStep<R, V, true>(unit, a, b, upper.pixelStep, lower.pixelStep, w + step);
        }
        a += upper.chunkStep;
        b += lower.chunkStep;
        w += step * P;
        work.some(share);
      }
    }
  }
}

/// Stores the sums of a block as R · 16 rows, which are `stride` floats apart.
template <int R, int V, typename Unit>
static void storeSums(Unit &unit, float *sums, int64_t stride) {
  unit.template store<0>(sums, stride * 4);
  if constexpr (V > 1) unit.template store<1>(sums + 16, stride * 4);
  if constexpr (R > 1) unit.template store<2>(sums + 16 * stride, stride * 4);
  if constexpr (R > 1 && V > 1) unit.template store<3>(sums + 16 * stride + 16, stride * 4);
}

/// Divides `pieces` of work among the `steps` of the loop. Returns the number of pieces per step, rounded up.
CK_INLINE int64_t shareOf(int64_t pieces, int64_t steps) {
  return steps > 0 ? (pieces + steps - 1) / steps : pieces;
}

/// The work after the sums of a block: bias, residual, activation and scale, for one pixel at a time.
template <typename Destination>
class TileFinish {
 public:
  /// `sums` has space for the sums of a block.
  TileFinish(const Finish &finish, const float *sums) : finish(finish), sums(sums) {
    isPlain = !finish.scale && !finish.rounds && (finish.activation == CK_RELU || finish.activation == CK_IDENTITY);
    floor = splat(finish.activation == CK_RELU ? 0.0f : -__builtin_inff());
  }

  /// Begins the work of a block whose sums have been stored.
  void begin(int vectors, int64_t channel) {
    blockVectors = vectors;
    blockChannel = channel;
    runs = current = 0;
    for (int n = 0; n < vectors; ++n) {
      const int64_t count = finish.channels - channel - n * 16;
      bias[n] = finish.bias && count > 0 ? loadSome(finish.bias + channel + n * 16, count)
                                         : splat(0.0f);
    }
  }

  /// Adds the work of the pixels `first ..< last` of a run of 16 pixels. `destination` is the first output of the run's
  /// pixel 0.
  void add(
      Destination *destination, const Destination *residual, int64_t pixelStep, int64_t first,
      int64_t last) {
    queue[runs] = {sums + runs * 16 * blockVectors * 16, destination, residual, pixelStep, first, last};
    ++runs;
  }

  void some(int64_t pixels) {
    while (pixels > 0 && current < runs) {
      Run &run = queue[current];
      const int64_t left = run.last - run.first, count = left < pixels ? left : pixels;
      finishPixels(run, run.first, run.first + count);
      run.first += count;
      pixels -= count;
      if (run.first >= run.last) ++current;
    }
  }

  void rest() { some(64); }

 private:
  struct Run {
    const float *sums;
    Destination *destination;
    const Destination *residual;
    int64_t pixelStep, first, last;
  };

  void finishPixels(const Run &run, int64_t first, int64_t last) {
    const int64_t lanes = blockVectors * 16;
    if (!isPlain || run.residual || blockChannel + lanes > finish.channels)
      return finishTile<Destination>(finish, run.sums, blockVectors, first, last, blockChannel,
          run.destination, run.residual, run.pixelStep);
    for (int64_t p = first; p < last; ++p)
      for (int n = 0; n < blockVectors; ++n) {
        const Vector value = load(run.sums + p * lanes + n * 16) + bias[n];
        store(run.destination + p * run.pixelStep + blockChannel + n * 16,
            choose(value < floor, floor, value));
      }
  }

  const Finish &finish;
  const float *sums;
  bool isPlain;
  Vector floor, bias[2];
  int blockVectors = 0, runs = 0, current = 0;
  int64_t blockChannel = 0;
  Run queue[2];
};
