// Included once per instruction set, after Convolution.inl.hpp.

// MARK: Transforms of F(3, 3), interpolated at 0, ±3/4, 2 and infinity; see WideWinograd.hpp

/// `Bᵀ d`: five values of five.
CK_INLINE void transformWide(const Vector *d, Vector *t) {
  const Vector square = splat(-0.5625f), two = splat(-2.0f), point = splat(0.75f);
  const Vector odd = multiplyAdd(square, d[1], d[3]), even = multiplyAdd(square, d[0], d[2]);
  const Vector far = multiplyAdd(two, d[2], d[3]), near = multiplyAdd(two, d[1], d[2]);
  t[0] = multiplyAdd(two, even, odd);
  t[1] = multiplyAdd(point, near, far);
  t[2] = multiplyAdd(-point, near, far);
  t[3] = odd;
  t[4] = multiplyAdd(two, odd, multiplyAdd(square, d[2], d[4]));
}

/// `Aᵀ m`: three results of five values.
CK_INLINE void finishWide(
    Vector m0, Vector m1, Vector m2, Vector m3, Vector m4, Vector *y, int step) {
  const Vector sum = m1 + m2, difference = m1 - m2;
  y[0] = m0 + sum + m3;
  y[step] = multiplyAdd(splat(0.75f), difference, m3 + m3);
  y[2 * step] = multiplyAdd(splat(0.5625f), sum, multiplyAdd(splat(4.0f), m3, m4));
}

/// Rows become columns.
CK_INLINE void turn(Vector *v) {
#pragma clang loop unroll(full)
  for (int i = 0; i < 8; ++i) {
    const Vector a = v[i], b = v[i + 8];
    v[i] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
    v[i + 8] =
        __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < 16; ++i) {
    if (i & 4) continue;
    const Vector a = v[i], b = v[i + 4];
    v[i] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27);
    v[i + 4] =
        __builtin_shufflevector(a, b, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < 16; ++i) {
    if (i & 2) continue;
    const Vector a = v[i], b = v[i + 2];
    v[i] = __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
    v[i + 2] =
        __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < 16; i += 2) {
    const Vector a = v[i], b = v[i + 1];
    v[i] = __builtin_shufflevector(a, b, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30);
    v[i + 1] =
        __builtin_shufflevector(a, b, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31);
  }
}

// MARK: Reading

/// The columns from `x` on of some squares at the picture's edge; zeros outside of it.
template <Read R, typename Element>
static void readWideTiles(
    const WideWinogradBlock &block, const Element *row, int64_t x, int64_t tiles, float *to) {
  const int64_t channels = block.inputChannels, stride = block.stride;
  const int64_t third = widePlane(channels * stride);
  for (int64_t column = 0; column < tiles * 3; ++column) {
    const bool isInside = x + column >= 0 && x + column < block.inputWidth;
    float *plane = to + column % 3 * third + column / 3;
    for (int64_t c = 0; c < channels; ++c)
      plane[c * stride] = isInside
          ? readThrough<R>(block.reading, channels, c, toFloat(row[(x + column) * channels + c]))
          : 0.0f;
  }
}

/// One row of the picture, its columns sorted by what is left of them modulo three: `[3, channels, stride]`, thirds
/// `widePlane` apart.
template <Read R, typename Element>
static void readWideRow(const WideWinogradBlock &block, int64_t y, float *to) {
  const int64_t channels = block.inputChannels, stride = block.stride;
  const int64_t third = widePlane(channels * stride);
  if (y < 0 || y >= block.inputHeight) {
    __builtin_memset(to, 0, sizeof(float) * size_t(3 * third));
    return;
  }
  const Element *row = static_cast<const Element *>(block.source) + y * block.sourceRowStride;
  const int64_t left = block.firstTileX * 3 - block.padLeft;
  int64_t tile = 0;
  for (; tile < block.vectors * 16; tile += 16) {
    const int64_t x = left + tile * 3;
    if (x < 0 || x + 48 > block.inputWidth) {
      readWideTiles<R>(block, row, x, 16, to + tile);
      continue;
    }
    for (int phase = 0; phase < 3; ++phase) {
      const Element *from = row + (x + phase) * channels;
      float *plane = to + phase * third + tile;
      if (channels % 16 == 0) {
        for (int64_t c = 0; c < channels; c += 16) {
          const ChannelNorm norm = channelNorm<R>(block.reading, channels, c);
          Vector values[16];
#pragma clang loop unroll(full)
          for (int i = 0; i < 16; ++i)
            values[i] = readThrough<R>(norm, load(from + i * 3 * channels + c));
          turn(values);
#pragma clang loop unroll(full)
          for (int i = 0; i < 16; ++i) store(plane + (c + i) * stride, values[i]);
        }
        continue;
      }
      for (int64_t c = 0; c < channels; ++c)
#pragma clang loop unroll(full)
        for (int i = 0; i < 16; ++i)
          plane[c * stride + i] = readThrough<R>(
              block.reading, channels, c, toFloat(from[i * 3 * channels + c]));
    }
  }
  readWideTiles<R>(block, row, left + tile * 3, block.blocksX, to + tile);
}

