// Included once per instruction set, after Functions.hpp.

/// The number of neighbouring columns that are reduced together if the axis is not contiguous.
constexpr int64_t kSoftmaxColumns = 64;
/// The number of exponentials of a row of 16-bit elements that fit the buffer.
constexpr int64_t kSoftmaxExponentials = 4096;

/// Loads the first `count` values. The other lanes get −∞, so that their exponentials are 0.
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

// The search for the largest value may skip a not-a-number. The exponential of this not-a-number still makes the sum,
// and thus every result of the row, not-a-number.

template <typename Element>
CK_INLINE void softmaxContiguous(const Element *source, Element *destination, int64_t axis) {
  constexpr bool isWide = sizeof(Element) == sizeof(float);
  // For rows of 16-bit elements, holds the exponentials in float32, because storing them in 16 bits would round twice.
  // If a row is too long for the buffer, its exponentials are computed twice instead.
  alignas(64) float exponentials[isWide ? 16 : kSoftmaxExponentials];
  const bool fits = !isWide && axis <= kSoftmaxExponentials - 16;
  const int64_t full = axis / 16 * 16;
  Vector largest[4];
  for (Vector &value : largest) value = splat(-__builtin_inff());
  int64_t i = 0;
  for (; i + 64 <= axis; i += 64)
    for (int v = 0; v < 4; ++v) largest[v] = greatest(load(source + i + v * 16), largest[v]);
  for (; i < axis; i += 16) largest[0] = greatest(loadLogits(source + i, axis - i), largest[0]);
  largest[0] = greatest(greatest(largest[0], largest[1]), greatest(largest[2], largest[3]));
  const Vector shift = splat(greatestOfLanes(largest[0]));
  Vector sum = splat(0.0f);
  auto storePower = [&](int64_t offset, Vector power, int64_t some) {
    sum += power;
    if constexpr (isWide) {
      storeSome(destination + offset, power, some);
    } else if (fits) {
      store(exponentials + offset, power);
    }
  };
  for (i = 0; i < full; i += 16) storePower(i, exponential(load(source + i) - shift), 16);
  if (full < axis)
    storePower(full, exponential(loadLogits(source + full, axis - full) - shift), axis - full);
  const Vector factor = splat(1.0f / sumOfLanes(sum));
  auto finish = [&](int64_t offset, int64_t some) {
    Vector power;
    if constexpr (isWide) {
      power = loadSome(destination + offset, some);
    } else {
      power = fits ? load(exponentials + offset) : exponential(loadLogits(source + offset, some) - shift);
    }
    storeSome(destination + offset, power * factor, some);
  };
  for (i = 0; i < full; i += 16) finish(i, 16);
  if (full < axis) finish(full, axis - full);
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
    case CK_BF16: return softmaxOf<BFloat16>(block);
    default: return softmaxOf<Half>(block);
  }
}
