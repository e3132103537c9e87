// Included once per instruction set, after Vector.hpp.

/// Interpolates linearly, with the formula of the operator's reference implementation. If both values are infinite, the
/// usual formula `low + share · (high - low)` would give not-a-number.
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
    cropRowOf<BFloat16>(row);
  else
    cropRowOf<float>(row);
}

static bool overlapsAny(const SelectedBoxes &selected, const Box &box, double overlap, bool perClass) {
  // Rounds exactly as the operator's reference implementation does, because an overlap may equal the
  // threshold.
#pragma clang fp contract(off)
  constexpr int64_t together = 16;
  for (int64_t start = 0; start < selected.count; start += together) {
    const int64_t end = start + together < selected.count ? start + together : selected.count;
    int overlaps = 0;
    for (int64_t i = start; i < end; ++i) {
      const double right = box.right < selected.right[i] ? box.right : selected.right[i];
      const double left = box.left >= selected.left[i] ? box.left : selected.left[i];
      const double bottom = box.bottom < selected.bottom[i] ? box.bottom : selected.bottom[i];
      const double top = box.top >= selected.top[i] ? box.top : selected.top[i];
      const double width = right - left >= 0 ? right - left : 0;
      const double height = bottom - top >= 0 ? bottom - top : 0;
      const double common = width * height;
      const double all = selected.area[i] + box.area - common;
      const double share = all > 0 ? common / all : 0;
      overlaps |= !(share <= overlap) & (!perClass | (selected.best[i] == box.best));
    }
    if (overlaps) return true;
  }
  return false;
}
