// Included once per instruction set, after Functions.hpp.

/// Computes the sums of one block of pixels, for each channel. Uses four accumulators, which are added in order. The
/// block stays in the cache for the second pass.
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
              : normGradientStatisticsOf<float, BFloat16>(block);
  }
  return to ? normGradientStatisticsOf<BFloat16, float>(block)
            : normGradientStatisticsOf<BFloat16, BFloat16>(block);
}

static void normGradientApply(const NormGradientBlock &block) {
  const bool from = block.sourceType == CK_F32, to = block.gradientType == CK_F32;
  if (from) {
    return to ? normGradientApplyOf<float, float>(block) : normGradientApplyOf<float, BFloat16>(block);
  }
  return to ? normGradientApplyOf<BFloat16, float>(block) : normGradientApplyOf<BFloat16, BFloat16>(block);
}
