// Included once per kind of tile, after TileSteps.inl.hpp and TileReading.inl.hpp.

/// Adds up the columns of the kernel, for a convolution with a small number O of output channels.
///
/// Each input column x contributes to the output pixels x - width + 1 … x, where `width` is the kernel's width. The
/// lanes of the sums are divided into groups of O lanes, one lane for each output channel. Group g holds the sums of
/// pixel x - width + 1 + g. When x advances by one column, all sums shift down by one group. The first group thus
/// always belongs to the pixel that column x finishes.
template <int O>
class SlidingSums {
 public:
  /// Begins one or two rows of pixels. The caller writes the products to `products`. For each row and each of 16 input
  /// columns, they hold one value for each pair of a kernel column and an output channel.
  void begin(const TileRows &rows, const float *products, int rowCount, int vectorCount) {
    r = &rows;
    columns = products;
    lines = rowCount;
    vectors = vectorCount;
    column = next = end = 0;
    const int64_t filled = O * rows.kernelWidth - (vectorCount - 1) * 16;
    for (int lane = 0; lane < 16; ++lane) isFilled[lane] = lane < filled ? -1 : 0;
    for (auto &row : state)
      for (auto &vector : row) vector = splat(0.0f);
  }

  /// Skips columns outside the image, which contribute nothing.
  void skip(int64_t count) {
    for (; count > 0; count -= 16) slide(nullptr, count < 16 ? count : 16);
  }

  /// Selects the columns `first ..< last` of the 16 columns in the products. `some` and `rest` add the selected columns
  /// to the sums.
  void add(int64_t first, int64_t last) {
    next = first;
    end = last;
  }

  void some(int64_t count) {
    const int64_t left = end - next, taken = left < count ? left : count;
    if (taken <= 0) return;
    slide(columns + next * vectors * 16, taken);
    next += taken;
  }

  void rest() { some(16); }

 private:
  /// Returns a vector that begins at lane O of `low` and continues in `high`.
  static Vector shifted(Vector low, Vector high) {
    return __builtin_shufflevector(low, high, O, O + 1, O + 2, O + 3, O + 4, O + 5, O + 6, O + 7,
        O + 8, O + 9, O + 10, O + 11, O + 12, O + 13, O + 14, O + 15);
  }

  /// Adds the next `count` columns to the sums of all rows. If `from` is null, the products of these columns are zeros.
  void slide(const float *from, int64_t count) {
    switch (vectors) {
      case 1: return slideBy<1>(from, count);
      case 2: return slideBy<2>(from, count);
      case 3: return slideBy<3>(from, count);
      default: return slideBy<4>(from, count);
    }
  }

  template <int V>
  void slideBy(const float *from, int64_t count) {
    const int64_t first = column - r->kernelWidth + 1, pixels = r->phase->columns;
    for (int line = 0; line < lines; ++line) {
      Vector sums[V];
      for (int n = 0; n < V; ++n) sums[n] = state[line][n];
      float *to = r->line + line * r->lineStride;
      const float *products = from ? from + line * 16 * V * 16 : nullptr;
      for (int64_t i = 0; i < count; ++i) {
        for (int n = 0; n + 1 < V; ++n) sums[n] = shifted(sums[n], sums[n + 1]);
        sums[V - 1] = shifted(sums[V - 1], splat(0.0f));
        if (products) {
          for (int n = 0; n + 1 < V; ++n) sums[n] += load(products + n * 16);
          // The last lanes belong to no output. Their products may be NaN, because the weights there are zeros and an
          // input may be infinite.
          sums[V - 1] += choose(isFilled, load(products + (V - 1) * 16), splat(0.0f));
          products += V * 16;
        }
        // The outputs of the next pixels overwrite the values after this pixel's outputs.
        if (first + i >= 0 && first + i < pixels) store(to + (first + i) * O, sums[0]);
      }
      for (int n = 0; n < V; ++n) state[line][n] = sums[n];
    }
    column += count;
  }

  const TileRows *r = nullptr;
  const float *columns = nullptr;
  Vector state[2][4];
  Integers isFilled;
  int lines = 0, vectors = 0;
  int64_t column = 0, next = 0, end = 0;
};

