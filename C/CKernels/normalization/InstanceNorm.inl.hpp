// Included once per instruction set, after Functions.hpp.

/// Computes the mean and the sum of squared differences from the mean, for each channel of one block of pixels. Uses
/// four accumulators, which are added in order. The block stays in the cache for the second pass.
template <typename Element>
static void statisticsOf(const NormBlock &block) {
  const Element *source = static_cast<const Element *>(block.source);
  const int64_t channels = block.channels, pixels = block.pixels;
  const Vector share = splat(1.0f / static_cast<float>(pixels));
  for (int64_t c = 0; c < channels; c += 16) {
    const int64_t some = channels - c;
    Vector sums[4] = {splat(0.0f), splat(0.0f), splat(0.0f), splat(0.0f)};
    const Element *at = source + c;
    int64_t p = 0;
    if (some >= 16) {
      for (; p + 4 <= pixels; p += 4, at += 4 * channels) {
        sums[0] += load(at);
        sums[1] += load(at + channels);
        sums[2] += load(at + 2 * channels);
        sums[3] += load(at + 3 * channels);
      }
    }
    for (; p < pixels; ++p, at += channels) sums[p & 3] += loadSome(at, some);
    const Vector mean = ((sums[0] + sums[1]) + (sums[2] + sums[3])) * share;
    for (Vector &sum : sums) sum = splat(0.0f);
    at = source + c;
    p = 0;
    if (some >= 16) {
      for (; p + 4 <= pixels; p += 4, at += 4 * channels) {
        for (int i = 0; i < 4; ++i) {
          const Vector distance = load(at + i * channels) - mean;
          sums[i] = multiplyAdd(distance, distance, sums[i]);
        }
      }
    }
    for (; p < pixels; ++p, at += channels) {
      const Vector distance = loadSome(at, some) - mean;
      sums[p & 3] = multiplyAdd(distance, distance, sums[p & 3]);
    }
    storeSome(block.first + c, mean, some);
    storeSome(block.second + c, (sums[0] + sums[1]) + (sums[2] + sums[3]), some);
  }
}

static void normStatistics(const NormBlock &block) {
  if (block.sourceType == CK_F32) return statisticsOf<float>(block);
  statisticsOf<BFloat16>(block);
}

template <typename Source, typename Destination>
static void normApplyOf(const NormBlock &block) {
  const int64_t channels = block.channels;
  const Vector alpha = splat(block.alpha), beta = splat(block.beta);
  const Source *source = static_cast<const Source *>(block.source);
  Destination *destination = static_cast<Destination *>(block.destination);
  const Destination *residual = static_cast<const Destination *>(block.residual);
  const bool plainRelu = block.activation == CK_RELU && !residual;
  for (int64_t c = 0; c < channels; c += 16) {
    const int64_t some = channels - c;
    // Subtracts the mean first, so that a large mean cancels exactly.
    const Vector mean = loadSome(block.first + c, some);
    const Vector factor = loadSome(block.second + c, some);
    const Vector offset = loadSome(block.third + c, some);
    if (plainRelu && some >= 16) {
      for (int64_t p = 0; p < block.pixels; ++p) {
        const Vector x = multiplyAdd(load(source + p * channels + c) - mean, factor, offset);
        store(destination + p * channels + c, choose(x < splat(0.0f), splat(0.0f), x));
      }
      continue;
    }
    for (int64_t p = 0; p < block.pixels; ++p) {
      Vector x = multiplyAdd(loadSome(source + p * channels + c, some) - mean, factor, offset);
      if (residual) x += loadSome(residual + p * channels + c, some);
      storeSome(destination + p * channels + c, activate(block.activation, x, alpha, beta), some);
    }
  }
}

static void normApply(const NormBlock &block) {
  const bool from = block.sourceType == CK_F32, to = block.destinationType == CK_F32;
  if (from) return to ? normApplyOf<float, float>(block) : normApplyOf<float, BFloat16>(block);
  return to ? normApplyOf<BFloat16, float>(block) : normApplyOf<BFloat16, BFloat16>(block);
}
