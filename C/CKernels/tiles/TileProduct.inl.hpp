// Included once per kind of tile, after TileSteps.inl.hpp.

/// Computes rows of a product with a matrix that is packed like weights, in blocks of 32 rows × 32 columns.
template <typename Unit>
class TileProductRun {
 public:
  explicit TileProductRun(const TileMatmulRows &rows)
      : r(rows),
        product(*rows.product),
        chunks((product.inner + 31) / 32),
        plain{nullptr, nullptr, nullptr, CK_IDENTITY, 0, 0, product.columns},
        finish(plain, sums) {}

  void run() {
    for (int64_t row = r.firstRow; row < r.endRow; row += 32) {
      const bool hasTwo = row + 16 < r.endRow;
      round(row, r.strips);
      if (hasTwo) round(row + 16, r.strips + chunks * 512);
      const BFloat16 *weights = r.packed;
      for (int64_t column = 0; column < product.columns; column += 32) {
        const bool isWide = column + 16 < product.columns;
        if (hasTwo)
          isWide ? compute<2, 2>(row, column, weights) : compute<2, 1>(row, column, weights);
        else
          isWide ? compute<1, 2>(row, column, weights) : compute<1, 1>(row, column, weights);
        weights += chunks * 1024;
      }
      // Finishes the remaining work, because the next rows overwrite the strips.
      finish.rest();
    }
  }

 private:
  /// Rounds 16 rows to bfloat16. Pads the end of each row with zeros, and adds rows of zeros if fewer than 16 rows are
  /// left.
  void round(int64_t row, BFloat16 *strip) {
    const int64_t rows = r.endRow - row < 16 ? r.endRow - row : 16;
    __builtin_memset(strip, 0, size_t(chunks) * 1024);
    for (int64_t chunk = 0; chunk < chunks; ++chunk)
      for (int64_t i = 0; i < rows; ++i) {
        const int64_t first = chunk * 32;
        const int64_t count = product.inner - first < 32 ? product.inner - first : 32;
        BFloat16 *to = strip + (chunk * 16 + i) * 32;
        if (product.transpose_left) {
          const float *from = r.source + first * product.rows + row + i;
          for (int64_t k = 0; k < count; ++k) fromFloat(from[k * product.rows], to[k]);
        } else {
          const float *from = r.source + (row + i) * product.inner + first;
          storeSome(to, loadSome(from, count), count);
          if (count > 16) storeSome(to + 16, loadSome(from + 16, count - 16), count - 16);
        }
      }
  }

  template <int R, int V>
  void compute(int64_t row, int64_t column, const BFloat16 *weights) {
    const char *base = reinterpret_cast<const char *>(r.strips);
    const TileOperand upper{base, 64, 1024}, lower{base + chunks * 1024, 64, 1024};
    const TileOperand *const operands[2] = {&upper, R > 1 ? &lower : &upper};
    const int64_t group = 0;
    addProducts<R, V, 1>(unit, operands, 1, &group, 1, chunks, weights, finish, shareOf(R * 16, chunks));
    finish.rest();
    storeSums<R, V>(unit, sums, V * 16);
    finish.begin(V, column);
    for (int i = 0; i < R; ++i) {
      const int64_t first = row + i * 16, left = r.endRow - first;
      finish.add(r.destination + first * product.columns, nullptr, product.columns, 0,
          left < 16 ? left : 16);
    }
  }

  const TileMatmulRows &r;
  const ck_tile_matmul &product;
  const int64_t chunks;
  const Finish plain;
  alignas(64) float sums[2 * 16 * 32];
  TileFinish<float> finish;
  Unit unit;
};

template <typename Unit>
static void tileMatmulRows(const TileMatmulRows &rows) {
  TileProductRun<Unit>(rows).run();
}
