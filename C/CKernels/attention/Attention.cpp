#include <algorithm>

#include "common/Table.hpp"

using namespace ck;

namespace {

/// The maximum size in bytes of the scores that a thread holds, which should fit a core's second-level cache.
constexpr int64_t kScoreBytes = 192 << 10;
/// The number of queries per step is a multiple of this, the rows of all tiles.
constexpr int64_t kTileRows = 6;
/// The maximum number of queries per step.
constexpr int64_t kMostTogether = 96;
/// The number of parts, if there are enough queries. Each part packs its keys and values, so each should have many
/// queries.
constexpr int64_t kParts = 16, kQueriesPerPart = 128;

bool makesSense(const ck_attention &d) {
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

/// The sizes of a thread's scratch memory, in elements.
struct Sizes {
  int64_t together, scoreStride, keys, values, queries, scores, sums, factors;

  explicit Sizes(const ck_attention &d) {
    const int64_t padded = ceilDivide(d.keys, 16) * 16, wide = ceilDivide(d.value_width, 16) * 16;
    // Rows that are a multiple of 4 KB apart would evict each other from the first-level cache.
    scoreStride = padded + (padded % 1024 == 0 ? 16 : 0);
    const int64_t fitting = kScoreBytes / (scoreStride * 4) / kTileRows * kTileRows;
    together = std::clamp(fitting, kTileRows, kMostTogether);
    together = std::min(together, ceilDivide(d.queries, kTileRows) * kTileRows);
    const auto lines = [](int64_t count) { return ceilDivide(count, 32) * 32; };
    keys = lines(padded * d.width);
    values = lines(d.keys * wide);
    queries = lines(together * d.width);
    scores = lines(together * scoreStride);
    sums = lines(together * wide);
    factors = lines(together);
  }

  size_t bytes() const { return size_t(keys + values + queries + scores + sums + factors) * sizeof(float); }
};

}  // namespace

extern "C" {

size_t ck_attention_scratch_bytes(const ck_attention *description, int32_t threads) {
  if (!description || !makesSense(*description)) return 0;
  return Sizes(*description).bytes() * size_t(threads < 1 ? 1 : threads);
}

int32_t ck_attention_run(
    const ck_attention *description, const float *query, const float *key, const float *value,
    const float *mask, float *destination, void *scratch, int32_t threads) {
  if (!description || !makesSense(*description) || !query || !key || !value || !destination || !scratch
      || (description->has_mask && !mask))
    return -1;
  const ck_attention &d = *description;
  const Table &kernels = table();
  const Sizes sizes(d);
  const int64_t heads = d.batch * d.key_heads;
  const int64_t most = std::max<int64_t>(1, d.queries / kQueriesPerPart);
  const int64_t steps = ceilDivide(d.queries, sizes.together);
  const int64_t stepsPerPart = ceilDivide(steps, std::min(most, ceilDivide(kParts, heads)));
  const int64_t parts = ceilDivide(steps, stepsPerPart);
  forParts(
      heads * parts,
      [&](int64_t part, int thread) {
        AttentionBlock block{};
        block.attention = &d;
        block.query = query;
        block.key = key;
        block.value = value;
        block.mask = mask;
        block.destination = destination;
        block.sample = part / parts / d.key_heads;
        block.keyHead = part / parts % d.key_heads;
        block.firstQuery = part % parts * stepsPerPart * sizes.together;
        block.endQuery = std::min(d.queries, block.firstQuery + stepsPerPart * sizes.together);
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
