// Included once per instruction set, after Convolution.inl.hpp.

// MARK: One-dimensional transforms
//
// Four results are interpolated at 0, ±p, ±q and infinity. Rounding depends on the points: 5/8 and 3/2
// make less than half the error of the customary 1 and 2 (in bfloat16 0.9 % of the results and 2.1 %).
// Sources: Lavin and Gray, arXiv:1509.09308; on points, Barabasz et al., arXiv:1803.10986.

constexpr float kP = 0.625f, kQ = 1.5f, kA = kP * kP, kB = kQ * kQ;
constexpr float kNear = 1 / (2 * kA * (kA - kB)), kFar = 1 / (2 * kB * (kB - kA));

/// `Bᵀ d` of four values for two results, and of six for four.
template <int M>
CK_INLINE void transformInput(const Vector *d, Vector *t, int64_t step) {
  if constexpr (M == 2) {
    t[0] = d[0] - d[2 * step];
    t[1] = d[step] + d[2 * step];
    t[2] = d[2 * step] - d[step];
    t[3] = d[step] - d[3 * step];
  } else {
    const Vector d1 = d[step], d2 = d[2 * step], d3 = d[3 * step], d4 = d[4 * step];
    const Vector product = splat(kA * kB), sum = splat(-kA - kB);
    const Vector even = multiplyAdd(splat(-kB), d2, d4), evens = multiplyAdd(splat(-kA), d2, d4);
    const Vector odd = splat(kP) * multiplyAdd(splat(-kB), d1, d3);
    const Vector odds = splat(kQ) * multiplyAdd(splat(-kA), d1, d3);
    t[0] = multiplyAdd(product, d[0], multiplyAdd(sum, d2, d4));
    t[1] = even + odd;
    t[2] = even - odd;
    t[3] = evens + odds;
    t[4] = evens - odds;
    t[5] = multiplyAdd(product, d1, multiplyAdd(sum, d3, d[5 * step]));
  }
}

/// `Aᵀ m`: two results of four values, or four of six.
template <int M>
CK_INLINE void transformOutput(const Vector *m, Vector *y, int64_t step) {
  if constexpr (M == 2) {
    y[0] = m[0] + m[step] + m[2 * step];
    y[1] = m[step] - m[2 * step] - m[3 * step];
  } else {
    const Vector a = m[step] + m[2 * step], b = m[step] - m[2 * step];
    const Vector c = m[3 * step] + m[4 * step], d = m[3 * step] - m[4 * step];
    y[0] = m[0] + a + c;
    y[1] = multiplyAdd(splat(kP), b, splat(kQ) * d);
    y[2] = multiplyAdd(splat(kA), a, splat(kB) * c);
    y[3] = multiplyAdd(splat(kA * kP), b, multiplyAdd(splat(kB * kQ), d, m[5 * step]));
  }
}

/// `G g`: four or six values of the three of a kernel.
template <int M>
CK_INLINE void transformKernel(const Vector *g, Vector *u, int64_t step) {
  const Vector g0 = g[0], g1 = g[step], g2 = g[2 * step];
  if constexpr (M == 2) {
    const Vector sum = g0 + g2, half = splat(0.5f);
    u[0] = g0;
    u[1] = half * (sum + g1);
    u[2] = half * (sum - g1);
    u[3] = g2;
  } else {
    const Vector near = splat(kNear) * multiplyAdd(splat(kA), g2, g0);
    const Vector far = splat(kFar) * multiplyAdd(splat(kB), g2, g0);
    const Vector middle = splat(kNear * kP) * g1, outer = splat(kFar * kQ) * g1;
    u[0] = splat(1 / (kA * kB)) * g0;
    u[1] = near + middle;
    u[2] = near - middle;
    u[3] = far + outer;
    u[4] = far - outer;
    u[5] = g2;
  }
}

