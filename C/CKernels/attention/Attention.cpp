#include <algorithm>

#include "common/Table.hpp"

using namespace ck;

namespace {

/// The maximum size in bytes of the scores that a thread holds, which should fit a core's second-level cache.
constexpr int64_t kScoreBytes = 192 << 10;
/// The number of rows per step is a multiple of this, the rows of all tiles.
constexpr int64_t kTileRows = 6;
/// The maximum number of rows per step.
constexpr int64_t kMostTogether = 96;
/// The number of parts, if there are enough rows. Each part packs its keys and values, so each should have many rows.
constexpr int64_t kParts = 16, kRowsPerPart = 128;
/// The lanes of the widest panel.
constexpr int64_t kPanelLanes = 64;

bool makesSense(const ck_attention &d) {
  for (const ck_type type : {d.key_type, d.value_type})
    if (type != CK_F32 && type != CK_F16) return false;
  constexpr int64_t most = int64_t(1) << 40;
  if (d.batch < 1 || d.heads < 1 || d.key_heads < 1 || d.queries < 1 || d.keys < 1 || d.width < 1
      || d.value_width < 1 || d.heads % d.key_heads != 0)
    return false;
  // With these limits, no product of sizes overflows.
  return d.batch < most && d.heads < most / d.batch && d.queries < most / (d.batch * d.heads)
      && d.width < most / (d.batch * d.heads * d.queries)
      && d.value_width < most / (d.batch * d.heads * d.queries) && d.keys < most / (d.batch * d.heads)
      && d.width < most / (d.batch * d.heads * d.keys) && d.value_width < most / (d.batch * d.heads * d.keys);
}

/// How the rows of a head of the keys are divided, and the sizes of a thread's scratch memory in elements.
struct Sizes {
  int64_t rows, together, stepsPerPart, parts;
  int64_t scoreStride, keys, values, queries, scores, sums, factors;

  explicit Sizes(const ck_attention &d) {
    const int64_t padded = ceilDivide(d.keys, 16) * 16, wide = ceilDivide(d.value_width, 16) * 16;
    // Rows that are a multiple of 4 KB apart would evict each other from the first-level cache.
    scoreStride = padded + (padded % 1024 == 0 ? 16 : 0);
    const int64_t fitting = kScoreBytes / (scoreStride * 4) / kTileRows * kTileRows;
    rows = d.heads / d.key_heads * d.queries;
    together = std::clamp(fitting, kTileRows, kMostTogether);
    together = std::min(together, ceilDivide(rows, kTileRows) * kTileRows);
    const int64_t most = std::max<int64_t>(1, rows / kRowsPerPart);
    const int64_t steps = ceilDivide(rows, together);
    stepsPerPart = ceilDivide(steps, std::min(most, ceilDivide(kParts, d.batch * d.key_heads)));
    parts = ceilDivide(steps, stepsPerPart);
    const auto lines = [](int64_t count) { return ceilDivide(count, 32) * 32; };
    keys = lines((keepsPanels() ? padded : kPanelLanes) * d.width);
    values = keepsPanels() || wide != d.value_width ? lines(d.keys * wide) : 0;
    queries = lines(together * d.width);
    scores = lines(together * scoreStride);
    sums = lines(together * wide);
    factors = lines(together);
  }

  bool keepsPanels() const { return stepsPerPart > 1; }

  size_t bytes() const { return size_t(keys + values + queries + scores + sums + factors) * sizeof(float); }
};

}  // namespace

extern "C" {

size_t ck_attention_scratch_bytes(const ck_attention *description, int32_t threads) {
  if (!description || !makesSense(*description)) return 0;
  return Sizes(*description).bytes() * size_t(threads < 1 ? 1 : threads);
}

int32_t ck_attention_run(
    const ck_attention *description, const float *query, const void *key, const void *value,
    const float *mask, float *destination, void *scratch, int32_t threads) {
  if (!description || !makesSense(*description) || !query || !key || !value || !destination || !scratch
      || (description->has_mask && !mask))
    return -1;
  const ck_attention &d = *description;
  const Table &kernels = table();
  const Sizes sizes(d);
  forParts(
      d.batch * d.key_heads * sizes.parts,
      [&](int64_t part, int thread) {
        AttentionBlock block{};
        block.attention = &d;
        block.query = query;
        block.key = key;
        block.value = value;
        block.mask = mask;
        block.destination = destination;
        block.sample = part / sizes.parts / d.key_heads;
        block.keyHead = part / sizes.parts % d.key_heads;
        block.firstRow = part % sizes.parts * sizes.stepsPerPart * sizes.together;
        block.endRow = std::min(sizes.rows, block.firstRow + sizes.stepsPerPart * sizes.together);
        block.keepsPanels = sizes.keepsPanels();
        block.maxVectors = kernels.maxVectors;
        block.together = sizes.together;
        block.scoreStride = sizes.scoreStride;
        block.keys = static_cast<float *>(scratch) + int64_t(sizes.bytes() / sizeof(float)) * thread;
        block.values = block.keys + sizes.keys;
        block.queries = block.values + sizes.values;
        block.scores = block.queries + sizes.queries;
        block.sums = block.scores + sizes.scores;
        block.factors = block.sums + sizes.sums;
        kernels.attention(block);
      },
      threads < 1 ? 1 : threads);
  return 0;
}

}  // extern "C"
