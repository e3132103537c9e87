// Included once per instruction set, after Convolution.inl.hpp.

// MARK: Transforms of F(3, 3), interpolated at 0, ±3/4, 2 and infinity; see WideWinograd.hpp

/// Computes `Bᵀ d`: five transformed values from five input values.
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

/// Computes `Aᵀ m`: three results from five products.
CK_INLINE void finishWide(
    Vector m0, Vector m1, Vector m2, Vector m3, Vector m4, Vector *y, int step) {
  const Vector sum = m1 + m2, difference = m1 - m2;
  y[0] = m0 + sum + m3;
  y[step] = multiplyAdd(splat(0.75f), difference, m3 + m3);
  y[2 * step] = multiplyAdd(splat(0.5625f), sum, multiplyAdd(splat(4.0f), m3, m4));
}

/// Transposes 16 × 16 values.
CK_INLINE void transpose(Vector *v) {
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

/// Reads the columns from `x` on, for some tiles at the edge of the image. Columns outside the image are zero.
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

/// Reads one row of the image as three groups `[channels, stride]`, which are `widePlane` apart. Column x, counted from
/// the first column of the strip, is in group x modulo 3.
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
          transpose(values);
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

/// Transforms the input of one row of tiles to `[point, channels, stride]`.
static void transformWideRow(
    const WideWinogradBlock &block, const float *const *rows, float *to) {
  const int64_t channels = block.inputChannels, stride = block.stride;
  const int64_t plane = widePlane(channels * stride);
  const int64_t vectors = block.vectors + (block.blocksX > 1 ? 1 : 0);
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t v = 0; v < vectors; ++v) {
      const int64_t at = c * stride + v * 16;
      Vector columns[5][5];
#pragma clang loop unroll(full)
      for (int j = 0; j < 5; ++j) {
        // The fourth and fifth column of a tile are the first and second column of the next tile.
        const int64_t from = at + (j % 3) * plane + j / 3;
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
#pragma clang loop unroll(full)
        for (int j = 0; j < 5; ++j) store(to + (i * 5 + j) * plane + at, made[j]);
      }
    }
}

// MARK: Multiply-adds

/// The sums of some tiles of a row, in one register. AVX2 has sixteen registers of eight floats each. With sums of this
/// size, all sums of a loop stay in registers.
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

/// Keeps an operand in its register. Otherwise the compiler would load all operands before the first multiply-add, and
/// would have to spill the sums.
CK_INLINE void holdInRegister(WideLanes &value) {
#if CK_LEVEL == 1
  __asm__ volatile("" : "+x"(value));
#else
  (void)value;
#endif
}

/// Adds to each sum the product of one of `N` weights and one of `T` registers of tiles.
template <int N, int T>
CK_INLINE void addWide(const float *tiles, const float *weights, WideLanes (&sums)[N][T]) {
  if constexpr (CK_LEVEL == 1 && N < T) {
    WideLanes operands[N];
#pragma clang loop unroll(full)
    for (int n = 0; n < N; ++n) operands[n] = (WideLanes)(weights[n]);
#pragma clang loop unroll(full)
    for (int t = 0; t < T; ++t) {
      WideLanes values = loadLanes(tiles + t * kWideLanes);
      holdInRegister(values);
#pragma clang loop unroll(full)
      for (int n = 0; n < N; ++n) sums[n][t] = multiplyAdd(operands[n], values, sums[n][t]);
    }
  } else {
    WideLanes operands[T];
#pragma clang loop unroll(full)
    for (int t = 0; t < T; ++t) operands[t] = loadLanes(tiles + t * kWideLanes);
#pragma clang loop unroll(full)
    for (int n = 0; n < N; ++n) {
      WideLanes weight = (WideLanes)(weights[n]);
      holdInRegister(weight);
#pragma clang loop unroll(full)
      for (int t = 0; t < T; ++t) sums[n][t] = multiplyAdd(weight, operands[t], sums[n][t]);
    }
  }
}