/// `A y`: four values of two, or six of four; what `transformOutput` does, backwards.
template <int M>
CK_INLINE void transformDelta(const Vector *y, Vector *m, int64_t step) {
  if constexpr (M == 2) {
    m[0] = y[0];
    m[1] = y[0] + y[step];
    m[2] = y[0] - y[step];
    m[3] = -y[step];
  } else {
    const Vector y0 = y[0], y1 = y[step], y2 = y[2 * step], y3 = y[3 * step];
    const Vector even = multiplyAdd(splat(kA), y2, y0), evens = multiplyAdd(splat(kB), y2, y0);
    const Vector odd = splat(kP) * multiplyAdd(splat(kA), y3, y1);
    const Vector odds = splat(kQ) * multiplyAdd(splat(kB), y3, y1);
    m[0] = y0;
    m[1] = even + odd;
    m[2] = even - odd;
    m[3] = evens + odds;
    m[4] = evens - odds;
    m[5] = y3;
  }
}

/// `Gᵀ u`: three values of four or six; what `transformKernel` does, backwards.
template <int M>
CK_INLINE void transformKernelBack(const Vector *u, Vector *g, int64_t step) {
  if constexpr (M == 2) {
    const Vector sum = splat(0.5f) * (u[step] + u[2 * step]);
    g[0] = u[0] + sum;
    g[1] = splat(0.5f) * (u[step] - u[2 * step]);
    g[2] = sum + u[3 * step];
  } else {
    const Vector near = splat(kNear) * (u[step] + u[2 * step]);
    const Vector far = splat(kFar) * (u[3 * step] + u[4 * step]);
    g[0] = multiplyAdd(splat(1 / (kA * kB)), u[0], near + far);
    g[1] = multiplyAdd(splat(kNear * kP), u[step] - u[2 * step],
        splat(kFar * kQ) * (u[3 * step] - u[4 * step]));
    g[2] = multiplyAdd(splat(kA), near, multiplyAdd(splat(kB), far, u[5 * step]));
  }
}

// MARK: Squares
//
// How a square of results is computed along one axis: how many results it has, how many products they take, which
// of the transformed values and of the transformed weights each product takes, how many values of the picture are
// seen, and how far the next square's lie from them.

template <Squares S>
struct Lengths {
  /// Whether products are made in float32 whatever the picture's type.
  static constexpr bool isFloat = S == Squares::six;
  static constexpr int windows = lengthsOf(S).window, kernels = lengthsOf(S).kernel;
  static constexpr int products = lengthsOf(S).products;
};

/// F(M, 3) of a picture as it is, where M is 2 or 4.
template <int M>
struct PlainSquare : Lengths<M == 2 ? Squares::two : Squares::four> {
  static constexpr int results = M, seen = M + 2, step = M;
  static constexpr int window(int product) { return product; }
  static constexpr int kernel(int product) { return product; }

  CK_INLINE void input(const Vector *d, Vector *t, int64_t stride) {
    transformInput<M>(d, t, stride);
  }
  CK_INLINE void weights(const Vector *g, Vector *u, int64_t stride) {
    transformKernel<M>(g, u, stride);
  }
  CK_INLINE void output(const Vector *m, Vector *y, int64_t stride) {
    transformOutput<M>(m, y, stride);
  }
};

/// F(6, 3) of a picture as it is, at 0, ±1/2, ±1, ±2 and infinity: 64 products for 36 results. It makes five times the
/// rounding of squares of four, 5 · 10⁻⁶ of the results, so it is for results that are rounded to bfloat16 anyway.
struct SixSquare : Lengths<Squares::six> {
  static constexpr int results = 6, seen = 8, step = 6;
  static constexpr int window(int product) { return product; }
  static constexpr int kernel(int product) { return product; }