template <typename Element>
static void readWideRow(const WideWinogradBlock &block, int64_t y, float *to) {
  switch (kindOf(block.reading)) {
    case Read::plain: return readWideRow<Read::plain, Element>(block, y, to);
    case Read::norm: return readWideRow<Read::norm, Element>(block, y, to);
    case Read::normRelu: return readWideRow<Read::normRelu, Element>(block, y, to);
  }
}

/// Transforms 16 squares from `at` on in rows whose thirds lie `third` apart: gives five points at a time with the first
/// one's number.
template <typename Take>
CK_INLINE void transformWideSquares(
    const float *const *rows, int64_t third, int64_t at, Take take) {
  Vector columns[5][5];
#pragma clang loop unroll(full)
  for (int j = 0; j < 5; ++j) {
    // The fourth and fifth column of a square are the first two of the next one.
    const int64_t from = at + (j % 3) * third + j / 3;
    Vector values[5];
#pragma clang loop unroll(full)
    for (int i = 0; i < 5; ++i) values[i] = load(rows[i] + from);
    transformWide(values, columns[j]);
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < 5; ++i) {
    const Vector values[5] = {
        columns[0][i], columns[1][i], columns[2][i], columns[3][i], columns[4][i]};
    Vector made[5];
    transformWide(values, made);
    take(i * 5, made);
  }
}

/// The windows of one row of squares: `[point, channels, stride]`.
static void transformWideRow(
    const WideWinogradBlock &block, const float *const *rows, float *to) {
  const int64_t channels = block.inputChannels, stride = block.stride;
  const int64_t plane = widePlane(channels * stride);
  const int64_t vectors = block.vectors + (block.blocksX > 1 ? 1 : 0);
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t v = 0; v < vectors; ++v) {
      const int64_t at = c * stride + v * 16;
      transformWideSquares(rows, plane, at, [&](int point, const Vector *made) {
#pragma clang loop unroll(full)
        for (int j = 0; j < 5; ++j) store(to + (point + j) * plane + at, made[j]);
      });
    }
}

/// The same as pairs of integers, of two channels, or of the last one and of the square to the right: `[point, pairs,
/// stride]`. `scales` are what a point's windows are multiplied by.
static void transformWideRow(
    const WideWinogradBlock &block, const float *const *rows, const float *scales, int32_t *to) {
  const int64_t channels = block.inputChannels, stride = block.stride, pairs = (channels + 1) / 2;
  const int64_t third = widePlane(channels * stride), plane = widePlane(pairs * stride);
  const int64_t vectors = block.vectors + (block.blocksX > 1 ? 1 : 0);
  for (int64_t c = 0; c < channels; c += 2)
    for (int64_t v = 0; v < vectors; ++v) {
      const int64_t first = c * stride + v * 16;
      const int64_t second = c + 1 < channels ? first + stride : first + 1;
      int32_t *pair = to + c / 2 * stride + v * 16;
      transformWideSquares(rows, third, first, [&](int point, const Vector *made) {
#pragma clang loop unroll(full)
        for (int j = 0; j < 5; ++j)
          *reinterpret_cast<LooseBits *>(pair + (point + j) * plane) = __builtin_bit_cast(
              Bits, roundedIntegers(made[j] * splat(scales[point + j])));
      });
      transformWideSquares(rows, third, second, [&](int point, const Vector *made) {
#pragma clang loop unroll(full)
        for (int j = 0; j < 5; ++j) {
          LooseBits *at = reinterpret_cast<LooseBits *>(pair + (point + j) * plane);
          const Integers high = roundedIntegers(made[j] * splat(scales[point + j]));
          *at = (*at & 0xffffu) | __builtin_bit_cast(Bits, high) << 16;
        }
      });
    }
}

