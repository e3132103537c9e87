// Included once per instruction set, after Convolution.inl.hpp.

/// The rows of a tile of any panel, and of a smaller tile for the end of a matrix. Parts of the work have a multiple of
/// `kPartRows` (ProductConvolution.cpp).
constexpr int64_t kPartRows = 6, kEndRows = 3;

/// Computes the sums of a tile of some rows.
template <int rows, typename Weight, typename Result>
static void multiplyRows(
    int vectors, const float *source, const Weight *weights, int64_t inner, const Result &result) {
#if CK_LEVEL >= 2
  switch (vectors) {
    case 1: return multiplyTile<rows, 1>(&source, &weights, 1, inner, inner, result);
    case 2: return multiplyTile<rows, 2>(&source, &weights, 1, inner, inner, result);
    case 3: return multiplyTile<rows, 3>(&source, &weights, 1, inner, inner, result);
    default: return multiplyTile<rows, 4>(&source, &weights, 1, inner, inner, result);
  }
#else
  (void)vectors;
  multiplyTile<rows, 1>(&source, &weights, 1, inner, inner, result);
#endif
}

#if CK_LEVEL == 1
/// The rows of a tile of 8 outputs.
constexpr int64_t kHalfTileRows = 12;
/// The size in bytes of the first-level cache.
constexpr int64_t kFirstLevelBytes = 32 << 10;

CK_INLINE HalfVector loadHalfVector(const Half *from) {
  return __builtin_bit_cast(HalfVector, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)from)));
}

/// Computes the sums of a tile of P rows for the first 8 outputs of a panel. P is a multiple of 3.
template <int P, typename Weight>
CK_INLINE void sumHalfTile(HalfVector (&sums)[P], const float *source, const Weight *weights, int64_t inner) {
  constexpr int bases = P / 3;
  for (int p = 0; p < P; ++p) sums[p] = (HalfVector)(0.0f);
  const float *base[bases];
  for (int i = 0; i < bases; ++i) base[i] = source + 3 * i * inner;
#pragma clang loop unroll(disable)
  for (int64_t k = 0; k < inner; ++k) {
    const HalfVector b = loadHalfVector(weights + k * 16);
#pragma clang loop unroll(full)
    for (int p = 0; p < P; ++p)
      sums[p] = __builtin_elementwise_fma((HalfVector)(base[p / 3][p % 3 * inner]), b, sums[p]);
#pragma clang loop unroll(full)
    for (int i = 0; i < bases; ++i) {
      ++base[i];
      __asm__("" : "+r"(base[i]));
    }
  }
}

/// Computes and finishes neighbouring tiles of one panel.
template <typename Weight, typename Ahead>
static void productTiles(int64_t tiles, const float *source, const Weight *weights, int64_t inner,
    FinishedSums finished, Ahead ahead) {
  finished.withFunction([&](const auto &function) __attribute__((always_inline)) {
    for (int64_t tile = 0; tile < tiles; ++tile) {
      Vector sums[kPartRows][1];
      sumTile(sums, &source, &weights, 1, inner, inner, ahead);
      finished.finish(sums, function);
      finished.advance(kPartRows);
      source += kPartRows * inner;
    }
  });
}

/// Computes and finishes neighbouring tiles of the first 8 outputs of a panel.
template <typename Weight>
static void halfProductTiles(
    int64_t tiles, const float *source, const Weight *weights, int64_t inner, FinishedSums finished) {
  finished.withFunction([&](const auto &function) __attribute__((always_inline)) {
    for (int64_t tile = 0; tile < tiles; ++tile) {
      HalfVector sums[kHalfTileRows];
      sumHalfTile(sums, source, weights, inner);
      finished.finish(sums, function);
      finished.advance(kHalfTileRows);
      source += kHalfTileRows * inner;
    }
  });
}