  CK_INLINE void input(const Vector *d, Vector *t, int64_t stride) {
    const Vector d1 = d[stride], d2 = d[2 * stride], d3 = d[3 * stride], d4 = d[4 * stride];
    const Vector d5 = d[5 * stride], d6 = d[6 * stride];
    const Vector ends = splat(5.25f);
    t[0] = multiplyAdd(ends, d4 - d2, d[0] - d6);
    // For each pair ±p the even and the odd part of the polynomial of the other points, times x ± p.
    pair(d2, d4, d6, d1, d3, d5, 4.0f, 5.0f, 0.5f, t + 1);
    pair(d2, d4, d6, d1, d3, d5, 1.0f, 4.25f, 1.0f, t + 3);
    pair(d2, d4, d6, d1, d3, d5, 0.25f, 1.25f, 2.0f, t + 5);
    t[7] = multiplyAdd(ends, d3 - d5, d[7 * stride] - d1);
  }
  CK_INLINE void weights(const Vector *g, Vector *u, int64_t stride) {
    const Vector g0 = g[0], g1 = g[stride], g2 = g[2 * stride];
    u[0] = g0;
    points(g0, g1, g2, 0.5f, 1 / 1.40625f, u + 1);
    points(g0, g1, g2, 1.0f, -1 / 4.5f, u + 3);
    points(g0, g1, g2, 2.0f, 1 / 90.0f, u + 5);
    u[7] = g2;
  }
  CK_INLINE void output(const Vector *m, Vector *y, int64_t stride) {
    const Vector a = m[stride] + m[2 * stride], b = m[stride] - m[2 * stride];
    const Vector c = m[3 * stride] + m[4 * stride], d = m[3 * stride] - m[4 * stride];
    const Vector e = m[5 * stride] + m[6 * stride], f = m[5 * stride] - m[6 * stride];
    y[0] = m[0] + (a + c + e);
    y[1] = multiplyAdd(splat(0.5f), b, multiplyAdd(splat(2.0f), f, d));
    y[2] = multiplyAdd(splat(0.25f), a, multiplyAdd(splat(4.0f), e, c));
    y[3] = multiplyAdd(splat(0.125f), b, multiplyAdd(splat(8.0f), f, d));
    y[4] = multiplyAdd(splat(0.0625f), a, multiplyAdd(splat(16.0f), e, c));
    y[5] = multiplyAdd(splat(0.03125f), b, multiplyAdd(splat(32.0f), f, d)) + m[7 * stride];
  }

 private:
  CK_INLINE void pair(
      Vector d2, Vector d4, Vector d6, Vector d1, Vector d3, Vector d5, float product, float sum,
      float point, Vector *t) {
    const Vector even = multiplyAdd(splat(product), d2, multiplyAdd(splat(-sum), d4, d6));
    const Vector odd =
        splat(point) * multiplyAdd(splat(product), d1, multiplyAdd(splat(-sum), d3, d5));
    t[0] = even + odd;
    t[1] = even - odd;
  }
  CK_INLINE void points(
      Vector g0, Vector g1, Vector g2, float point, float factor, Vector *u) {
    const Vector even = splat(factor) * multiplyAdd(splat(point * point), g2, g0);
    const Vector odd = splat(factor * point) * g1;
    u[0] = even + odd;
    u[1] = even - odd;
  }
};

/// Four values `a b c d`, for points of which ±1 is one pair.
CK_INLINE void transformByOnes(const Vector *d, Vector *t, int64_t step) {
  t[0] = d[0] - d[2 * step];
  t[1] = d[step] + d[2 * step];
  t[2] = d[2 * step] - d[step];
  t[3] = d[3 * step] - d[step];
}

/// Four results of a picture whose pixels are repeated: they see the pixels a b b c c d. F(4, 3) at 0, ±1, ±i and
/// infinity, where -1 gives nothing, as the repeated pixels cancel, and ±i share the value that they read:
///
///     g₀ a + (g₁ + g₂) b = (a - c) g₀ + (b + c) s + (c - b) (g₀ - s)
///     (g₀ + g₁) b + g₂ c =              (b + c) s + (c - b) (g₂ - s)
///     g₀ b + (g₁ + g₂) c =              (b + c) s - (c - b) (g₀ - s)
///     (g₀ + g₁) c + g₂ d = (d - b) g₂ + (b + c) s - (c - b) (g₂ - s),    2 s = g₀ + g₁ + g₂
///
/// Five products instead of twelve, and only sums: it rounds as squares of two do.
struct RepeatedSquare : Lengths<Squares::fourRepeated> {
  static constexpr int results = 4, seen = 4, step = 2;
  static constexpr int window(int product) { return product > 2 ? product - 1 : product; }
  static constexpr int kernel(int product) { return product; }

