// Included once per instruction set, after Softmax.inl.hpp.

/// The rows of a tile.
#if CK_LEVEL >= 1
constexpr int64_t kAttentionRows = 6;
#else
constexpr int64_t kAttentionRows = 2;
#endif
/// The number of keys whose values stay in the second-level cache while all rows are multiplied by them.
constexpr int64_t kAttentionKeys = 256;

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
static void packTransposed(
    const float *from, int64_t stride, int64_t rows, int64_t width, int maxVectors, float *to) {
  for (int64_t first = 0; first < rows; first += 16 * maxVectors) {
    const int64_t left = (rows - first + 15) / 16;
    const int64_t lanes = (left < maxVectors ? left : maxVectors) * 16;
    for (int64_t lane = 0; lane < lanes; lane += 16) {
      const float *source = from + (first + lane) * stride;
      const int64_t some = rows - first - lane;
      for (int64_t k = 0; k < width; k += 16) {
        Vector square[16];
        const int64_t deep = width - k < 16 ? width - k : 16;
        for (int i = 0; i < 16; ++i)
          square[i] = i < some ? loadSome(source + i * stride + k, deep) : splat(0.0f);
        transposeSquare(square);
        for (int64_t i = 0; i < deep; ++i) store(to + (k + i) * lanes + lane, square[i]);
      }
    }
    to += lanes * width;
  }
}

/// Writes a matrix `[rows, width]` in panels of `maxVectors` vectors of columns. Missing columns of the last vector are
/// zeros.
static void packColumns(
    const float *from, int64_t stride, int64_t rows, int64_t width, int maxVectors, float *to) {
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

/// Multiplies a tile of rows by a panel of NB vectors of columns, whose rows are `panelStep` apart. Adds the products to
/// `result` if `adds`.
template <int NB>
static void attentionTile(
    const float *rows, int64_t step, const float *panel, int64_t panelStep, int64_t inner, float *result,
    int64_t resultStep, bool adds) {
  constexpr int P = kAttentionRows, bases = (P + 2) / 3;
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

/// Multiplies rows by a panel of columns.
static void attentionPanel(
    int64_t vectors, const float *rows, int64_t step, int64_t count, const float *panel, int64_t panelStep,
    int64_t inner, float *result, int64_t resultStep, bool adds) {
  for (int64_t row = 0; row < count; row += kAttentionRows) {
    const float *from = rows + row * step;
    float *to = result + row * resultStep;
#if CK_LEVEL >= 2
    switch (vectors) {
      case 1: attentionTile<1>(from, step, panel, panelStep, inner, to, resultStep, adds); break;
      case 2: attentionTile<2>(from, step, panel, panelStep, inner, to, resultStep, adds); break;
      case 3: attentionTile<3>(from, step, panel, panelStep, inner, to, resultStep, adds); break;
      default: attentionTile<4>(from, step, panel, panelStep, inner, to, resultStep, adds); break;
    }
#else
    (void)vectors;
    attentionTile<1>(from, step, panel, panelStep, inner, to, resultStep, adds);
#endif
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
static void scoresOfRow(
    const float *row, const float *keys, int64_t step, int64_t count, int64_t width, float *scores) {
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
template <int vectors>
static void valuesOfRow(
    const float *weights, const float *values, int64_t step, int64_t count, float *sums) {
  Vector totals[vectors];
  for (int i = 0; i < vectors; ++i) totals[i] = splat(0.0f);
  for (int64_t key = 0; key < count; ++key)
    for (int i = 0; i < vectors; ++i)
      totals[i] = multiplyAdd(splat(weights[key]), load(values + key * step + 16 * i), totals[i]);
  for (int i = 0; i < vectors; ++i) store(sums + 16 * i, totals[i]);
}

/// Computes the results of some rows. The first step packs the keys and values.
static void attentionRows(const AttentionBlock &block, int64_t first, int64_t count, bool isFirstStep) {
  const ck_attention &d = *block.attention;
  const int64_t rows = (count + kAttentionRows - 1) / kAttentionRows * kAttentionRows;
  const bool scales = (d.scales_query || !d.rounds) && d.scale != 1.0f;
  const Vector scale = splat(scales ? d.scale : 1.0f);
  for (int64_t row = 0; row < rows; ++row) {
    const float *query = row < count ? AttentionRow(block, first + row).in(block.query, d.query) : nullptr;
    for (int64_t k = 0; k < d.width; k += 16) {
      Vector value = query ? loadSome(query + k, d.width - k) : splat(0.0f);
      if (scales) value *= scale;
      if (scales && d.rounds) value = roundToHalf(value);
      storeSome(block.queries + row * d.width + k, value, d.width - k);
    }
  }

  const int64_t lanes = block.maxVectors * 16;
  const float *keys = block.key + block.sample * d.key.batch + block.keyHead * d.key.head;
  // Packing for one row would take longer than the products.
  const bool isSingle = count == 1 && d.width % 16 == 0 && d.value_width % 16 == 0 && !block.keepsPanels;
  if (isSingle) scoresOfRow(block.queries, keys, d.key.row, d.keys, d.width, block.scores);
  for (int64_t key = 0; key < d.keys && !isSingle; key += lanes) {
    const int64_t some = d.keys - key < lanes ? d.keys - key : lanes, vectors = (some + 15) / 16;
    float *panel = block.keys + (block.keepsPanels ? key * d.width : 0);
    if (isFirstStep) packTransposed(keys + key * d.key.row, d.key.row, some, d.width, block.maxVectors, panel);
    attentionPanel(vectors, block.queries, d.width, rows, panel, vectors * 16, d.width, block.scores + key,
        block.scoreStride, false);
  }
  for (int64_t row = 0; row < count; ++row)
    block.factors[row] = attentionWeights(d,
        d.has_mask ? AttentionRow(block, first + row).in(block.mask, d.mask) : nullptr,
        block.scores + row * block.scoreStride);

  const int64_t wide = (d.value_width + 15) / 16 * 16;
  const float *values = block.value + block.sample * d.value.batch + block.keyHead * d.value.head;
  const bool packsValues = block.keepsPanels || wide != d.value_width;
  for (int64_t column = 0; column < wide && isSingle;) {
    if (wide - column >= 64) {
      valuesOfRow<4>(block.scores, values + column, d.value.row, d.keys, block.sums + column);
      column += 64;
    } else {
      valuesOfRow<1>(block.scores, values + column, d.value.row, d.keys, block.sums + column);
      column += 16;
    }
  }
  if (packsValues && isFirstStep)
    packColumns(values, d.value.row, d.keys, d.value_width, block.maxVectors, block.values);
  for (int64_t key = 0; key < d.keys && !isSingle; key += kAttentionKeys) {
    const int64_t some = d.keys - key < kAttentionKeys ? d.keys - key : kAttentionKeys;
    for (int64_t column = 0; column < wide; column += lanes) {
      const int64_t width = wide - column < lanes ? wide - column : lanes;
      attentionPanel(width / 16, block.scores + key, block.scoreStride, rows,
          packsValues ? block.values + column * d.keys + key * width : values + key * d.value.row + column,
          packsValues ? width : d.value.row, some, block.sums + column, wide, key > 0);
    }
  }
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