/// Computes and finishes as many of the rows `first ..< last` of a panel as possible without storing sums. Returns the
/// first row that is left.
template <typename Weight>
static int64_t finishRows(
    const ProductBlock &block, const ConvolutionBlock &panel, const Weight *weights, int64_t first, int64_t last) {
  const int64_t inner = block.inner, channels = block.finish->channels;
  const bool isHalf = channels - panel.channel <= 8;
  if (!FinishedSums::suits(*block.finish, isHalf ? 8 : 16, panel.channel)) return first;
  const int64_t rows = isHalf ? kHalfTileRows : kPartRows, tiles = (last - first) / rows;
  if (tiles == 0) return first;
  const float *source = block.source + first * inner;
  const int64_t offset = first * channels + panel.channel;
  FinishedSums finished(*block.finish, panel.channel);
  finished.to = static_cast<float *>(block.destination) + offset;
  if (block.residual) finished.residual = static_cast<const float *>(block.residual) + offset;
  const int64_t bytes = 16 * sizeof(Weight);
  if (isHalf)
    halfProductTiles(tiles, source, weights, inner, finished);
  else if (inner * bytes <= kFirstLevelBytes)
    productTiles(tiles, source, weights, inner, finished, NothingAhead{});
  else {
    // All tiles of the panel together read the next panel.
    const auto *next = reinterpret_cast<const char *>(weights + panel.tapSize);
    productTiles(tiles, source, weights, inner, finished, ReadAhead{next, (bytes + tiles - 1) / tiles});
  }
  return first + tiles * rows;
}
#endif

/// Computes the rows `first ..< last` of all columns of a block.
template <typename Weight, typename Destination>
static void productRows(const ProductBlock &block, int64_t first, int64_t last) {
  const int64_t inner = block.inner, channels = block.finish->channels;
  alignas(64) float sums[kMaxSums];
  for (int64_t index = 0; index < block.panelCount; ++index) {
    const ConvolutionBlock &panel = block.panels[index];
    // A larger tile would compute rows that it does not store.
    const bool isWhole = (last - first) % block.pixels[panel.vectors] == 0 || block.pixels[panel.vectors] < kPartRows;
    const int64_t tile = isWhole ? block.pixels[panel.vectors] : kPartRows;
    const auto multiply = [&](const float *source, const Weight *weights, const auto &result) {
      isWhole ? multiplyTileOf(panel.vectors, &source, &weights, 1, inner, inner, result)
              : multiplyRows<kPartRows>(panel.vectors, source, weights, inner, result);
    };
    const Weight *weights = static_cast<const Weight *>(block.weights) + panel.weights;
    int64_t done = first;
#if CK_LEVEL == 1
    if (__is_same(Destination, float)) done = finishRows(block, panel, weights, first, last);
#else
    const bool staysInRegisters = __is_same(Destination, float) && !block.residual
        && FinishedSums::suits(*block.finish, panel.vectors * 16, panel.channel);
    FinishedSums finished(*block.finish, panel.channel);
#endif
    for (int64_t row = done; row < last; row += tile) {
      // The last tile of the matrix overlaps the tile before it, and stores only rows that no other tile stores.
      const bool isEnd = last - row <= kEndRows && tile > kEndRows;
      const int64_t size = isEnd ? kEndRows : tile;
      const int64_t start = row + size > block.rows ? block.rows - size : row;
      const int64_t end = last - start < size ? last - start : size;
      const float *source = block.source + start * inner;
      Destination *to = static_cast<Destination *>(block.destination) + start * channels;
#if CK_LEVEL != 1
      if (staysInRegisters && start == row && end == size && !isEnd) {
        finished.to = reinterpret_cast<float *>(to) + panel.channel;
        multiply(source, weights, finished);
        continue;
      }
#endif
      if (isEnd)
        multiplyRows<kEndRows>(panel.vectors, source, weights, inner, StoredSums{sums});
      else
        multiply(source, weights, StoredSums{sums});
      const Destination *residual = block.residual
          ? static_cast<const Destination *>(block.residual) + start * channels
          : nullptr;
      finishTile<Destination>(*block.finish, sums, panel.vectors, row - start, end, panel.channel, to,
          residual, channels);
    }
  }
}

/// If the weights fit the first-level cache, computes all columns of some rows at a time. Results are then written in
/// the order of memory.
template <typename Weight, typename Destination>
static void productBlockOf(const ProductBlock &block) {
  // The number is a multiple of the rows of all tiles.
  constexpr int64_t together = 72, fitting = 4096;
  const bool fits = block.inner * block.panelCount * block.panels[0].vectors * 16 <= fitting;
  const int64_t step = fits ? together : block.endRow - block.firstRow;
  for (int64_t row = block.firstRow; row < block.endRow; row += step)
    productRows<Weight, Destination>(block, row, row + step < block.endRow ? row + step : block.endRow);
}

static void productBlock(const ProductBlock &block) {
  if (block.weightsType == CK_F16) return productBlockOf<Half, float>(block);
  block.destinationType == CK_BF16 ? productBlockOf<float, BFloat16>(block) : productBlockOf<float, float>(block);
}