// MARK: Products

/// What the sums of a row of squares are held in: a register, so that with AVX2, which has sixteen, nothing else is
/// moved in and out of them.
#if CK_LEVEL == 1
typedef float WideLanes __attribute__((ext_vector_type(8)));

CK_INLINE WideLanes multiplyAdd(WideLanes a, WideLanes b, WideLanes c) {
  return __builtin_elementwise_fma(a, b, c);
}
#else
typedef Vector WideLanes;
#endif
typedef WideLanes LooseWideLanes __attribute__((aligned(4)));
constexpr int64_t kWideLanes = sizeof(WideLanes) / sizeof(float);

CK_INLINE WideLanes loadLanes(const float *from) {
  return *reinterpret_cast<const LooseWideLanes *>(from);
}

/// Keeps what is multiplied next where it is: the compiler would load all of it first, and spill sums.
CK_INLINE void holdInRegister(WideLanes &value) {
#if CK_LEVEL == 1
  __asm__ volatile("" : "+x"(value));
#else
  (void)value;
#endif
}

/// Adds the products of `N` weights and `T` registers of squares.
template <int N, int T>
CK_INLINE void addWide(const float *squares, const float *weights, WideLanes (&sums)[N][T]) {
  if constexpr (CK_LEVEL == 1 && N < T) {
    WideLanes kept[N];
#pragma clang loop unroll(full)
    for (int n = 0; n < N; ++n) kept[n] = (WideLanes)(weights[n]);
#pragma clang loop unroll(full)
    for (int t = 0; t < T; ++t) {
      WideLanes values = loadLanes(squares + t * kWideLanes);
      holdInRegister(values);
#pragma clang loop unroll(full)
      for (int n = 0; n < N; ++n) sums[n][t] = multiplyAdd(kept[n], values, sums[n][t]);
    }
  } else {
    WideLanes kept[T];
#pragma clang loop unroll(full)
    for (int t = 0; t < T; ++t) kept[t] = loadLanes(squares + t * kWideLanes);
#pragma clang loop unroll(full)
    for (int n = 0; n < N; ++n) {
      WideLanes weight = (WideLanes)(weights[n]);
      holdInRegister(weight);
#pragma clang loop unroll(full)
      for (int t = 0; t < T; ++t) sums[n][t] = multiplyAdd(weight, kept[t], sums[n][t]);
    }
  }
}

/// Products for `N` outputs and `T` registers of squares, at one point.
template <int N, int T>
static void multiplyWide(
    const WideWinogradBlock &block, const float *const *slabs, int64_t first,
    const float *weights, const float *, float *to) {
  WideLanes sums[N][T];
#pragma clang loop unroll(full)
  for (int n = 0; n < N; ++n)
#pragma clang loop unroll(full)
    for (int t = 0; t < T; ++t) sums[n][t] = (WideLanes)(0.0f);
  for (int64_t a = 0; a < block.blocksY; ++a) {
    const float *from = slabs[a] + first;
    for (int64_t c = 0; c < block.inputChannels; ++c, from += block.stride) {
#pragma clang loop unroll(disable)
      for (int64_t b = 0; b < block.blocksX; ++b, weights += N)
        addWide<N, T>(from + b, weights, sums);
    }
  }
  const int64_t line = block.vectors * 16;
#pragma clang loop unroll(full)
  for (int n = 0; n < N; ++n)
#pragma clang loop unroll(full)
    for (int t = 0; t < T; ++t)
      *reinterpret_cast<LooseWideLanes *>(to + n * line + t * kWideLanes) = sums[n][t];
}

/// A register of pairs of integers, of which a product takes one more than of numbers.
#if CK_LEVEL == 1
typedef int32_t WidePairs __attribute__((ext_vector_type(8)));