  CK_INLINE void input(const Vector *d, Vector *t, int64_t stride) {
    transformByOnes(d, t, stride);
  }
  CK_INLINE void weights(const Vector *g, Vector *u, int64_t stride) {
    const Vector half = splat(0.5f) * (g[0] + g[stride] + g[2 * stride]);
    u[0] = g[0];
    u[1] = half;
    u[2] = g[0] - half;
    u[3] = g[2 * stride] - half;
    u[4] = g[2 * stride];
  }
  CK_INLINE void output(const Vector *m, Vector *y, int64_t stride) {
    const Vector sum = m[stride];
    y[0] = m[0] + (sum + m[2 * stride]);
    y[1] = sum + m[3 * stride];
    y[2] = sum - m[2 * stride];
    y[3] = m[4 * stride] + (sum - m[3 * stride]);
  }
};

/// Three results of windows that move by two pixels, and see the pixels a p b q c r d: F(3, 2) at 0, ±1 and
/// infinity for the pixels that stand at even places, and plain products for those between them.
///
///     g₀ a + g₁ p + g₂ b = (a - c) g₀ + (b + c) s + (c - b) t + g₁ p
///     g₀ b + g₁ q + g₂ c =              (b + c) s - (c - b) t + g₁ q,    2 s = g₀ + g₂
///     g₀ c + g₁ r + g₂ d = (d - b) g₂ + (b + c) s + (c - b) t + g₁ r,    2 t = g₀ - g₂
///
/// Seven products instead of nine, and only sums: it rounds as squares of two do.
struct StridedSquare : Lengths<Squares::threeStrided> {
  static constexpr int results = 3, seen = 7, step = 6;
  static constexpr int window(int product) { return product; }
  static constexpr int kernel(int product) { return product > 4 ? 4 : product; }

  CK_INLINE void input(const Vector *d, Vector *t, int64_t stride) {
    transformByOnes(d, t, 2 * stride);
    for (int i = 0; i < 3; ++i) t[4 + i] = d[(2 * i + 1) * stride];
  }
  CK_INLINE void weights(const Vector *g, Vector *u, int64_t stride) {
    const Vector half = splat(0.5f);
    u[0] = g[0];
    u[1] = half * (g[0] + g[2 * stride]);
    u[2] = half * (g[0] - g[2 * stride]);
    u[3] = g[2 * stride];
    u[4] = g[stride];
  }
  CK_INLINE void output(const Vector *m, Vector *y, int64_t stride) {
    const Vector sum = m[stride] + m[2 * stride];
    y[0] = (m[0] + sum) + m[4 * stride];
    y[1] = (m[stride] - m[2 * stride]) + m[5 * stride];
    y[2] = (m[3 * stride] + sum) + m[6 * stride];
  }
};

// MARK: Tiles

/// How many squares before they are needed pixels are fetched: processors do not see so many rows of lines that lie
/// a pixel apart coming.
constexpr int64_t kSquaresAhead = 2;

/// Transforms the windows of some tiles of one row.
template <typename Square, Read R, typename Element, typename Window>
static void transformTiles(
    const WinogradBlock &block, const Reading &reading, const Element *source, int64_t tileY,
    int64_t tileX, int64_t tiles, Window *windows) {
  constexpr int S = Square::seen, N = Square::windows, step = Square::step, shared = S - step;
  const int64_t channels = block.inputChannels, y = tileY * step - block.padTop;
  const int64_t x = tileX * step - block.padLeft, plane = block.windowPlane;
  const Element *rows[S];
  for (int i = 0; i < S; ++i)
    rows[i] = y + i < 0 || y + i >= block.inputHeight ? nullptr
                                                      : source + (y + i) * block.sourceRowStride;
  for (int64_t c = 0; c < channels; c += 16) {
    const ChannelNorm norm = channelNorm<R>(reading, channels, c);
    // Transformed columns: neighbouring tiles share some.
    Vector columns[S * N];
    auto column = [&](int64_t at, Vector *to) {
      Vector values[S];
      const bool isInside = at >= 0 && at < block.inputWidth;
      const int64_t ahead = at + kSquaresAhead * step;
      if (ahead >= 0 && ahead < block.inputWidth)
        for (int i = 0; i < S; ++i)
          if (rows[i]) __builtin_prefetch(rows[i] + ahead * channels + c);
      for (int i = 0; i < S; ++i)
        values[i] = isInside && rows[i]
            ? readThrough<R>(norm, load(rows[i] + at * channels + c))
            : splat(0.0f);
      Square::input(values, to, 1);
    };
    for (int j = 0; j < shared; ++j) column(x + j, columns + j * N);
    for (int64_t tile = 0; tile < tiles; ++tile) {
#pragma clang loop unroll(full)
      for (int j = shared; j < S; ++j) column(x + tile * step + j, columns + j * N);
      Window *to = windows + tile * channels + c;
#pragma clang loop unroll(full)
      for (int i = 0; i < N; ++i) {
        Vector row[N];
        Square::input(columns + i, row, N);
#pragma clang loop unroll(full)
        for (int j = 0; j < N; ++j) store(to + (i * N + j) * plane, row[j]);
      }
#pragma clang loop unroll(full)
      for (int i = 0; i < shared * N; ++i) columns[i] = columns[i + step * N];
    }
  }
}

