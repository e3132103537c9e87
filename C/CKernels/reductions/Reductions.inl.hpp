// Included once per instruction set, after Functions.hpp.

// MARK: The rules of reductions

struct SumRule {
  static constexpr float start = 0.0f;
  CK_INLINE Vector add(Vector r, Vector x, Vector) { return r + x; }
  CK_INLINE Vector join(Vector r, Vector s) { return r + s; }
};
struct LogsRule : SumRule {
  CK_INLINE Vector add(Vector r, Vector x, Vector epsilon) { return r + logarithm(x + epsilon); }
};
struct SquaresRule : SumRule {
  CK_INLINE Vector add(Vector r, Vector x, Vector) { return multiplyAdd(x, x, r); }
};
struct MagnitudesRule : SumRule {
  CK_INLINE Vector add(Vector r, Vector x, Vector) { return r + absolute(x); }
};
struct ProductRule {
  static constexpr float start = 1.0f;
  CK_INLINE Vector add(Vector r, Vector x, Vector) { return r * x; }
  CK_INLINE Vector join(Vector r, Vector s) { return r * s; }
};
/// The maximum. Not-a-number wins over all numbers.
struct MaximumRule {
  static constexpr float start = -__builtin_inff();
  CK_INLINE Vector add(Vector r, Vector x, Vector) { return choose(x != x, x, choose(x > r, x, r)); }
  CK_INLINE Vector join(Vector r, Vector s) { return choose(s != s, s, choose(s > r, s, r)); }
};
struct MinimumRule {
  static constexpr float start = __builtin_inff();
  CK_INLINE Vector add(Vector r, Vector x, Vector) { return choose(x != x, x, choose(x < r, x, r)); }
  CK_INLINE Vector join(Vector r, Vector s) { return choose(s != s, s, choose(s < r, s, r)); }
};

/// Returns a mask of the lanes whose index is below `count`.
CK_INLINE Integers lanesBefore(int64_t count) {
  const Integers lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  return lanes < (Integers)(static_cast<int32_t>(count));
}