CK_INLINE WidePairs addProducts(WidePairs sum, WidePairs a, WidePairs b) {
  return sum
      + __builtin_bit_cast(WidePairs,
          _mm256_madd_epi16(__builtin_bit_cast(__m256i, a), __builtin_bit_cast(__m256i, b)));
}
#else
typedef Integers WidePairs;

CK_INLINE WidePairs addProducts(WidePairs sum, WidePairs a, WidePairs b) {
  return addProducts(sum, __builtin_bit_cast(Bits, a), __builtin_bit_cast(Bits, b));
}
#endif
typedef WidePairs LooseWidePairs __attribute__((aligned(4)));

/// Adds the products of `N` weights and `T` registers of squares.
template <int N, int T>
CK_INLINE void addWide(const int32_t *squares, const int32_t *weights, WidePairs (&sums)[N][T]) {
  auto square = [&](int t) {
    return *reinterpret_cast<const LooseWidePairs *>(squares + t * kWideLanes);
  };
  if constexpr (N < T || N == 3) {
    WidePairs kept[N];
#pragma clang loop unroll(full)
    for (int n = 0; n < N; ++n) kept[n] = (WidePairs)(weights[n]);
#pragma clang loop unroll(full)
    for (int t = 0; t < T; ++t) {
      const WidePairs values = square(t);
#pragma clang loop unroll(full)
      for (int n = 0; n < N; ++n) sums[n][t] = addProducts(sums[n][t], kept[n], values);
    }
  } else {
    WidePairs kept[T];
#pragma clang loop unroll(full)
    for (int t = 0; t < T; ++t) kept[t] = square(t);
#pragma clang loop unroll(full)
    for (int n = 0; n < N; ++n) {
      const WidePairs weight = (WidePairs)(weights[n]);
#pragma clang loop unroll(full)
      for (int t = 0; t < T; ++t) sums[n][t] = addProducts(sums[n][t], weight, kept[t]);
    }
  }
}

/// Products in integers, group by group of block rows, of the squares from `first` on of each of `planes`. `quanta` are
/// what the sums of one group and output are multiples of, `[group, output]`.
template <int N, int T>
static void multiplyWide(
    const WideWinogradBlock &block, const int32_t *const *planes, int64_t first,
    const int32_t *weights, const float *quanta, float *to) {
  const int64_t line = block.vectors * 16, all = block.blocksY * block.rowSums;
  const int64_t most = block.groupRows * block.rowSums;
  for (int64_t begin = 0; begin < all; begin += most) {
    const int64_t end = begin + most < all ? begin + most : all;
    WidePairs sums[N][T];
#pragma clang loop unroll(full)
    for (int n = 0; n < N; ++n)
#pragma clang loop unroll(full)
      for (int t = 0; t < T; ++t) sums[n][t] = (WidePairs)(0);
#pragma clang loop unroll(disable)
    for (int64_t i = begin; i < end; ++i, weights += N)
      addWide<N, T>(planes[i] + first, weights, sums);
#pragma clang loop unroll(full)
    for (int n = 0; n < N; ++n)
#pragma clang loop unroll(full)
      for (int t = 0; t < T; ++t) {
        LooseWideLanes *made = reinterpret_cast<LooseWideLanes *>(to + n * line + t * kWideLanes);
        const WideLanes sum =
            __builtin_convertvector(sums[n][t], WideLanes) * (WideLanes)(quanta[n]);
        *made = begin ? *made + sum : sum;
      }
    quanta += block.finish->channels;
  }
}

/// Products for all squares of a line from a register on, `T` registers at a time and fewer at the end.
template <int N, int T, typename Square>
static void multiplyWideParts(
    const WideWinogradBlock &block, const Square *const *squares, const Square *weights,
    const float *quanta, int64_t first, float *to) {
  const int64_t count = block.vectors * 16 / kWideLanes;
  for (; first + T <= count; first += T)
    multiplyWide<N, T>(
        block, squares, first * kWideLanes, weights, quanta, to + first * kWideLanes);
  if constexpr (T > 1)
    if (first < count) multiplyWideParts<N, T - 1>(block, squares, weights, quanta, first, to);
}

template <typename Square>
constexpr bool kIsPairs = false;
template <>
constexpr bool kIsPairs<int32_t> = true;

