// Included once per instruction set, after Softmax.inl.hpp.

/// The rows of a large tile.
#if CK_LEVEL >= 1
constexpr int64_t kAttentionRows = 6;
#else
constexpr int64_t kAttentionRows = 2;
#endif
/// The rows of a small tile. Rows are padded to a multiple of this.
constexpr int64_t kFewAttentionRows = 2;
/// The number of keys whose values stay in the second-level cache while all rows are multiplied by them.
constexpr int64_t kAttentionKeys = 256;
/// The number of rows after the present one that packing fetches into the first-level cache.
constexpr int64_t kRowsAhead = 64;

// MARK: Packing

/// Transposes 16 × 16 values: four rounds, each of which interleaves the rows of the upper half with those of the lower.
CK_INLINE void transposeSquare(Vector (&rows)[16]) {
#pragma clang loop unroll(full)
  for (int round = 0; round < 4; ++round) {
    Vector made[16];
#pragma clang loop unroll(full)
    for (int i = 0; i < 8; ++i) {
      made[2 * i] = __builtin_shufflevector(
          rows[i], rows[i + 8], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
      made[2 * i + 1] = __builtin_shufflevector(
          rows[i], rows[i + 8], 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    }
#pragma clang loop unroll(full)
    for (int i = 0; i < 16; ++i) rows[i] = made[i];
  }
}

/// Writes the transpose of a matrix `[rows, width]` in panels of `maxVectors` vectors of rows. Missing rows of the last
/// vector are zeros.
template <typename Element>
static void packTransposed(
    const Element *from, int64_t stride, int64_t rows, int64_t width, int maxVectors, float *to) {
  for (int64_t first = 0; first < rows; first += 16 * maxVectors) {
    const int64_t left = (rows - first + 15) / 16;
    const int64_t lanes = (left < maxVectors ? left : maxVectors) * 16;
    for (int64_t lane = 0; lane < lanes; lane += 16) {
      const Element *source = from + (first + lane) * stride;
      const int64_t some = rows - first - lane;
      for (int64_t k = 0; k < width; k += 16) {
        Vector square[16];
        const int64_t deep = width - k < 16 ? width - k : 16;
        for (int i = 0; i < 16; ++i)
          square[i] = i < some ? loadSome(source + i * stride + k, deep) : splat(0.0f);
        // The processor fetches rows of this distance too late by itself.
        for (int i = 0; i < 16; ++i) __builtin_prefetch(source + (i + kRowsAhead) * stride + k);
        transposeSquare(square);
        for (int64_t i = 0; i < deep; ++i) store(to + (k + i) * lanes + lane, square[i]);
      }
    }
    to += lanes * width;
  }
}

/// Writes a matrix `[rows, width]` in panels of `maxVectors` vectors of columns. Missing columns of the last vector are
/// zeros.
template <typename Element>
static void packColumns(
    const Element *from, int64_t stride, int64_t rows, int64_t width, int maxVectors, float *to) {
  for (int64_t first = 0; first < width; first += 16 * maxVectors) {
    const int64_t left = (width - first + 15) / 16;
    const int64_t lanes = (left < maxVectors ? left : maxVectors) * 16;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t lane = 0; lane < lanes; lane += 16)
        store(to + row * lanes + lane, loadSome(from + row * stride + first + lane, width - first - lane));
    to += lanes * rows;
  }
}

// MARK: Products

/// Multiplies a tile of P rows by a panel of NB vectors of columns, whose rows are `panelStep` apart. Adds the products to
/// `result` if `adds`.
template <int P, int NB, typename Element>
static void attentionTile(
    const float *rows, int64_t step, const Element *panel, int64_t panelStep, int64_t inner, float *result,
    int64_t resultStep, bool adds) {
  constexpr int bases = (P + 2) / 3;
  Vector sums[P][NB];
#pragma clang loop unroll(full)
  for (int p = 0; p < P; ++p)
#pragma clang loop unroll(full)
    for (int n = 0; n < NB; ++n) sums[p][n] = adds ? load(result + p * resultStep + n * 16) : splat(0.0f);
  const float *base[bases];
  for (int i = 0; i < bases; ++i) base[i] = rows + 3 * i * step;
#pragma clang loop unroll(disable)
  for (int64_t k = 0; k < inner; ++k) {
    Vector b[NB];
#pragma clang loop unroll(full)
    for (int n = 0; n < NB; ++n) b[n] = load(panel + n * 16);
#pragma clang loop unroll(full)
    for (int p = 0; p < P; ++p) {
      const Vector x = splat(base[p / 3][(p % 3) * step]);
#pragma clang loop unroll(full)
      for (int n = 0; n < NB; ++n) sums[p][n] = multiplyAdd(x, b[n], sums[p][n]);
    }
    panel += panelStep;
#pragma clang loop unroll(full)
    for (int i = 0; i < bases; ++i) {
      ++base[i];
      // Keeps the compiler from precomputing the pointers of all rows, which it would spill to the stack.
      __asm__("" : "+r"(base[i]));
    }
  }
#pragma clang loop unroll(full)
  for (int p = 0; p < P; ++p)
#pragma clang loop unroll(full)
    for (int n = 0; n < NB; ++n) store(result + p * resultStep + n * 16, sums[p][n]);
}

/// Multiplies a tile of P rows by a panel of columns.
template <int P, typename Element>
static void attentionTiles(
    int64_t vectors, const float *rows, int64_t step, const Element *panel, int64_t panelStep, int64_t inner,
    float *result, int64_t resultStep, bool adds) {
#if CK_LEVEL >= 2
  switch (vectors) {
    case 1: attentionTile<P, 1>(rows, step, panel, panelStep, inner, result, resultStep, adds); break;
    case 2: attentionTile<P, 2>(rows, step, panel, panelStep, inner, result, resultStep, adds); break;
    case 3: attentionTile<P, 3>(rows, step, panel, panelStep, inner, result, resultStep, adds); break;
    default: attentionTile<P, 4>(rows, step, panel, panelStep, inner, result, resultStep, adds); break;
  }
#else
  (void)vectors;
  attentionTile<P, 1>(rows, step, panel, panelStep, inner, result, resultStep, adds);
#endif
}

/// Multiplies rows by a panel of columns. `count` is a multiple of the rows of a small tile.
template <typename Element>
static void attentionPanel(
    int64_t vectors, const float *rows, int64_t step, int64_t count, const Element *panel, int64_t panelStep,
    int64_t inner, float *result, int64_t resultStep, bool adds) {
  constexpr int large = kAttentionRows, few = kFewAttentionRows;
  for (int64_t row = 0; row < count;) {
    const float *from = rows + row * step;
    float *to = result + row * resultStep;
    if (count - row >= large) {
      attentionTiles<large>(vectors, from, step, panel, panelStep, inner, to, resultStep, adds);
      row += large;
    } else if (count - row >= 2 * few) {
      attentionTiles<2 * few>(vectors, from, step, panel, panelStep, inner, to, resultStep, adds);
      row += 2 * few;
    } else {
      attentionTiles<few>(vectors, from, step, panel, panelStep, inner, to, resultStep, adds);
      row += few;
    }
  }
}

// MARK: Weights

/// Returns, for each lane, whether its index is below a number.
CK_INLINE Integers lanesBelow(int64_t count) {
  const Integers indices = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  return indices < (Integers)(static_cast<int32_t>(count));
}

/// Computes e^x for x ≤ 0 within 2 units in the last place, with fewer operations than `exponential`: a polynomial of
/// degree 5 gives e^r for |r| ≤ ln 2 / 2. Results below e^−87 may be 0. NaN stays NaN.
CK_INLINE Vector fallingExponential(Vector x) {
#if CK_LEVEL >= 1
  const Vector clamped = choose(x < splat(-104.0f), splat(-104.0f), x);
  const PowersOfTwo powers(clamped);
  const Vector r = multiplyAdd(powers.n, splat(-0.693147180559945309f), clamped);
  Vector p = splat(8.290308527648449e-03f);
  p = multiplyAdd(p, r, splat(4.1897963732481e-02f));
  p = multiplyAdd(p, r, splat(1.666763722896576e-01f));
  p = multiplyAdd(p, r, splat(4.999915063381195e-01f));
  p = multiplyAdd(p, r, splat(9.999997019767761e-01f));
  p = multiplyAdd(p, r, splat(1.0f));
#if CK_LEVEL >= 2
  return powers.times(p);
#else
  const Vector power = asFloat((asBits(powers.shifted) - 0x4b400000u + 127u) << 23);
  return choose(x < splat(-87.0f), splat(0.0f), p * power);
#endif
#else
  return exponential(x);
#endif
}

/// Turns a row of scores into weights, up to the factor that is returned. The lanes after the last key become zeros.
/// With `rounds`, the weights already contain the factor.
static float attentionWeights(const ck_attention &d, const float *mask, float *scores) {
  const int64_t keys = d.keys;
  const bool rounds = d.rounds, scales = rounds && !d.scales_query && d.scale != 1.0f;
  const Vector scale = splat(d.scale);
  Vector largest[2] = {splat(-__builtin_inff()), splat(-__builtin_inff())};
  for (int64_t i = 0; i < keys; i += 16) {
    Vector score = load(scores + i);
    if (rounds) score = roundToHalf(score);
    if (scales) score = roundToHalf(score * scale);
    if (mask && d.has_mask == 2) {
      score = choose(loadSome(mask + i, keys - i) == 0.0f, splat(d.fill), score);
    } else if (mask) {
      score += loadSome(mask + i, keys - i);
      if (rounds) score = roundToHalf(score);
    }
    if (keys - i < 16) score = choose(lanesBelow(keys - i), score, splat(-__builtin_inff()));
    if (rounds || mask || keys - i < 16) store(scores + i, score);
    largest[i >> 4 & 1] = greatest(score, largest[i >> 4 & 1]);
  }
  const Vector shift = splat(greatestOfLanes(greatest(largest[0], largest[1])));
  Vector sum = splat(0.0f);
  for (int64_t i = 0; i < keys; i += 16) {
    const Vector power = fallingExponential(load(scores + i) - shift);
    sum += power;
    store(scores + i, power);
  }
  const float factor = 1.0f / sumOfLanes(sum);
  if (!rounds) return factor;
  for (int64_t i = 0; i < keys; i += 16) store(scores + i, roundToHalf(load(scores + i) * splat(factor)));
  return 1.0f;
}

// MARK: The block

/// Where a row of a head of the keys is: the head of the query, and the query.
struct AttentionRow {
  int64_t sample, head, query;

  AttentionRow(const AttentionBlock &block, int64_t row) {
    const ck_attention &d = *block.attention;
    sample = block.sample;
    head = block.keyHead * (d.heads / d.key_heads) + row / d.queries;
    query = row % d.queries;
  }

  template <typename Element>
  Element *in(Element *tensor, const ck_attention_strides &strides) const {
    return tensor + sample * strides.batch + head * strides.head + query * strides.row;
  }
};

/// Computes the products of one row and all keys, which are read once, in the order of memory. `width` is a multiple of
/// 16.
template <typename Element>
static void scoresOfRow(
    const float *row, const Element *keys, int64_t step, int64_t count, int64_t width, float *scores) {
  for (int64_t key = 0; key < count; key += 16) {
    Vector sums[16];
    for (int i = 0; i < 16; ++i) sums[i] = splat(0.0f);
    // After the last key, its lanes repeat it.
    const int64_t last = count - 1 - key;
    for (int64_t k = 0; k < width; k += 16) {
      const Vector left = load(row + k);
#pragma clang loop unroll(full)
      for (int i = 0; i < 16; ++i)
        sums[i] = multiplyAdd(left, load(keys + (key + (i < last ? i : last)) * step + k), sums[i]);
    }
    transposeSquare(sums);
    for (int half = 8; half > 0; half /= 2)
      for (int i = 0; i < half; ++i) sums[i] += sums[i + half];
    store(scores + key, sums[0]);
  }
}

/// Computes the sum of `vectors` vectors of all values, multiplied by one row of weights.
template <int vectors, typename Element>
static void valuesOfRow(
    const float *weights, const Element *values, int64_t step, int64_t count, float *sums) {
  Vector totals[vectors];
  for (int i = 0; i < vectors; ++i) totals[i] = splat(0.0f);
  for (int64_t key = 0; key < count; ++key)
    for (int i = 0; i < vectors; ++i)
      totals[i] = multiplyAdd(splat(weights[key]), load(values + key * step + 16 * i), totals[i]);
  for (int i = 0; i < vectors; ++i) store(sums + 16 * i, totals[i]);
}

/// Calls `body` with the elements of a tensor from a position on, as float32 or float16.
template <typename Body>
CK_INLINE void withElements(const void *tensor, ck_type type, int64_t position, Body body) {
  if (type == CK_F16)
    body(static_cast<const Half *>(tensor) + position);
  else
    body(static_cast<const float *>(tensor) + position);
}

/// Some rows of a block, and how they are computed.
struct AttentionStep {
  /// The rows. `padded` is a multiple of the rows of a small tile.
  int64_t first, count, padded;
  /// Whether keys and values are read as they are. Packing for one row would take longer than the products.
  bool isSingle;
  /// Whether keys and values are to be packed.
  bool packs;
};

/// Computes the products of some rows and all keys.
template <typename Element>
static void attentionScores(const AttentionBlock &block, const AttentionStep &step, const Element *keys) {
  const ck_attention &d = *block.attention;
  if (step.isSingle) return scoresOfRow(block.queries, keys, d.key.row, d.keys, d.width, block.scores);
  const int64_t lanes = block.maxVectors * 16;
  for (int64_t key = 0; key < d.keys; key += lanes) {
    const int64_t some = d.keys - key < lanes ? d.keys - key : lanes, vectors = (some + 15) / 16;
    float *panel = block.keys + (block.keepsPanels ? key * d.width : 0);
    if (step.packs) packTransposed(keys + key * d.key.row, d.key.row, some, d.width, block.maxVectors, panel);
    attentionPanel(vectors, block.queries, d.width, step.padded, panel, vectors * 16, d.width,
        block.scores + key, block.scoreStride, false);
  }
}

/// Computes the sums of all values, multiplied by the weights of some rows.
template <typename Element>
static void attentionSums(const AttentionBlock &block, const AttentionStep &step, const Element *values) {
  const ck_attention &d = *block.attention;
  const int64_t wide = (d.value_width + 15) / 16 * 16, lanes = block.maxVectors * 16;
  if (step.isSingle) {
    int64_t column = 0;
    for (; wide - column >= 64; column += 64)
      valuesOfRow<4>(block.scores, values + column, d.value.row, d.keys, block.sums + column);
    for (; column < wide; column += 16)
      valuesOfRow<1>(block.scores, values + column, d.value.row, d.keys, block.sums + column);
    return;
  }
  const bool packsValues = block.keepsPanels || wide != d.value_width;
  if (packsValues && step.packs)
    packColumns(values, d.value.row, d.keys, d.value_width, block.maxVectors, block.values);
  for (int64_t key = 0; key < d.keys; key += kAttentionKeys) {
    const int64_t some = d.keys - key < kAttentionKeys ? d.keys - key : kAttentionKeys;
    for (int64_t column = 0; column < wide; column += lanes) {
      const int64_t width = wide - column < lanes ? wide - column : lanes;
      const auto multiply = [&](const auto *panel, int64_t panelStep) {
        attentionPanel(width / 16, block.scores + key, block.scoreStride, step.padded, panel, panelStep,
            some, block.sums + column, wide, key > 0);
      };
      if (packsValues)
        multiply(block.values + column * d.keys + key * width, width);
      else
        multiply(values + key * d.value.row + column, d.value.row);
    }
  }
}

/// Computes the results of some rows. The first step packs the keys and values.
static void attentionRows(const AttentionBlock &block, int64_t first, int64_t count, bool isFirstStep) {
  const ck_attention &d = *block.attention;
  const AttentionStep step = {first, count,
      (count + kFewAttentionRows - 1) / kFewAttentionRows * kFewAttentionRows,
      count == 1 && d.width % 16 == 0 && d.value_width % 16 == 0 && !block.keepsPanels, isFirstStep};
  const bool scales = (d.scales_query || !d.rounds) && d.scale != 1.0f;
  const Vector scale = splat(scales ? d.scale : 1.0f);
  for (int64_t row = 0; row < step.padded; ++row) {
    const float *query = row < count ? AttentionRow(block, first + row).in(block.query, d.query) : nullptr;
    for (int64_t k = 0; k < d.width; k += 16) {
      Vector value = query ? loadSome(query + k, d.width - k) : splat(0.0f);
      if (scales) value *= scale;
      if (scales && d.rounds) value = roundToHalf(value);
      storeSome(block.queries + row * d.width + k, value, d.width - k);
    }
  }
  withElements(block.key, d.key_type, block.sample * d.key.batch + block.keyHead * d.key.head,
      [&](const auto *keys) { attentionScores(block, step, keys); });
  for (int64_t row = 0; row < count; ++row)
    block.factors[row] = attentionWeights(d,
        d.has_mask ? AttentionRow(block, first + row).in(block.mask, d.mask) : nullptr,
        block.scores + row * block.scoreStride);
  withElements(block.value, d.value_type, block.sample * d.value.batch + block.keyHead * d.value.head,
      [&](const auto *values) { attentionSums(block, step, values); });
  const int64_t wide = (d.value_width + 15) / 16 * 16;
  for (int64_t row = 0; row < count; ++row) {
    float *destination = AttentionRow(block, first + row).in(block.destination, d.destination);
    const Vector factor = splat(block.factors[row]);
    for (int64_t i = 0; i < d.value_width; i += 16) {
      Vector value = load(block.sums + row * wide + i);
      if (!d.rounds) value *= factor;
      if (d.rounds_result) value = roundToHalf(value);
      storeSome(destination + i, value, d.value_width - i);
    }
  }
}

static void attentionBlock(const AttentionBlock &block) {
  for (int64_t row = block.firstRow; row < block.endRow; row += block.together) {
    const int64_t left = block.endRow - row;
    attentionRows(block, row, left < block.together ? left : block.together, row == block.firstRow);
  }
}
