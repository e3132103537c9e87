// Included once per instruction set, after InstanceNorm.inl.hpp.

// MARK: Instance normalisation

/// The sums of one block of pixels, for each channel. Four chains, joined in order; the block stays in
/// the cache for the second pass.
template <typename Source, typename Gradient>
static void normGradientStatisticsOf(const NormGradientBlock &block) {
  const Source *source = static_cast<const Source *>(block.source);
  const Gradient *gradient = static_cast<const Gradient *>(block.gradient);
  const int64_t channels = block.channels, pixels = block.pixels;
  const Vector share = splat(1.0f / static_cast<float>(pixels));
  for (int64_t c = 0; c < channels; c += 16) {
    const int64_t some = channels - c;
    Vector sums[4], others[4];
    for (int i = 0; i < 4; ++i) sums[i] = others[i] = splat(0.0f);
    const Source *at = source + c;
    const Gradient *up = gradient + c;
    int64_t p = 0;
    if (some >= 16) {
      for (; p + 4 <= pixels; p += 4, at += 4 * channels, up += 4 * channels) {
        for (int i = 0; i < 4; ++i) {
          sums[i] += load(at + i * channels);
          others[i] += load(up + i * channels);
        }
      }
    }
    for (; p < pixels; ++p, at += channels, up += channels) {
      sums[p & 3] += loadSome(at, some);
      others[p & 3] += loadSome(up, some);
    }
    const Vector mean = ((sums[0] + sums[1]) + (sums[2] + sums[3])) * share;
    storeSome(block.first + c, mean, some);
    storeSome(block.third + c, (others[0] + others[1]) + (others[2] + others[3]), some);
    for (int i = 0; i < 4; ++i) sums[i] = others[i] = splat(0.0f);
    at = source + c;
    up = gradient + c;
    p = 0;
    if (some >= 16) {
      for (; p + 4 <= pixels; p += 4, at += 4 * channels, up += 4 * channels) {
        for (int i = 0; i < 4; ++i) {
          const Vector distance = load(at + i * channels) - mean;
          sums[i] = multiplyAdd(distance, distance, sums[i]);
          others[i] = multiplyAdd(distance, load(up + i * channels), others[i]);
        }
      }
    }
    for (; p < pixels; ++p, at += channels, up += channels) {
      const Vector distance = loadSome(at, some) - mean;
      sums[p & 3] = multiplyAdd(distance, distance, sums[p & 3]);
      others[p & 3] = multiplyAdd(distance, loadSome(up, some), others[p & 3]);
    }
    storeSome(block.second + c, (sums[0] + sums[1]) + (sums[2] + sums[3]), some);
    storeSome(block.fourth + c, (others[0] + others[1]) + (others[2] + others[3]), some);
  }
}

template <typename Source, typename Gradient>
static void normGradientApplyOf(const NormGradientBlock &block) {
  const int64_t channels = block.channels;
  const Source *source = static_cast<const Source *>(block.source);
  const Gradient *gradient = static_cast<const Gradient *>(block.gradient);
  Gradient *destination = static_cast<Gradient *>(block.destination);
  for (int64_t c = 0; c < channels; c += 16) {
    const int64_t some = channels - c;
    const Vector mean = loadSome(block.first + c, some);
    const Vector factor = loadSome(block.second + c, some);
    const Vector slope = loadSome(block.third + c, some);
    const Vector offset = loadSome(block.fourth + c, some);
    if (some >= 16) {
      for (int64_t p = c; p < block.pixels * channels; p += channels) {
        const Vector rest = multiplyAdd(load(source + p) - mean, slope, offset);
        store(destination + p, multiplyAdd(load(gradient + p), factor, rest));
      }
      continue;
    }
    for (int64_t p = c; p < block.pixels * channels; p += channels) {
      const Vector rest = multiplyAdd(loadSome(source + p, some) - mean, slope, offset);
      storeSome(
          destination + p, multiplyAdd(loadSome(gradient + p, some), factor, rest), some);
    }
  }
}

static void normGradientStatistics(const NormGradientBlock &block) {
  const bool from = block.sourceType == CK_F32, to = block.gradientType == CK_F32;
  if (from) {
    return to ? normGradientStatisticsOf<float, float>(block)
              : normGradientStatisticsOf<float, Brain>(block);
  }
  return to ? normGradientStatisticsOf<Brain, float>(block)
            : normGradientStatisticsOf<Brain, Brain>(block);
}

static void normGradientApply(const NormGradientBlock &block) {
  const bool from = block.sourceType == CK_F32, to = block.gradientType == CK_F32;
  if (from) {
    return to ? normGradientApplyOf<float, float>(block) : normGradientApplyOf<float, Brain>(block);
  }
  return to ? normGradientApplyOf<Brain, float>(block) : normGradientApplyOf<Brain, Brain>(block);
}

// MARK: Pooling

/// Gives the gradient of one window to its pixels, or to the first of its largest ones.
template <typename Source, typename Gradient, typename Destination>
static void poolingGradientOf(const PoolingWindow &window) {
  const Source *source = static_cast<const Source *>(window.source);
  const Gradient *gradient = static_cast<const Gradient *>(window.gradient);
  Destination *destination = static_cast<Destination *>(window.destination);
  for (int64_t c = 0; c < window.channels; c += 16) {
    const int64_t some = window.channels - c;
    const Vector given = loadSome(gradient + c, some) * splat(window.factor);
    Integers winner = (Integers)(0);
    if (window.isMaximum) {
      Vector largest = loadSome(source + c, some);
      for (int64_t y = 0; y < window.rows; ++y) {
        const Source *at = source + y * window.rowStride + c;
        for (int64_t x = 0; x < window.columns; ++x, at += window.pixelStride) {
          const Vector value = loadSome(at, some);
          const Integers wins = value > largest;
          largest = wins ? value : largest;
          winner = wins ? (Integers)(static_cast<int32_t>(y * window.columns + x)) : winner;
        }
      }
    }
    for (int64_t y = 0; y < window.rows; ++y) {
      Destination *at = destination + y * window.destinationRowStride + c;
      for (int64_t x = 0; x < window.columns; ++x, at += window.destinationPixelStride) {
        Vector value = given;
        if (window.isMaximum) {
          const Integers wins =
              winner == (Integers)(static_cast<int32_t>(y * window.columns + x));
          value = wins ? given : splat(0.0f);
        }
        if (window.adds) value += loadSome(at, some);
        storeSome(at, value, some);
      }
    }
  }
}

template <typename Source, typename Gradient>
static void poolingGradientTo(const PoolingWindow &window) {
  if (window.destinationType == CK_F32) return poolingGradientOf<Source, Gradient, float>(window);
  poolingGradientOf<Source, Gradient, Brain>(window);
}

static void poolingGradient(const PoolingWindow &window) {
  const bool from = window.sourceType == CK_F32, given = window.gradientType == CK_F32;
  if (from) {
    return given ? poolingGradientTo<float, float>(window) : poolingGradientTo<float, Brain>(window);
  }
  return given ? poolingGradientTo<Brain, float>(window) : poolingGradientTo<Brain, Brain>(window);
}

// MARK: Sums

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
  sumRangeOf<Brain>(range);
}