/// How many registers of squares are multiplied together for `N` outputs.
template <typename Square>
constexpr int wideRegisters(int outputs) {
#if CK_LEVEL != 1
  return outputs > 0 && CK_LEVEL >= 2 ? 6 : 1;
#else
  // Twelve sums, and of what is multiplied the fewer, and one of the others: no more than sixteen. Integers take one
  // more for the product.
  return outputs < 3 ? 6 : outputs > 3 ? 2 : kIsPairs<Square> ? 3 : 4;
#endif
}

template <int N, typename Square>
static void multiplyWideLine(
    const WideWinogradBlock &block, const Square *const *squares, const Square *weights,
    const float *quanta, float *to) {
  multiplyWideParts<N, wideRegisters<Square>(N)>(block, squares, weights, quanta, 0, to);
}

/// Asks for one of 25 parts of the three rows of the picture from `y` on, which are read next.
template <typename Element>
CK_INLINE void prefetchWide(const WideWinogradBlock &block, int64_t y, int64_t part) {
  const int64_t left = block.firstTileX * 3 - block.padLeft;
  const int64_t first = left < 0 ? 0 : left, wanted = left + block.vectors * 48;
  const int64_t last = wanted < block.inputWidth ? wanted : block.inputWidth;
  const int64_t share = ((last - first) * block.inputChannels + 24) / 25;
  for (int64_t i = y < 0 ? 0 : y; i < y + 3 && i < block.inputHeight; ++i) {
    const Element *from = static_cast<const Element *>(block.source) + i * block.sourceRowStride
        + first * block.inputChannels + part * share;
    for (int64_t at = 0; at < share; at += int64_t(64 / sizeof(Element)))
      __builtin_prefetch(from + at, 0, 2);
  }
}

/// Products of one row of squares for all outputs, point by point: `[point, outputs, squares]`. `quanta` are what
/// windows of integers are multiples of, by point.
template <typename Element, typename Square>
static void multiplyWideRow(
    const WideWinogradBlock &block, const Square *const *windows, const float *quanta,
    int64_t nextRow) {
  const int64_t outputs = block.finish->channels, perPoint = block.groups * outputs;
  const int64_t plane = widePlane(block.planes * block.stride);
  const int64_t sums = block.blocksY * block.rowSums;
  const int64_t line = block.vectors * 16, made = widePlane(outputs * line);
  float both[kMostWideBlocks * kMostWideChannels];
  for (int64_t point = 0; point < 25; ++point) {
    // Where the block rows of numbers begin, or what is multiplied of integers.
    const Square *squares[kIsPairs<Square> ? kMostWideSums : kMostWideBlocks];
    int64_t count = 0;
    for (int64_t a = 0; a < block.blocksY; ++a) {
      const Square *from = windows[a] + point * plane;
      if constexpr (kIsPairs<Square>) {
        for (int64_t p = 0; p < block.inputChannels / 2; ++p, from += block.stride)
          for (int64_t b = 0; b < block.blocksX; ++b) squares[count++] = from + b;
        for (int64_t b = 0; block.inputChannels % 2 && b < block.blocksX; b += 2)
          squares[count++] = from + b;
      } else {
        squares[count++] = from;
      }
    }
    for (int64_t i = 0; i < perPoint; ++i)
      both[i] = quanta[point] * block.quanta[point * perPoint + i];
    prefetchWide<Element>(block, nextRow, point);
    for (int64_t n = 0; n < outputs; n += kWideOutputs) {
      const Square *weights =
          reinterpret_cast<const Square *>(block.weights) + (point * outputs + n) * sums;
      float *to = block.products + point * made + n * line;
      switch (outputs - n) {
        case 1: multiplyWideLine<1, Square>(block, squares, weights, both + n, to); break;
        case 2: multiplyWideLine<2, Square>(block, squares, weights, both + n, to); break;
        case 3: multiplyWideLine<3, Square>(block, squares, weights, both + n, to); break;
        default: multiplyWideLine<4, Square>(block, squares, weights, both + n, to); break;
      }
    }
  }
}

// MARK: The way back