/// Brings the products of some tiles of one row back, and finishes the pixels.
template <typename Square, typename Destination>
static void finishTiles(
    const WinogradBlock &block, const ConvolutionBlock &outputs, int64_t picture, int64_t tileY,
    int64_t tileX, int64_t tiles, int64_t place) {
  constexpr int M = Square::results, N = Square::products;
  constexpr int64_t most = kWinogradLine / M;
  const int64_t lanes = outputs.vectors * 16, plane = block.productPlane;
  for (int64_t first = 0; first < tiles; first += most) {
    const int64_t count = tiles - first < most ? tiles - first : most;
    const float *products = block.products + (place + first) * lanes;
    for (int64_t tile = 0; tile < count; ++tile) {
      for (int n = 0; n < outputs.vectors; ++n) {
        const float *from = products + tile * lanes + n * 16;
        Vector columns[N * M];
#pragma clang loop unroll(full)
        for (int j = 0; j < N; ++j) {
          Vector values[N];
#pragma clang loop unroll(full)
          for (int i = 0; i < N; ++i) values[i] = load(from + (i * N + j) * plane);
          Square::output(values, columns + j * M, 1);
        }
#pragma clang loop unroll(full)
        for (int i = 0; i < M; ++i) {
          Vector row[M];
          Square::output(columns + i, row, M);
          float *to = block.line + (i * kWinogradLine + tile * M) * lanes + n * 16;
#pragma clang loop unroll(full)
          for (int j = 0; j < M; ++j) store(to + j * lanes, row[j]);
        }
      }
    }
    const int64_t x = (tileX + first) * M, y = tileY * M;
    const int64_t columns = block.outputWidth - x < count * M ? block.outputWidth - x : count * M;
    const int64_t rows = block.outputHeight - y < M ? block.outputHeight - y : M;
    for (int64_t i = 0; i < rows; ++i) {
      const int64_t channels = block.finish->channels;
      Destination *destination = static_cast<Destination *>(block.destination)
          + picture * block.destinationBatchStride + (y + i) * block.destinationRowStride
          + x * channels;
      const Destination *residual = block.residual
          ? static_cast<const Destination *>(block.residual)
              + picture * block.residualBatchStride + (y + i) * block.residualRowStride
              + x * channels
          : nullptr;
      finishTile<Destination>(*block.finish, block.line + i * kWinogradLine * lanes,
          outputs.vectors, 0, columns, outputs.channel, destination, residual, channels);
    }
  }
}

/// Calls with each stretch of the block's tiles that lies in one row: picture, tile row, tile column,
/// count and place in the block.
template <typename Block, typename Body>
CK_INLINE void forStretches(const Block &block, Body body) {
  for (int64_t tile = block.firstTile; tile < block.endTile;) {
    const int64_t x = tile % block.tilesX, row = tile / block.tilesX;
    const int64_t left = block.tilesX - x, rest = block.endTile - tile;
    const int64_t count = left < rest ? left : rest;
    body(row / block.tilesY, row % block.tilesY, x, count, tile - block.firstTile);
    tile += count;
  }
}

