// Included once per instruction set, after Functions.hpp.

template <typename Element>
static void sumRangeOf(const SumRange &range) {
  Element *destination = static_cast<Element *>(range.destination);
  for (int64_t i = 0; i < range.count; i += 16) {
    const int64_t some = range.count - i;
    Vector sum = splat(0.0f);
    for (int64_t s = 0; s < range.sourceCount; ++s)
      sum += loadSome(static_cast<const Element *>(range.sources[s]) + i, some);
    storeSome(destination + i, sum, some);
  }
}

static void sumRange(const SumRange &range) {
  if (range.type == CK_F32) return sumRangeOf<float>(range);
  sumRangeOf<BFloat16>(range);
}
