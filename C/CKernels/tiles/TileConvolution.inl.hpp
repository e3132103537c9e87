// Included once per kind of tile, after TileSteps.inl.hpp and TileReading.inl.hpp.

/// Computes blocks of two rows × 16 pixels × 32 outputs. If only one row is left, computes blocks of 32 pixels of that
/// row. The pixels' inputs stay in the first-level cache. Weights stream from the second-level cache. `P` is 2 if values
/// are pairs of bfloat16, else 1.
template <typename Unit, typename Destination, int P>
class TileRowsRun {
 public:
  explicit TileRowsRun(const TileRows &rows)
      : r(rows), reader(rows), finish(*rows.finish, sums) {}

  void run() {
    const bool single = r.endRow - r.firstRow == 1;
    for (int64_t y = r.firstRow; y < r.endRow; y += 2)
      for (int64_t x = r.firstColumn; x < r.endColumn; x += single ? 32 : 16) {
        runs[0] = pixelRun(y, x, r.phase->columns);
        const bool hasTwo = single ? x + 16 < r.endColumn : y + 1 < r.endRow;
        if (hasTwo) runs[1] = pixelRun(single ? y : y + 1, single ? x + 16 : x, r.phase->columns);
        reader.read(runs[0], 0);
        if (hasTwo) reader.read(runs[1], 1);
        for (int index = r.firstBlock; index < r.endBlock; ++index) {
          const ConvolutionBlock &block = r.phase->blocks[size_t(index)];
          const bool isWide = block.vectors == 2;
          if (hasTwo)
            isWide ? compute<2, 2>(block) : compute<2, 1>(block);
          else
            isWide ? compute<1, 2>(block) : compute<1, 1>(block);
        }
      }
    finish.rest();
  }

 private:
  template <int R, int V>
  void compute(const ConvolutionBlock &block) {
    const TileOperand *const operands[2] = {reader.operandsOf(0), reader.operandsOf(R - 1)};
    addProducts<R, V, P>(unit, operands, reader.operandCount(), reader.groupOffsets(),
        reader.groupCount, reader.chunks, r.weights + block.weights * P, finish,
        shareOf(R * 16, reader.steps()));
    finish.rest();
    storeSums<R, V>(unit, sums, V * 16);
    finish.begin(V, block.channel);
    for (int i = 0; i < R; ++i) {
      const PixelRun &run = runs[i];
      const int64_t pixels = run.start * r.pixelStep;
      Destination *to = reinterpret_cast<Destination *>(r.destination)
          + run.y * r.destinationRowStep + pixels;
      const Destination *residual = r.residual
          ? reinterpret_cast<const Destination *>(r.residual) + run.y * r.residualRowStep + pixels
          : nullptr;
      finish.add(to, residual, r.pixelStep, run.first, run.last);
    }
  }

  const TileRows &r;
  TileReader reader;
  PixelRun runs[2];
  alignas(64) float sums[2 * 16 * 32];
  TileFinish<Destination> finish;
  Unit unit;
};

template <typename Unit>
static void tileRows(const TileRows &rows) {
  if (rows.hasColumns) return tileColumns<Unit>(rows);
  if (rows.hasPairs)
    TileRowsRun<Unit, float, 2>(rows).run();
  else if (rows.destinationType == CK_BF16)
    TileRowsRun<Unit, BFloat16, 1>(rows).run();
  else
    TileRowsRun<Unit, float, 1>(rows).run();
}