template <typename Square, typename Element, typename Destination>
static void runWinograd(const WinogradBlock &block) {
  using Window = std::conditional_t<Square::isFloat, float, Product<Element>>;
  constexpr int N = Square::products;
  const int64_t channels = block.inputChannels, tiles = block.endTile - block.firstTile;
  Window *windows = static_cast<Window *>(block.windows);
  if (block.makesWindows)
    forStretches(block, [&](int64_t picture, int64_t y, int64_t x, int64_t count, int64_t place) {
      const Element *source =
          static_cast<const Element *>(block.source) + picture * block.sourceBatchStride;
      const Reading reading = block.reading.of(picture, channels);
      Window *to = windows + place * channels;
      switch (kindOf(reading)) {
        case Read::plain:
          return transformTiles<Square, Read::plain>(block, reading, source, y, x, count, to);
        case Read::norm:
          return transformTiles<Square, Read::norm>(block, reading, source, y, x, count, to);
        case Read::normRelu:
          return transformTiles<Square, Read::normRelu>(block, reading, source, y, x, count, to);
      }
    });
  for (size_t index = block.firstBlock; index < block.endBlock; ++index) {
    const ConvolutionBlock &outputs = (*block.blocks)[index];
    const int64_t lanes = outputs.vectors * 16, pixels = block.pixels[outputs.vectors];
    for (int position = 0; position < N * N; ++position) {
      const int64_t window =
          Square::window(position / N) * Square::windows + Square::window(position % N);
      const int64_t kernel =
          Square::kernel(position / N) * Square::kernels + Square::kernel(position % N);
      const Window *weights = static_cast<const Window *>(block.weights) + outputs.weights
          + kernel * outputs.tapSize;
      for (int64_t tile = 0; tile < tiles; tile += pixels) {
        const Window *rows = windows + window * block.windowPlane + tile * channels;
        multiplyTileOf<Window>(outputs.vectors, &rows, &weights, 1, channels, channels,
            block.products + position * block.productPlane + tile * lanes);
      }
    }
    forStretches(block, [&](int64_t picture, int64_t y, int64_t x, int64_t count, int64_t place) {
      finishTiles<Square, Destination>(block, outputs, picture, y, x, count, place);
    });
  }
}

template <typename Square>
static void runWinogradTypes(const WinogradBlock &block) {
  const bool brainDestination = block.destinationType == CK_BF16;
  if (block.sourceType == CK_BF16)
    return brainDestination ? runWinograd<Square, Brain, Brain>(block)
                            : runWinograd<Square, Brain, float>(block);
  return brainDestination ? runWinograd<Square, float, Brain>(block)
                          : runWinograd<Square, float, float>(block);
}

static void winogradBlock(const WinogradBlock &block) {
  switch (block.squares) {
    case Squares::two: return runWinogradTypes<PlainSquare<2>>(block);
    case Squares::four: return runWinogradTypes<PlainSquare<4>>(block);
    case Squares::six: return runWinogradTypes<SixSquare>(block);
    case Squares::fourRepeated: return runWinogradTypes<RepeatedSquare>(block);
    case Squares::threeStrided: return runWinogradTypes<StridedSquare>(block);
  }
}

// MARK: Weights

/// Transforms the kernels of one input channel, or of a pair of them, for 16 outputs.
template <typename Square>
static void transformKernels(const WinogradKernels &kernels) {
  constexpr int N = Square::kernels;
  Vector given[9], half[3 * N], made[2][N * N];
  const int pair = kernels.type == CK_BF16 ? 2 : 1;
  for (int p = 0; p < pair; ++p) {
    const float *from = kernels.source + p * kernels.inputStride;
    for (int k = 0; k < 9; ++k)
      for (int lane = 0; lane < 16; ++lane)
        given[k][lane] =
            lane < kernels.count ? from[lane * kernels.outputStride + (kernels.isMirrored ? 8 - k : k)]
                                 : 0.0f;
    for (int x = 0; x < 3; ++x) Square::weights(given + x, half + x * N, 3);
    // `half` holds, for each kernel column, N rows.
    for (int i = 0; i < N; ++i) Square::weights(half + i, made[p] + i * N, N);
  }
  for (int i = 0; i < N * N; ++i) {
    if (pair == 1) {
      store(static_cast<float *>(kernels.destination) + i * kernels.positionStride, made[0][i]);
      continue;
    }
    const Bits low = __builtin_convertvector(narrowBrain(made[0][i]), Bits);
    const Bits high = __builtin_convertvector(narrowBrain(made[1][i]), Bits);
    *reinterpret_cast<LooseBits *>(
        static_cast<Brain *>(kernels.destination) + i * kernels.positionStride) = low | high << 16;
  }
}

