// Included once per instruction set, after Vector.hpp.

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
    foldMaximumOf(static_cast<const BFloat16 *>(row), count, starts, folded);
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
    foldSumOf(static_cast<const BFloat16 *>(row), count, starts, folded);
  else
    foldSumOf(static_cast<const float *>(row), count, starts, folded);
}
