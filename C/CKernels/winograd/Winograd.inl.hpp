// Included once per instruction set, after WinogradTiles.inl.hpp.

// MARK: Tiles

/// The number of tiles by which pixels are prefetched ahead. The processor does not predict so many streams of cache
/// lines by itself.
constexpr int64_t kTilesAhead = 2;

/// Transforms the input of some tiles of one row.
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
    // The transformed columns. Neighbouring tiles share some of these columns.
    Vector columns[S * N];
    auto column = [&](int64_t at, Vector *to) {
      Vector values[S];
      const bool isInside = at >= 0 && at < block.inputWidth;
      const int64_t ahead = at + kTilesAhead * step;
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

/// Applies the inverse transform to some tiles of one row, and finishes the pixels.
template <typename Square, typename Destination>
static void finishTiles(
    const WinogradBlock &block, const ConvolutionBlock &outputs, int64_t picture, int64_t tileY,
    int64_t tileX, int64_t tiles, int64_t index) {
  constexpr int M = Square::results, N = Square::products;
  constexpr int64_t most = kWinogradLine / M;
  const int64_t lanes = outputs.vectors * 16, plane = block.productPlane;
  for (int64_t first = 0; first < tiles; first += most) {
    const int64_t count = tiles - first < most ? tiles - first : most;
    const float *products = block.products + (index + first) * lanes;
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

/// Calls `body` for each stretch of the block's tiles that are in one row. Passes the image, the tile row, the tile
/// column, the number of tiles, and the index of the first tile in the block.
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
    forStretches(block, [&](int64_t picture, int64_t y, int64_t x, int64_t count, int64_t index) {
      const Element *source =
          static_cast<const Element *>(block.source) + picture * block.sourceBatchStride;
      const Reading reading = block.reading.of(picture, channels);
      Window *to = windows + index * channels;
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
        multiplyTileOf(outputs.vectors, &rows, &weights, 1, channels, channels,
            StoredSums{block.products + position * block.productPlane + tile * lanes});
      }
    }
    forStretches(block, [&](int64_t picture, int64_t y, int64_t x, int64_t count, int64_t index) {
      finishTiles<Square, Destination>(block, outputs, picture, y, x, count, index);
    });
  }
}

template <typename Square>
static void runWinogradTypes(const WinogradBlock &block) {
  const bool bfloat16Destination = block.destinationType == CK_BF16;
  if (block.sourceType == CK_BF16)
    return bfloat16Destination ? runWinograd<Square, BFloat16, BFloat16>(block)
                            : runWinograd<Square, BFloat16, float>(block);
  return bfloat16Destination ? runWinograd<Square, float, BFloat16>(block)
                          : runWinograd<Square, float, float>(block);
}

static void winogradBlock(const WinogradBlock &block) {
  switch (block.tileKind) {
    case TileKind::two: return runWinogradTypes<PlainTile<2>>(block);
    case TileKind::four: return runWinogradTypes<PlainTile<4>>(block);
    case TileKind::six: return runWinogradTypes<SixTile>(block);
    case TileKind::fourRepeated: return runWinogradTypes<RepeatedTile>(block);
    case TileKind::threeStrided: return runWinogradTypes<StridedTile>(block);
  }
}

// MARK: Weights

/// Transforms the kernels of one input channel, or of a pair of channels, for 16 outputs.
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
    // `half` holds N rows for each kernel column.
    for (int i = 0; i < N; ++i) Square::weights(half + i, made[p] + i * N, N);
  }
  for (int i = 0; i < N * N; ++i) {
    if (pair == 1) {
      store(static_cast<float *>(kernels.destination) + i * kernels.positionStride, made[0][i]);
      continue;
    }
    const Bits low = __builtin_convertvector(narrowToBFloat16(made[0][i]), Bits);
    const Bits high = __builtin_convertvector(narrowToBFloat16(made[1][i]), Bits);
    *reinterpret_cast<LooseBits *>(
        static_cast<BFloat16 *>(kernels.destination) + i * kernels.positionStride) = low | high << 16;
  }
}

static void winogradKernels(const WinogradKernels &kernels) {
  switch (kernels.tileKind) {
    case TileKind::two: return transformKernels<PlainTile<2>>(kernels);
    case TileKind::four: return transformKernels<PlainTile<4>>(kernels);
    case TileKind::six: return transformKernels<SixTile>(kernels);
    case TileKind::fourRepeated: return transformKernels<RepeatedTile>(kernels);
    case TileKind::threeStrided: return transformKernels<StridedTile>(kernels);
  }
}

// MARK: The gradient of the weights

/// Stores 16 channels of one slot. A slot is one tile. In bfloat16, a slot is two neighbouring tiles, and their values
/// are stored as pairs for the multiply-adds.
CK_INLINE void storeSlot(float *to, const Vector *first, const Vector *) { store(to, *first); }
CK_INLINE void storeSlot(BFloat16 *to, const Vector *first, const Vector *second) {
  const Bits low = __builtin_convertvector(narrowToBFloat16(*first), Bits);
  const Bits high = __builtin_convertvector(narrowToBFloat16(*second), Bits);
  *reinterpret_cast<LooseBits *>(to) = low | high << 16;
}

/// Transforms some tiles of one row of an image, each of `S` × `S` pixels, to slots. The image is the convolution's
/// input, or the gradient of the convolution's results.
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

/// Adds up the sums of all parts for one input channel, and transforms the totals back to kernels.
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
      // `half` holds three rows for each column.
      for (int y = 0; y < 3; ++y) transformKernelBack<M>(half + y, kernel + y * 3, 3);
      float *to = block.destination + ((lanes.channel + n * 16) * inputs + block.input) * 9;
      for (int lane = 0; lane < 16; ++lane)
        for (int k = 0; k < 9; ++k) to[lane * inputs * 9 + k] = kernel[k][lane];
    }
}

static void winogradGradient(const WinogradGradientBlock &block) {
  const bool isBFloat16 = block.type == CK_BF16;
  if (block.tile == 2)
    return isBFloat16 ? sumTiles<2, BFloat16>(block) : sumTiles<2, float>(block);
  return isBFloat16 ? sumTiles<4, BFloat16>(block) : sumTiles<4, float>(block);
}

static void winogradGradientSums(const WinogradGradientSums &block) {
  block.tile == 2 ? finishKernels<2>(block) : finishKernels<4>(block);
}
