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
    const bool staysInRegisters = __is_same(Destination, float) && !block.residual
        && FinishedSums::suits(*block.finish, panel.vectors, panel.channel);
    FinishedSums finished(*block.finish, panel.channel);
    for (int64_t row = first; row < last; row += tile) {
      // The last tile of the matrix overlaps the tile before it, and stores only rows that no other tile stores.
      const bool isEnd = last - row <= kEndRows && tile > kEndRows;
      const int64_t size = isEnd ? kEndRows : tile;
      const int64_t start = row + size > block.rows ? block.rows - size : row;
      const int64_t end = last - start < size ? last - start : size;
      const float *source = block.source + start * inner;
      Destination *to = static_cast<Destination *>(block.destination) + start * channels;
      if (staysInRegisters && start == row && end == size && !isEnd) {
        finished.to = reinterpret_cast<float *>(to) + panel.channel;
        multiply(source, weights, finished);
        continue;
      }
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