template <typename Rule>
CK_INLINE float foldLanes(Vector r) {
  r = Rule::join(
      r, __builtin_shufflevector(r, r, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  r = Rule::join(
      r, __builtin_shufflevector(r, r, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11));
  r = Rule::join(
      r, __builtin_shufflevector(r, r, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
  r = Rule::join(
      r, __builtin_shufflevector(r, r, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
  return r[0];
}

// MARK: Rows

/// The numbers of accumulators for one row and for one block of neighbouring columns. They are so small that all
/// accumulators stay in registers.
constexpr int kRowParts = CK_LEVEL == 0 ? 2 : 4;
constexpr int kColumnParts = CK_LEVEL >= 2 ? 16 : 4;

template <typename Rule, typename Element>
static float foldRow(const Element *source, int64_t count, float epsilon) {
  const Vector shift = splat(epsilon);
  Vector parts[kRowParts];
  for (Vector &part : parts) part = splat(Rule::start);
  int64_t i = 0;
  for (; i + kRowParts * 16 <= count; i += kRowParts * 16)
    for (int v = 0; v < kRowParts; ++v)
      parts[v] = Rule::add(parts[v], load(source + i + v * 16), shift);
  int last = 0;
  for (; i + 16 <= count; i += 16, ++last)
    parts[last] = Rule::add(parts[last], load(source + i), shift);
  if (i < count) {
    // The last vector overlaps the vector before it, so its values that are reduced already are masked. In a short row,
    // the last vector is the only one.
    const int64_t left = count - i;
    const bool overlaps = CK_LEVEL < 2 && count >= 16;
    const Vector x = overlaps ? load(source + count - 16) : loadSome(source + i, left);
    const Integers isNew = overlaps ? ~lanesBefore(16 - left) : lanesBefore(left);
    parts[last] = choose(isNew, Rule::add(parts[last], x, shift), parts[last]);
  }
  for (int half = kRowParts / 2; half > 0; half /= 2)
    for (int v = 0; v < half; ++v) parts[v] = Rule::join(parts[v], parts[v + half]);
  return foldLanes<Rule>(parts[0]);
}

/// Rows of at most this many values are reduced 16 rows at a time.
constexpr int64_t kShortRow = 12;

template <typename Rule, typename Element>
static void foldShortRows(
    const Element *source, int64_t rows, int64_t count, float *result, float epsilon) {
  constexpr ck_type type = typeOf<Element>();
  const Vector shift = splat(epsilon);
  alignas(64) float values[kShortRow * 16];
  alignas(64) float transposed[kShortRow][16];
  for (int64_t row = 0; row < rows; row += 16) {
    const int64_t some = rows - row < 16 ? rows - row : 16;
    anyToFloat(source, type, row * count, values, some * count);
    for (int64_t i = 0; i < count; ++i)
      for (int64_t lane = 0; lane < 16; ++lane)
        transposed[i][lane] = lane < some ? values[lane * count + i] : 0.0f;
    Vector sum = splat(Rule::start);
    for (int64_t i = 0; i < count; ++i) sum = Rule::add(sum, load(transposed[i]), shift);
    storeSome(result + row, sum, some);
  }
}

template <typename Rule, typename Element>
static void foldRows(
    const Element *source, int64_t rows, int64_t count, float *result, float epsilon) {
  if (count <= kShortRow && rows > 1)
    return foldShortRows<Rule>(source, rows, count, result, epsilon);
  for (int64_t row = 0; row < rows; ++row)
    result[row] = foldRow<Rule>(source + row * count, count, epsilon);
}

// MARK: Columns

/// Returns the number of rows that can be read in whole vectors without leaving the block's memory.
CK_INLINE int64_t safeRows(int64_t count, int64_t stride, int64_t columns, int64_t lanes) {
  if (columns >= lanes) return count;
  const int64_t rows = count - (lanes - columns + stride - 1) / stride;
  return rows > 0 ? rows : 0;
}

/// Reduces `count` rows of up to `vectors` vectors, column by column. The rows are `stride` apart.
template <typename Rule, typename Element, int vectors>
static void foldColumnBlock(
    const Element *source, int64_t count, int64_t stride, int64_t columns, float *result,
    float epsilon) {
  const Vector shift = splat(epsilon);
  Vector parts[vectors];
  for (Vector &part : parts) part = splat(Rule::start);
  const int64_t safe = safeRows(count, stride, columns, vectors * 16);
  for (int64_t row = 0; row < safe; ++row)
    for (int v = 0; v < vectors; ++v)
      parts[v] = Rule::add(parts[v], load(source + row * stride + v * 16), shift);
  for (int64_t row = safe; row < count; ++row)
    for (int v = 0; v < vectors; ++v)
      if (columns > v * 16)
        parts[v] = Rule::add(
            parts[v], loadSome(source + row * stride + v * 16, columns - v * 16), shift);
  for (int v = 0; v < vectors; ++v)
    if (columns > v * 16) storeSome(result + v * 16, parts[v], columns - v * 16);
}

template <typename Rule, typename Element>
static void foldWith(const ReductionBlock &block) {
  const Element *source = static_cast<const Element *>(block.source);
  const int64_t count = block.count, stride = block.stride;
  const float epsilon = block.epsilon;
  if (stride == 1) return foldRows<Rule>(source, block.rows, count, block.result, epsilon);
  constexpr int64_t most = kColumnParts * 16;
  for (int64_t first = 0; first < block.columns; first += most) {
    const int64_t columns = block.columns - first < most ? block.columns - first : most;
    const Element *from = source + first;
    float *result = block.result + first;
    if (columns <= 16) {
      foldColumnBlock<Rule, Element, 1>(from, count, stride, columns, result, epsilon);
    } else if (columns <= 32) {
      foldColumnBlock<Rule, Element, 2>(from, count, stride, columns, result, epsilon);
    } else if (columns <= 64) {
      foldColumnBlock<Rule, Element, 4>(from, count, stride, columns, result, epsilon);
    } else if (columns <= 128) {
      foldColumnBlock<Rule, Element, kColumnParts / 2>(from, count, stride, columns, result, epsilon);
    } else {
      foldColumnBlock<Rule, Element, kColumnParts>(from, count, stride, columns, result, epsilon);
    }
  }
}

// MARK: Argmax and argmin

/// Returns the index of the first extreme of a row, or of the row's first NaN. Finds the extreme value first, then its
/// index.
template <typename Rule, typename Element>
static float findInRow(const Element *source, int64_t count) {
  const float extreme = foldRow<Rule>(source, count, 0.0f);
  const bool isNaN = extreme != extreme;
  const Vector wanted = splat(extreme);
  for (int64_t i = 0; i < count; i += 16) {
    const Vector x = loadSome(source + i, count - i);
    const Integers hits = (isNaN ? x != x : x == wanted) & lanesBefore(count - i < 16 ? count - i : 16);
    if (!__builtin_reduce_or(hits)) continue;
    for (int lane = 0; lane < 16; ++lane)
      if (hits[lane]) return float(i + lane);
  }
  return 0.0f;
}

/// Finds the index of the first extreme, or of the first NaN, in each of up to 16 columns.
template <bool isLargest, typename Element>
static void findInColumns(
    const Element *source, int64_t count, int64_t stride, int64_t columns, float *result) {
  Vector best = loadSome(source, columns);
  Integers index = (Integers)(0);
  for (int64_t i = 1; i < count; ++i) {
    const Vector x = loadSome(source + i * stride, columns);
    const Integers ahead = isLargest ? x > best : x < best;
    const Integers takes = ahead | ((x != x) & (best == best));
    best = choose(takes, x, best);
    index = takes ? (Integers)(static_cast<int32_t>(i)) : index;
  }
  storeSome(result, __builtin_convertvector(index, Vector), columns);
}

template <typename Rule, bool isLargest, typename Element>
static void findWith(const ReductionBlock &block) {
  const Element *source = static_cast<const Element *>(block.source);
  if (block.count == 0) {
    for (int64_t i = 0; i < block.rows * block.columns; ++i) block.result[i] = 0.0f;
  } else if (block.stride == 1) {
    for (int64_t row = 0; row < block.rows; ++row)
      block.result[row] = findInRow<Rule>(source + row * block.count, block.count);
  } else {
    for (int64_t c = 0; c < block.columns; c += 16)
      findInColumns<isLargest>(
          source + c, block.count, block.stride, block.columns - c < 16 ? block.columns - c : 16,
          block.result + c);
  }
}

// MARK: log Σ e^x = m + log Σ e^(x − m) with m the largest x

/// The number of values that are added up in float32 before the sum continues in double.
constexpr int64_t kPowers = 1024;

template <typename Element>
static float sumPowersOfRow(const Element *source, int64_t count) {
  Vector largest = splat(-__builtin_inff());
  for (int64_t i = 0; i < count; i += 16)
    largest = greatest(loadLogits(source + i, count - i), largest);
  const float most = greatestOfLanes(largest);
  const float shift = most - most == 0.0f ? most : 0.0f;
  double total = 0.0;
  for (int64_t start = 0; start < count; start += kPowers) {
    const int64_t end = count - start < kPowers ? count : start + kPowers;
    Vector sum = splat(0.0f);
    for (int64_t i = start; i < end; i += 16) {
      const Vector power = exponential(loadSome(source + i, end - i) - splat(shift));
      sum += end - i >= 16 ? power : choose(lanesBefore(end - i), power, splat(0.0f));
    }
    total += double(sumOfLanes(sum));
  }
  return float(double(shift) + __builtin_log(total));
}

template <typename Element>
static void sumPowersOfColumns(
    const Element *source, int64_t count, int64_t stride, int64_t columns, float *result) {
  Vector largest = splat(-__builtin_inff());
  for (int64_t i = 0; i < count; ++i)
    largest = greatest(loadSome(source + i * stride, columns), largest);
  const Vector shift = choose(largest - largest == splat(0.0f), largest, splat(0.0f));
  double totals[16] = {};
  for (int64_t start = 0; start < count; start += kPowers) {
    const int64_t end = count - start < kPowers ? count : start + kPowers;
    Vector sum = splat(0.0f);
    for (int64_t i = start; i < end; ++i)
      sum += exponential(loadSome(source + i * stride, columns) - shift);
    for (int lane = 0; lane < 16; ++lane) totals[lane] += double(sum[lane]);
  }
  for (int64_t c = 0; c < columns; ++c)
    result[c] = float(double(shift[c]) + __builtin_log(totals[c]));
}

template <typename Element>
static void sumPowers(const ReductionBlock &block) {
  const Element *source = static_cast<const Element *>(block.source);
  if (block.stride == 1) {
    for (int64_t row = 0; row < block.rows; ++row)
      block.result[row] = sumPowersOfRow(source + row * block.count, block.count);
    return;
  }
  for (int64_t c = 0; c < block.columns; c += 16)
    sumPowersOfColumns(
        source + c, block.count, block.stride, block.columns - c < 16 ? block.columns - c : 16,
        block.result + c);
}

// MARK: All kinds

template <typename Element>
static void reductionOf(const ReductionBlock &block) {
  switch (block.kind) {
    case CK_REDUCE_SUM:
    case CK_REDUCE_MEAN:
    case CK_REDUCE_LOG_OF_SUM: return foldWith<SumRule, Element>(block);
    case CK_REDUCE_PRODUCT: return foldWith<ProductRule, Element>(block);
    case CK_REDUCE_SUM_OF_LOGS: return foldWith<LogsRule, Element>(block);
    case CK_REDUCE_SUM_OF_SQUARES:
    case CK_REDUCE_L2: return foldWith<SquaresRule, Element>(block);
    case CK_REDUCE_L1: return foldWith<MagnitudesRule, Element>(block);
    case CK_REDUCE_MAXIMUM: return foldWith<MaximumRule, Element>(block);
    case CK_REDUCE_MINIMUM: return foldWith<MinimumRule, Element>(block);
    case CK_REDUCE_ARGMAX: return findWith<MaximumRule, true, Element>(block);
    case CK_REDUCE_ARGMIN: return findWith<MinimumRule, false, Element>(block);
    case CK_REDUCE_LOG_OF_SUM_OF_EXPONENTIALS: return sumPowers<Element>(block);
  }
}

static void reductionBlock(const ReductionBlock &block) {
  switch (block.type) {
    case CK_F32: return reductionOf<float>(block);
    case CK_BF16: return reductionOf<BFloat16>(block);
    default: return reductionOf<Half>(block);
  }
}
