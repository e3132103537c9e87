// Included once per instruction set, after Vector.hpp.

typedef double Doubles __attribute__((ext_vector_type(16)));

template <typename Element>
static void foldMaximumOf(const Element *row, int64_t count, bool starts, float *folded) {
  for (int64_t i = 0; i < count; i += 16) {
    const int64_t left = count - i;
    const Vector x = loadSome(row + i, left);
    if (starts) {
      storeSome(folded + i, x, left);
      continue;
    }
    const Vector held = loadSome(folded + i, left);
    storeSome(folded + i, choose((x > held) | (x != x), x, held), left);
  }
}

static void foldMaximum(
    const void *row, ck_type type, int64_t count, bool starts, float *folded) {
  if (type == CK_BF16)
    foldMaximumOf(static_cast<const Brain *>(row), count, starts, folded);
  else
    foldMaximumOf(static_cast<const float *>(row), count, starts, folded);
}

template <typename Element>
static void foldSumOf(const Element *row, int64_t count, bool starts, double *folded) {
  for (int64_t i = 0; i < count; ++i) {
    const double x = toFloat(row[i]);
    folded[i] = starts ? x : folded[i] + x;
  }
}

static void foldSum(const void *row, ck_type type, int64_t count, bool starts, double *folded) {
  if (type == CK_BF16)
    foldSumOf(static_cast<const Brain *>(row), count, starts, folded);
  else
    foldSumOf(static_cast<const float *>(row), count, starts, folded);
}

/// Between two values, as the definition has it: what is infinite stays so.
CK_INLINE Vector between(Vector low, Vector high, Vector share) {
  return low * (splat(1.0f) - share) + high * share;
}
CK_INLINE float between(float low, float high, float share) {
  return low * (1.0f - share) + high * share;
}

template <typename Element>
static void cropRowOf(const CropRow &row) {
  const Element *upper = static_cast<const Element *>(row.upper);
  const Element *lower = static_cast<const Element *>(row.lower);
  Element *to = static_cast<Element *>(row.destination);
  const Vector down = splat(row.share);
  for (int64_t column = 0; column < row.columns; ++column) {
    const CropRow::Tap tap = row.taps[column];
    const int64_t low = tap.low * row.channels, high = tap.high * row.channels;
    if (row.channels == 1) {
      const float above = between(toFloat(upper[low]), toFloat(upper[high]), tap.share);
      const float below = between(toFloat(lower[low]), toFloat(lower[high]), tap.share);
      fromFloat(between(above, below, row.share), to[column]);
      continue;
    }
    const Vector across = splat(tap.share);
    for (int64_t c = 0; c < row.channels; c += 16) {
      const int64_t left = row.channels - c;
      const Vector above =
          between(loadSome(upper + low + c, left), loadSome(upper + high + c, left), across);
      const Vector below =
          between(loadSome(lower + low + c, left), loadSome(lower + high + c, left), across);
      storeSome(to + column * row.channels + c, between(above, below, down), left);
    }
  }
}

static void cropRow(const CropRow &row) {
  if (row.type == CK_BF16)
    cropRowOf<Brain>(row);
  else
    cropRowOf<float>(row);
}

static bool overlapsAny(const KeptBoxes &kept, const Box &box, double overlap, bool perClass) {
  // Every rounding is the definition's: a box may lie on the threshold.
#pragma clang fp contract(off)
  constexpr int64_t together = 16;
  for (int64_t start = 0; start < kept.count; start += together) {
    const int64_t end = start + together < kept.count ? start + together : kept.count;
    int overlaps = 0;
    for (int64_t i = start; i < end; ++i) {
      const double right = box.right < kept.right[i] ? box.right : kept.right[i];
      const double left = box.left >= kept.left[i] ? box.left : kept.left[i];
      const double bottom = box.bottom < kept.bottom[i] ? box.bottom : kept.bottom[i];
      const double top = box.top >= kept.top[i] ? box.top : kept.top[i];
      const double width = right - left >= 0 ? right - left : 0;
      const double height = bottom - top >= 0 ? bottom - top : 0;
      const double common = width * height;
      const double all = kept.area[i] + box.area - common;
      const double share = all > 0 ? common / all : 0;
      overlaps |= !(share <= overlap) & (!perClass | (kept.best[i] == box.best));
    }
    if (overlaps) return true;
  }
  return false;
}

static float dotProduct(const float *a, const float *b, int64_t count, bool cosine) {
  Doubles products = 0, firsts = 0, seconds = 0;
  for (int64_t i = 0; i < count; i += 16) {
    const Doubles x = __builtin_convertvector(loadSome(a + i, count - i), Doubles);
    const Doubles y = __builtin_convertvector(loadSome(b + i, count - i), Doubles);
    products += x * y;
    if (!cosine) continue;
    firsts += x * x;
    seconds += y * y;
  }
  double product = 0, first = 0, second = 0;
  for (int lane = 0; lane < 16; ++lane) {
    product += products[lane];
    first += firsts[lane];
    second += seconds[lane];
  }
  if (!cosine) return static_cast<float>(product);
  const double lengths = __builtin_sqrt(first * second);
  return static_cast<float>(lengths == 0 ? 0 : product / lengths);
}
