// Included once per instruction set, after Functions.hpp.

/// Columns that are folded side by side where the axis does not lie contiguously.
constexpr int64_t kSoftmaxColumns = 64;
/// Room for the powers of a row of narrow elements.
constexpr int64_t kSoftmaxKept = 4096;

/// The first `count` values; below all numbers after them, so that their powers vanish.
template <typename Element>
CK_INLINE Vector loadLogits(const Element *from, int64_t count) {
  if (count >= 16) return load(from);
  alignas(64) float values[16];
  store(values, loadSome(from, count));
  for (int64_t i = count; i < 16; ++i) values[i] = -__builtin_inff();
  return load(values);
}

CK_INLINE float sumOfLanes(Vector value) {
  float sum = 0.0f;
  for (int i = 0; i < 16; ++i) sum += value[i];
  return sum;
}

CK_INLINE float greatestOfLanes(Vector value) {
  float result = value[0];
  for (int i = 1; i < 16; ++i) result = value[i] > result ? value[i] : result;
  return result;
}

// A value that is not a number may be passed over by the search for the largest, but its power makes
// the sum, and with it every result of the row, not a number.

template <typename Element>
CK_INLINE void softmaxContiguous(const Element *source, Element *destination, int64_t axis) {
  constexpr bool isWide = sizeof(Element) == sizeof(float);
  // Powers of narrow elements, which would round them a second time. Of longer rows they are computed twice.
  alignas(64) float kept[isWide ? 16 : kSoftmaxKept];
  const bool keeps = !isWide && axis <= kSoftmaxKept - 16;
  const int64_t whole = axis / 16 * 16;
  Vector largest[4];
  for (Vector &value : largest) value = splat(-__builtin_inff());
  int64_t i = 0;
  for (; i + 64 <= axis; i += 64)
    for (int v = 0; v < 4; ++v) largest[v] = greatest(load(source + i + v * 16), largest[v]);
  for (; i < axis; i += 16) largest[0] = greatest(loadLogits(source + i, axis - i), largest[0]);
  largest[0] = greatest(greatest(largest[0], largest[1]), greatest(largest[2], largest[3]));
  const Vector shift = splat(greatestOfLanes(largest[0]));
  Vector sum = splat(0.0f);
  auto keep = [&](int64_t place, Vector power, int64_t some) {
    sum += power;
    if constexpr (isWide) {
      storeSome(destination + place, power, some);
    } else if (keeps) {
      store(kept + place, power);
    }
  };
  for (i = 0; i < whole; i += 16) keep(i, exponential(load(source + i) - shift), 16);
  if (whole < axis)
    keep(whole, exponential(loadLogits(source + whole, axis - whole) - shift), axis - whole);
  const Vector factor = splat(1.0f / sumOfLanes(sum));
  auto finish = [&](int64_t place, int64_t some) {
    Vector power;
    if constexpr (isWide) {
      power = loadSome(destination + place, some);
    } else {
      power = keeps ? load(kept + place) : exponential(loadLogits(source + place, some) - shift);
    }
    storeSome(destination + place, power * factor, some);
  };
  for (i = 0; i < whole; i += 16) finish(i, 16);
  if (whole < axis) finish(whole, axis - whole);
}

template <typename Element>
CK_INLINE void softmaxStrided(
    const Element *source, Element *destination, int64_t axis, int64_t stride, int64_t columns) {
  constexpr int64_t most = kSoftmaxColumns / 16;
  const int64_t vectors = (columns + 15) / 16;
  constexpr bool isWide = sizeof(Element) == sizeof(float);
  Vector largest[most], sums[most];
  for (int64_t v = 0; v < vectors; ++v) {
    largest[v] = splat(-__builtin_inff());
    sums[v] = splat(0.0f);
  }
  for (int64_t i = 0; i < axis; ++i)
    for (int64_t v = 0; v < vectors; ++v)
      largest[v] = greatest(loadSome(source + i * stride + v * 16, columns - v * 16), largest[v]);
  for (int64_t i = 0; i < axis; ++i)
    for (int64_t v = 0; v < vectors; ++v) {
      const int64_t at = i * stride + v * 16, some = columns - v * 16;
      const Vector power = exponential(loadSome(source + at, some) - largest[v]);
      sums[v] += power;
      if constexpr (isWide) storeSome(destination + at, power, some);
    }
  for (int64_t v = 0; v < vectors; ++v) sums[v] = splat(1.0f) / sums[v];
  for (int64_t i = 0; i < axis; ++i)
    for (int64_t v = 0; v < vectors; ++v) {
      const int64_t at = i * stride + v * 16, some = columns - v * 16;
      const Vector power = isWide ? loadSome(destination + at, some)
                                  : exponential(loadSome(source + at, some) - largest[v]);
      storeSome(destination + at, power * sums[v], some);
    }
}

template <typename Element>
static void softmaxOf(const SoftmaxBlock &block) {
  const Element *source = static_cast<const Element *>(block.source);
  Element *destination = static_cast<Element *>(block.destination);
  if (block.stride > 1)
    return softmaxStrided(source, destination, block.axis, block.stride, block.columns);
  for (int64_t row = 0; row < block.rows; ++row)
    softmaxContiguous(source + row * block.axis, destination + row * block.axis, block.axis);
}

static void softmax(const SoftmaxBlock &block) {
  switch (block.type) {
    case CK_F32: return softmaxOf<float>(block);
    case CK_BF16: return softmaxOf<Brain>(block);
    default: return softmaxOf<Half>(block);
  }
}