static void winogradKernels(const WinogradKernels &kernels) {
  switch (kernels.squares) {
    case Squares::two: return transformKernels<PlainSquare<2>>(kernels);
    case Squares::four: return transformKernels<PlainSquare<4>>(kernels);
    case Squares::six: return transformKernels<SixSquare>(kernels);
    case Squares::fourRepeated: return transformKernels<RepeatedSquare>(kernels);
    case Squares::threeStrided: return transformKernels<StridedSquare>(kernels);
  }
}

// MARK: The gradient of the weights

/// Sixteen values of one input channel, or of a pair of tiles' for bfloat16, where products want them.
CK_INLINE void storeSlot(float *to, const Vector *first, const Vector *) { store(to, *first); }
CK_INLINE void storeSlot(Brain *to, const Vector *first, const Vector *second) {
  const Bits low = __builtin_convertvector(narrowBrain(*first), Bits);
  const Bits high = __builtin_convertvector(narrowBrain(*second), Bits);
  *reinterpret_cast<LooseBits *>(to) = low | high << 16;
}

/// Transforms some tiles of one row of a picture, `S` pixels wide and high: windows of the convolution's
/// input, or its results' gradients.
template <int M, int S, typename Element>
static void transformSlots(
    const WinogradPicture &picture, const Element *source, int64_t y, int64_t x, int64_t tiles,
    Element *to, int64_t plane) {
  constexpr int N = M + 2;
  constexpr int64_t pair = 4 / sizeof(Element);
  const int64_t channels = picture.channels;
  for (int64_t tile = 0; tile < tiles; tile += pair) {
    for (int64_t c = 0; c < channels; c += 16) {
      Vector made[2][N * N] = {};
      for (int64_t p = 0; p < pair && tile + p < tiles; ++p) {
        Vector columns[N * S];
#pragma clang loop unroll(full)
        for (int j = 0; j < S; ++j) {
          const int64_t column = x + (tile + p) * M + j;
          const bool isInside = column >= 0 && column < picture.width;
          Vector values[S];
#pragma clang loop unroll(full)
          for (int i = 0; i < S; ++i)
            values[i] = isInside && y + i >= 0 && y + i < picture.height
                ? load(source + ((y + i) * picture.width + column) * channels + c)
                : splat(0.0f);
          if constexpr (S == N) transformInput<M>(values, columns + j * N, 1);
          else transformDelta<M>(values, columns + j * N, 1);
        }
#pragma clang loop unroll(full)
        for (int i = 0; i < N; ++i) {
          if constexpr (S == N) transformInput<M>(columns + i, made[p] + i * N, N);
          else transformDelta<M>(columns + i, made[p] + i * N, N);
        }
      }
      Element *slot = to + (tile / pair * channels + c) * pair;
      for (int i = 0; i < N * N; ++i) storeSlot(slot + i * plane, made[0] + i, made[1] + i);
    }
  }
}

/// `sums[c, lane] += Σ windows[slot, c] · deltas[slot, lane]` for all input channels.
template <int NB, typename Element>
static void addSlots(
    const Element *windows, const Element *deltas, int64_t slots, int64_t inputs, int64_t outputs,
    float *sums) {
  constexpr int64_t pair = 4 / sizeof(Element);
  constexpr int P = 4;
  for (int64_t c = 0; c < inputs; c += P) {
    Vector total[P][NB];
    float *at = sums + c * NB * 16;
    for (int p = 0; p < P; ++p)
      for (int n = 0; n < NB; ++n) total[p][n] = load(at + (p * NB + n) * 16);
    const Element *window = windows + c * pair;
    const Element *delta = deltas;
#pragma clang loop unroll(disable)
    for (int64_t slot = 0; slot < slots; ++slot) {
      Vector b[NB];
#pragma clang loop unroll(full)
      for (int n = 0; n < NB; ++n)
        b[n] = load(reinterpret_cast<const float *>(delta + n * 16 * pair));
#pragma clang loop unroll(full)
      for (int p = 0; p < P; ++p) {
        const auto x = operandAt(window + p * pair);
#pragma clang loop unroll(full)
        for (int n = 0; n < NB; ++n) total[p][n] = multiplyOperand(total[p][n], b[n], x);
      }
      window += inputs * pair;
      delta += outputs * pair;
    }
    for (int p = 0; p < P; ++p)
      for (int n = 0; n < NB; ++n) store(at + (p * NB + n) * 16, total[p][n]);
  }
}