template <typename Destination>
static void finishWideRow(const WideWinogradBlock &block, int64_t tileY) {
  const int64_t outputs = block.finish->channels, line = block.vectors * 16;
  const int64_t plane = widePlane(outputs * line), pixels = line * 3;
  const int64_t x = block.firstTileX * 3, y = tileY * 3;
  const int64_t width = block.outputWidth - x < pixels ? block.outputWidth - x : pixels;
  // Few channels are finished side by side, as most of a vector would stand empty.
  const bool isNarrow = outputs <= kWideOutputs;
  float bias[kWideOutputs] = {};
  DenseEnd ends;
  if (isNarrow) {
    ends = denseEnd(*block.finish);
    for (int64_t n = 0; n < outputs && block.finish->bias; ++n) bias[n] = block.finish->bias[n];
  }
  for (int64_t first = 0; first < outputs; first += 16) {
    const int64_t count = outputs - first < 16 ? outputs - first : 16;
    for (int64_t n = 0; n < count; ++n)
      for (int64_t v = 0; v < line; v += 16) {
        const float *from = block.products + (first + n) * line + v;
        Vector half[3][5];
#pragma clang loop unroll(full)
        for (int j = 0; j < 5; ++j)
          finishWide(load(from + j * plane), load(from + (5 + j) * plane),
              load(from + (10 + j) * plane), load(from + (15 + j) * plane),
              load(from + (20 + j) * plane), &half[0][j], 5);
#pragma clang loop unroll(full)
        for (int i = 0; i < 3; ++i) {
          Vector made[3];
          finishWide(half[i][0], half[i][1], half[i][2], half[i][3], half[i][4], made, 1);
#pragma clang loop unroll(full)
          for (int j = 0; j < 3; ++j)
            store(block.results + ((i * 3 + j) * 16 + n) * line + v, made[j]);
        }
      }
    const int64_t rows = block.outputHeight - y < 3 ? block.outputHeight - y : 3;
    for (int64_t i = 0; i < rows; ++i) {
      for (int j = 0; j < 3; ++j)
        for (int64_t v = 0; v < line; v += 16) {
          const float *from = block.results + (i * 3 + j) * 16 * line + v;
          float *to = block.line + (v * 3 + j) * 16;
          if (isNarrow) {
            to = block.line + (v * 3 + j) * outputs;
            for (int64_t n = 0; n < outputs; ++n)
              for (int tile = 0; tile < 16; ++tile)
                to[tile * 3 * outputs + n] = from[n * line + tile] + bias[n];
            continue;
          }
          Vector values[16];
          for (int n = 0; n < 16; ++n) values[n] = n < count ? load(from + n * line) : splat(0.0f);
          turn(values);
#pragma clang loop unroll(full)
          for (int tile = 0; tile < 16; ++tile) store(to + tile * 48, values[tile]);
        }
      const int64_t at = (y + i) * block.destinationRowStride + x * outputs;
      const int64_t beside = (y + i) * block.residualRowStride + x * outputs;
      Destination *to = static_cast<Destination *>(block.destination) + at;
      const Destination *residual =
          block.residual ? static_cast<const Destination *>(block.residual) + beside : nullptr;
      if (isNarrow)
        finishDense<Destination>(*block.finish, ends, block.line, width * outputs, to, residual);
      else
        finishTile<Destination>(
            *block.finish, block.line, 1, 0, width, first, to, residual, outputs);
    }
  }
}

/// Says that a row of squares is written.
static void tellFinishedRow(const WideWinogradBlock &block, int64_t tileY) {
  const int64_t left = block.firstTileX * 3, right = (block.firstTileX + block.vectors * 16) * 3;
  const int64_t count = (right < block.outputWidth ? right : block.outputWidth) - left;
  for (int64_t y = tileY * 3; y < tileY * 3 + 3 && y < block.outputHeight; ++y)
    tellFinished(*block.finish->blocks,
        (block.picture * block.outputHeight + y) * block.outputWidth + left, count, 1,
        block.finish->channels);
}

/// By how much the largest value grows when it is transformed to one of five points, in one direction.
constexpr float kWideGrowth[5] = {4.6875f, 3.75f, 5.25f, 1.5625f, 4.6875f};