/// Applies bias, residual, activation and scale to a row of dense pixels, and writes the results to `to`.
template <typename Destination>
static void finishLine(
    const Finish &finish, float *line, int64_t pixels, Destination *to, const Destination *residual,
    int64_t pixelStep) {
  const int64_t outputs = finish.channels, count = pixels * outputs;
  alignas(64) float bias[16 * 16];
  for (int64_t i = 0; i < 16 * outputs; ++i) bias[i] = finish.bias ? finish.bias[i % outputs] : 0.0f;
  const Vector alpha = splat(finish.alpha), beta = splat(finish.beta);
  const bool isPlain = !finish.scale && pixelStep == outputs;
  for (int64_t i = 0; i < count; i += 16) {
    Vector value = load(line + i) + load(bias + i % (16 * outputs));
    if (finish.rounds) value = roundToHalf(value);
    if (residual) {
      alignas(64) float added[16];
      for (int64_t k = 0; k < 16 && i + k < count; ++k)
        added[k] = toFloat(residual[(i + k) / outputs * pixelStep + (i + k) % outputs]);
      value += load(added);
      if (finish.rounds) value = roundToHalf(value);
    }
    value = activate(finish.activation, value, alpha, beta);
    if (finish.rounds) value = roundToHalf(value);
    if (isPlain)
      storeSome(to + i, value, count - i);
    else
      store(line + i, value);
  }
  if (isPlain) return;
  for (int64_t p = 0; p < pixels; ++p)
    for (int64_t c = 0; c < outputs; ++c) {
      float value = line[p * outputs + c];
      if (finish.scale) value = value * finish.scale[c] + finish.offset[c];
      fromFloat(value, to[p * pixelStep + c]);
    }
}

/// Computes two rows at a time. First multiplies each of 16 input columns by each column of the kernel, for each output
/// channel. Each of these products is a sum over the kernel's rows and the input channels. Then adds up the products
/// that belong to each pixel (`SlidingSums`).
template <typename Unit, int O, typename Destination>
class TileColumnsRun {
 public:
  explicit TileColumnsRun(const TileRows &rows) : r(rows), reader(rows) {
    vectors = int((O * r.kernelWidth + 15) / 16);
  }

  void run() {
    for (int64_t y = r.firstRow; y < r.endRow; y += 2) {
      const int lines = y + 1 < r.endRow ? 2 : 1;
      sums.begin(r, products, lines, vectors);
      const int64_t wanted = r.phase->columns + r.kernelWidth - 1;
      int64_t from = r.padLeft < 0 ? 0 : r.padLeft, to = r.padLeft + r.inputWidth;
      if (from > wanted) from = wanted;
      if (to > wanted) to = wanted;
      sums.skip(from);
      for (int64_t x = from; x < to; x += 16) {
        // The last run overlaps the run before it, and adds only the columns that the run before it has not added.
        PixelRun run{y, x, 0, 16};
        if (x + 16 > to && to - from >= 16) run = {y, to - 16, x - (to - 16), 16};
        else if (x + 16 > to) run.last = to - x;
        reader.read(run, 0);
        run.y = y + 1;
        if (lines > 1) reader.read(run, 1);
        for (const ConvolutionBlock &block : r.phase->blocks) {
          const bool isWide = block.vectors == 2;
          if (lines > 1)
            isWide ? compute<2, 2>(block) : compute<2, 1>(block);
          else
            isWide ? compute<1, 2>(block) : compute<1, 1>(block);
        }
        sums.add(run.first, run.last);
      }
      sums.rest();
      sums.skip(wanted - (to > from ? to : from));
      for (int line = 0; line < lines; ++line) {
        Destination *target = reinterpret_cast<Destination *>(r.destination)
            + (y + line) * r.destinationRowStep;
        const Destination *residual = r.residual
            ? reinterpret_cast<const Destination *>(r.residual) + (y + line) * r.residualRowStep
            : nullptr;
        finishLine<Destination>(*r.finish, r.line + line * r.lineStride, r.phase->columns, target,
            residual, r.pixelStep);
      }
    }
  }

 private:
  template <int R, int V>
  void compute(const ConvolutionBlock &block) {
    const TileOperand *const operands[2] = {reader.operandsOf(0), reader.operandsOf(R - 1)};
    addProducts<R, V, 1>(unit, operands, reader.operandCount(), reader.groupOffsets(), reader.groupCount,
        reader.chunks, r.weights + block.weights, sums, shareOf(16, reader.steps()));
    sums.rest();
    storeSums<R, V>(unit, products + block.channel, vectors * 16);
  }

  const TileRows &r;
  TileReader reader;
  int vectors;
  alignas(64) float products[2 * 16 * 64];
  SlidingSums<O> sums;
  Unit unit;
};

template <typename Unit, int O>
static void tileColumnsOf(const TileRows &rows) {
  if (rows.destinationType == CK_BF16)
    TileColumnsRun<Unit, O, BFloat16>(rows).run();
  else
    TileColumnsRun<Unit, O, float>(rows).run();
}

template <typename Unit>
static void tileColumns(const TileRows &rows) {
  switch (rows.finish->channels) {
    case 1: return tileColumnsOf<Unit, 1>(rows);
    case 2: return tileColumnsOf<Unit, 2>(rows);
    case 3: return tileColumnsOf<Unit, 3>(rows);
    case 4: return tileColumnsOf<Unit, 4>(rows);
    case 6: return tileColumnsOf<Unit, 6>(rows);
    default: return tileColumnsOf<Unit, 8>(rows);
  }
}