/// Computes the products for `N` outputs and `T` registers of tiles, at one interpolation point.
template <int N, int T>
static void multiplyWide(
    const WideWinogradBlock &block, const float *const *slabs, const float *weights, float *to) {
  WideLanes sums[N][T];
#pragma clang loop unroll(full)
  for (int n = 0; n < N; ++n)
#pragma clang loop unroll(full)
    for (int t = 0; t < T; ++t) sums[n][t] = (WideLanes)(0.0f);
  for (int64_t a = 0; a < block.blocksY; ++a) {
    const float *from = slabs[a];
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

/// Computes the products for all tiles of a row from register `first` on. Takes `T` registers at a time, and fewer at
/// the end of the row.
template <int N, int T>
static void multiplyWideParts(
    const WideWinogradBlock &block, const float *const *slabs, const float *weights, int64_t first,
    float *to) {
  const float *moved[kMaxWideBlocks];
  const int64_t count = block.vectors * 16 / kWideLanes;
  for (; first + T <= count; first += T) {
    for (int64_t a = 0; a < block.blocksY; ++a) moved[a] = slabs[a] + first * kWideLanes;
    multiplyWide<N, T>(block, moved, weights, to + first * kWideLanes);
  }
  if constexpr (T > 1)
    if (first < count) multiplyWideParts<N, T - 1>(block, slabs, weights, first, to);
}

template <int N>
static void multiplyWideLine(
    const WideWinogradBlock &block, const float *const *slabs, const float *weights, float *to) {
#if CK_LEVEL >= 2
  multiplyWideParts<N, 6>(block, slabs, weights, 0, to);
#elif CK_LEVEL == 1
  // There are at most twelve sums. The sixteen registers hold the sums, the smaller operand, and one register of the
  // larger operand.
  multiplyWideParts<N, N < 3 ? 6 : N == 3 ? 4 : 2>(block, slabs, weights, 0, to);
#else
  multiplyWideParts<N, 1>(block, slabs, weights, 0, to);
#endif
}

/// Prefetches one of 25 parts of the three image rows from `y` on. The kernel reads these rows next.
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

/// Computes the products of one row of tiles for all outputs, point by point, as `[point, outputs, tiles]`.
template <typename Element>
static void multiplyWideRow(
    const WideWinogradBlock &block, const float *const *windows, int64_t nextRow) {
  const int64_t outputs = block.finish->channels;
  const int64_t plane = widePlane(block.inputChannels * block.stride);
  const int64_t sums = block.blocksY * block.inputChannels * block.blocksX;
  const int64_t line = block.vectors * 16, made = widePlane(outputs * line);
  for (int64_t point = 0; point < 25; ++point) {
    const float *slabs[kMaxWideBlocks];
    for (int64_t a = 0; a < block.blocksY; ++a) slabs[a] = windows[a] + point * plane;
    prefetchWide<Element>(block, nextRow, point);
    for (int64_t n = 0; n < outputs; n += kWideOutputs) {
      const float *weights = block.weights + (point * outputs + n) * sums;
      float *to = block.products + point * made + n * line;
      switch (outputs - n) {
        case 1: multiplyWideLine<1>(block, slabs, weights, to); break;
        case 2: multiplyWideLine<2>(block, slabs, weights, to); break;
        case 3: multiplyWideLine<3>(block, slabs, weights, to); break;
        default: multiplyWideLine<4>(block, slabs, weights, to); break;
      }
    }
  }
}

// MARK: The inverse transform

template <typename Destination>
static void finishWideRow(const WideWinogradBlock &block, int64_t tileY) {
  const int64_t outputs = block.finish->channels, line = block.vectors * 16;
  const int64_t plane = widePlane(outputs * line), pixels = line * 3;
  const int64_t x = block.firstTileX * 3, y = tileY * 3;
  const int64_t width = block.outputWidth - x < pixels ? block.outputWidth - x : pixels;
  // If there are few channels, finishes contiguous pixels, because a vector of channels would be mostly empty.
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
          transpose(values);
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

/// Reports that a row of tiles is finished.
static void reportFinishedRow(const WideWinogradBlock &block, int64_t tileY) {
  const int64_t left = block.firstTileX * 3, right = (block.firstTileX + block.vectors * 16) * 3;
  const int64_t count = (right < block.outputWidth ? right : block.outputWidth) - left;
  for (int64_t y = tileY * 3; y < tileY * 3 + 3 && y < block.outputHeight; ++y)
    reportFinished(*block.finish->blocks,
        (block.picture * block.outputHeight + y) * block.outputWidth + left, count, 1,
        block.finish->channels);
}

template <typename Element, typename Destination>
static void runWideWinograd(const WideWinogradBlock &block) {
  const int64_t plane = widePlane(block.inputChannels * block.stride);
  // Rows of the image and rows of transformed tiles are in ring buffers. The newest row replaces the oldest one.
  const int64_t top = block.firstTileY * 3 - block.padTop;
  int64_t read = top, made = block.firstTileY;
  auto rowOf = [&](int64_t y) { return block.rows + (y - top) % 5 * 3 * plane; };
  auto windowsOf = [&](int64_t tileY) {
    return block.windows + tileY % block.blocksY * 25 * plane;
  };
  for (int64_t tileY = block.firstTileY; tileY < block.endTileY; ++tileY) {
    for (; made < tileY + block.blocksY; ++made) {
      const int64_t y = made * 3 - block.padTop;
      for (; read < y + 5; ++read) readWideRow<Element>(block, read, rowOf(read));
      const float *rows[5];
      for (int i = 0; i < 5; ++i) rows[i] = rowOf(y + i);
      transformWideRow(block, rows, windowsOf(made));
    }
    const float *windows[kMaxWideBlocks];
    for (int64_t a = 0; a < block.blocksY; ++a) windows[a] = windowsOf(tileY + a);
    multiplyWideRow<Element>(block, windows, read);
    finishWideRow<Destination>(block, tileY);
    if (block.finish->blocks) reportFinishedRow(block, tileY);
  }
}

static void wideWinogradBlock(const WideWinogradBlock &block) {
  const bool bfloat16Destination = block.destinationType == CK_BF16;
  if (block.sourceType == CK_BF16)
    return bfloat16Destination ? runWideWinograd<BFloat16, BFloat16>(block)
                            : runWideWinograd<BFloat16, float>(block);
  return bfloat16Destination ? runWideWinograd<float, BFloat16>(block)
                          : runWideWinograd<float, float>(block);
}