/// The largest magnitude of what a part reads; not a number where some of it is none.
template <Read R>
static float largestWide(const WideWinogradBlock &block) {
  const int64_t channels = block.inputChannels;
  const int64_t top = block.firstTileY * 3 - block.padTop;
  const int64_t bottom = (block.endTileY + block.blocksY - 2) * 3 + 5 - block.padTop;
  const int64_t left = block.firstTileX * 3 - block.padLeft;
  const int64_t right = left + (block.vectors * 16 + block.blocksX) * 3;
  const int64_t firstY = top < 0 ? 0 : top, firstX = left < 0 ? 0 : left;
  const int64_t endY = bottom < block.inputHeight ? bottom : block.inputHeight;
  const int64_t endX = right < block.inputWidth ? right : block.inputWidth;
  float largest = 0;
  for (int64_t y = firstY; y < endY && firstX < endX; ++y) {
    const Brain *row = static_cast<const Brain *>(block.source) + y * block.sourceRowStride;
    if (R == Read::plain || channels % 16 == 0) {
      const float most = largestOf<R>(block.reading, &row, 1, firstX, endX, channels);
      largest = most > largest || most != most ? most : largest;
      continue;
    }
    for (int64_t x = firstX; x < endX; ++x)
      for (int64_t c = 0; c < channels; ++c) {
        const float value = __builtin_fabsf(
            readThrough<R>(block.reading, channels, c, toFloat(row[x * channels + c])));
        largest = value > largest || value != value ? value : largest;
      }
  }
  return largest;
}

static float largestWide(const WideWinogradBlock &block) {
  switch (kindOf(block.reading)) {
    case Read::plain: return largestWide<Read::plain>(block);
    case Read::norm: return largestWide<Read::norm>(block);
    case Read::normRelu: return largestWide<Read::normRelu>(block);
  }
}

template <typename Element, typename Destination, typename Square>
static void runWideWinograd(const WideWinogradBlock &block) {
  const int64_t third = widePlane(block.inputChannels * block.stride);
  const int64_t plane = widePlane(block.planes * block.stride);
  float quanta[25] = {}, scales[25] = {};
  if constexpr (kIsPairs<Square>) {
    float largest = largestWide(block);
    if (largest < kLeastLargest) largest = kLeastLargest;
    for (int i = 0; i < 25; ++i) {
      quanta[i] = largest * (kWideGrowth[i / 5] * kWideGrowth[i % 5] / kMostWindow);
      scales[i] = 1.0f / quanta[i];
    }
  }
  // Rows of the picture and rows of squares lie in rings: the newest takes the place of the oldest.
  const int64_t top = block.firstTileY * 3 - block.padTop;
  int64_t read = top, made = block.firstTileY;
  auto rowOf = [&](int64_t y) { return block.rows + (y - top) % 5 * 3 * third; };
  auto windowsOf = [&](int64_t tileY) {
    return reinterpret_cast<Square *>(block.windows) + tileY % block.blocksY * 25 * plane;
  };
  for (int64_t tileY = block.firstTileY; tileY < block.endTileY; ++tileY) {
    for (; made < tileY + block.blocksY; ++made) {
      const int64_t y = made * 3 - block.padTop;
      for (; read < y + 5; ++read) readWideRow<Element>(block, read, rowOf(read));
      const float *rows[5];
      for (int i = 0; i < 5; ++i) rows[i] = rowOf(y + i);
      if constexpr (kIsPairs<Square>)
        transformWideRow(block, rows, scales, windowsOf(made));
      else
        transformWideRow(block, rows, windowsOf(made));
    }
    const Square *windows[kMostWideBlocks];
    for (int64_t a = 0; a < block.blocksY; ++a) windows[a] = windowsOf(tileY + a);
    multiplyWideRow<Element, Square>(block, windows, quanta, read);
    finishWideRow<Destination>(block, tileY);
    if (block.finish->blocks) tellFinishedRow(block, tileY);
  }
}

template <typename Element, typename Square>
static void runWideWinograd(const WideWinogradBlock &block) {
  return block.destinationType == CK_BF16 ? runWideWinograd<Element, Brain, Square>(block)
                                          : runWideWinograd<Element, float, Square>(block);
}

static void wideWinogradBlock(const WideWinogradBlock &block) {
  if (block.groups) return runWideWinograd<Brain, int32_t>(block);
  return block.sourceType == CK_BF16 ? runWideWinograd<Brain, float>(block)
                                     : runWideWinograd<float, float>(block);
}
