#include <algorithm>

#include "tiles/Tiles.hpp"

using namespace ck;

namespace {

/// The maximum number of rows in one part. The values of these rows stay in a core's second-level cache.
constexpr int64_t kRowsPerPart = 128;

bool makesSense(const ck_tile_matmul &d) {
  constexpr int64_t most = int64_t(1) << 40;
  if (d.batch < 1 || d.rows < 1 || d.inner < 1 || d.columns < 1) return false;
  // With these limits, no product of sizes overflows.
  return d.batch < most && d.rows < most / d.batch && d.inner < most / (d.batch * d.rows)
      && d.columns < most / d.rows && d.columns < most / d.inner
      && d.columns * d.inner < most / d.batch;
}

int64_t chunksOf(const ck_tile_matmul &d) { return ceilDivide(d.inner, 32); }

/// Returns the number of elements of one packed matrix, which has blocks of 32 columns. The last block may have 16
/// columns.
int64_t packedElements(const ck_tile_matmul &d) {
  return chunksOf(d) * 32 * ceilDivide(d.columns, 16) * 16;
}

/// Packs a block of columns for the inner loop. Two neighbouring values along `inner` form a pair, for all columns.
void packBlock(const ck_tile_matmul &d, const float *matrix, int64_t column, BFloat16 *to) {
  const int64_t count = std::min<int64_t>(32, d.columns - column), lanes = count > 16 ? 32 : 16;
  std::memset(to, 0, size_t(chunksOf(d) * 32 * lanes) * sizeof(BFloat16));
  const int64_t alongInner = d.transpose_right ? 1 : d.columns;
  const int64_t alongColumns = d.transpose_right ? d.inner : 1;
  const float *from = matrix + column * alongColumns;
  for (int64_t k = 0; k < d.inner; ++k)
    for (int64_t lane = 0; lane < count; ++lane)
      fromFloat(from[k * alongInner + lane * alongColumns], to[(k / 2 * lanes + lane) * 2 + k % 2]);
}

size_t packedBytes(const ck_tile_matmul &d) {
  return rounded(size_t((d.one_right ? 1 : d.batch) * packedElements(d)) * sizeof(BFloat16));
}

size_t stripBytes(const ck_tile_matmul &d) { return size_t(chunksOf(d)) * 2048; }

}  // namespace

extern "C" {

size_t ck_tile_matmul_scratch_bytes(const ck_tile_matmul *description, int32_t threads) {
  if (!description || !makesSense(*description)) return 0;
  return packedBytes(*description) + stripBytes(*description) * size_t(threads < 1 ? 1 : threads);
}

int32_t ck_tile_matmul_run(
    const ck_tile_matmul *description, const float *left, const float *right, float *destination,
    void *scratch, int32_t threads) {
  if (!description || !makesSense(*description) || !left || !right || !destination || !scratch)
    return -1;
  const ck_tile_matmul &d = *description;
  const TileTable &table = tileTable(d.matrix_tiles == 2);
  const int most = threads < 1 ? 1 : threads;
  BFloat16 *packed = static_cast<BFloat16 *>(scratch);
  char *strips = static_cast<char *>(scratch) + packedBytes(d);
  const int64_t blocks = ceilDivide(d.columns, 32), chunks = chunksOf(d);
  forParts(
      blocks * (d.one_right ? 1 : d.batch),
      [&](int64_t part, int) {
        const int64_t matrix = part / blocks, block = part % blocks;
        packBlock(d, right + matrix * d.inner * d.columns, block * 32,
            packed + matrix * packedElements(d) + block * chunks * 1024);
      },
      most);
  const int64_t rowParts = ceilDivide(d.rows, kRowsPerPart);
  forParts(
      rowParts * d.batch,
      [&](int64_t part, int thread) {
        const int64_t matrix = part / rowParts, first = part % rowParts * kRowsPerPart;
        TileMatmulRows rows{};
        rows.product = &d;
        rows.source = left + (d.one_left ? 0 : matrix * d.rows * d.inner);
        rows.packed = packed + (d.one_right ? 0 : matrix * packedElements(d));
        rows.destination = destination + matrix * d.rows * d.columns;
        rows.firstRow = first;
        rows.endRow = std::min(d.rows, first + kRowsPerPart);
        rows.strips = reinterpret_cast<BFloat16 *>(strips + stripBytes(d) * size_t(thread));
        table.productRows(rows);
      },
      most);
  return 0;
}

}  // extern "C"