template <int M, typename Element>
static void sumTiles(const WinogradGradientBlock &block) {
  constexpr int N = M + 2;
  constexpr int64_t pair = 4 / sizeof(Element);
  const int64_t inputs = block.large.channels, outputs = block.small.channels;
  const int64_t windowPlane = block.slotStride * inputs * pair;
  const int64_t deltaPlane = block.slotStride * outputs * pair;
  Element *windows = static_cast<Element *>(block.windows);
  Element *deltas = static_cast<Element *>(block.deltas);
  int64_t slots = 0;
  forStretches(block, [&](int64_t picture, int64_t y, int64_t x, int64_t count, int64_t) {
    const Element *large = static_cast<const Element *>(block.large.source)
        + picture * block.large.width * block.large.height * inputs;
    const Element *small = static_cast<const Element *>(block.small.source)
        + picture * block.small.width * block.small.height * outputs;
    transformSlots<M, N>(block.large, large, y * M - block.padTop, x * M - block.padLeft, count,
        windows + slots * inputs * pair, windowPlane);
    transformSlots<M, M>(
        block.small, small, y * M, x * M, count, deltas + slots * outputs * pair, deltaPlane);
    slots += (count + pair - 1) / pair;
  });
  for (int64_t position = 0; position < N * N; ++position) {
    const Element *window = windows + position * windowPlane;
    for (const ConvolutionBlock &lanes : *block.blocks) {
      const Element *delta = deltas + position * deltaPlane + lanes.channel * pair;
      float *sums = block.sums + position * inputs * outputs + lanes.channel * inputs;
      switch (lanes.vectors) {
        case 1: addSlots<1>(window, delta, slots, inputs, outputs, sums); break;
#if CK_LEVEL >= 2
        case 2: addSlots<2>(window, delta, slots, inputs, outputs, sums); break;
        case 3: addSlots<3>(window, delta, slots, inputs, outputs, sums); break;
        default: addSlots<4>(window, delta, slots, inputs, outputs, sums); break;
#endif
      }
    }
  }
}

/// Adds the threads' sums for one input channel and brings them back to kernels.
template <int M>
static void finishKernels(const WinogradGradientSums &block) {
  constexpr int N = M + 2;
  const int64_t inputs = block.inputs, outputs = block.outputs;
  for (const ConvolutionBlock &lanes : *block.blocks)
    for (int n = 0; n < lanes.vectors; ++n) {
      Vector sums[N * N], half[3 * N], kernel[9];
      for (int i = 0; i < N * N; ++i) {
        const int64_t at = i * inputs * outputs + lanes.channel * inputs
            + block.input * lanes.vectors * 16 + n * 16;
        sums[i] = load(block.sums[0] + at);
        for (int64_t part = 1; part < block.parts; ++part) sums[i] += load(block.sums[part] + at);
      }
      for (int j = 0; j < N; ++j) transformKernelBack<M>(sums + j, half + j * 3, N);
      // `half` holds, for each column, three rows.
      for (int y = 0; y < 3; ++y) transformKernelBack<M>(half + y, kernel + y * 3, 3);
      float *to = block.destination + ((lanes.channel + n * 16) * inputs + block.input) * 9;
      for (int lane = 0; lane < 16; ++lane)
        for (int k = 0; k < 9; ++k) to[lane * inputs * 9 + k] = kernel[k][lane];
    }
}

static void winogradGradient(const WinogradGradientBlock &block) {
  const bool isBrain = block.type == CK_BF16;
  if (block.tile == 2)
    return isBrain ? sumTiles<2, Brain>(block) : sumTiles<2, float>(block);
  return isBrain ? sumTiles<4, Brain>(block) : sumTiles<4, float>(block);
}

static void winogradGradientSums(const WinogradGradientSums &block) {
  block.tile == 2 ? finishKernels<2>(block) : finishKernels<4>(block);
}
