// Included once per instruction set, after Functions.hpp and Casting.inl.hpp.

template <bool rounds>
CK_INLINE Vector roundedIf(Vector x) {
  return rounds ? roundToHalf(x) : x;
}

/// Adds up the pixels of a block, or the squares of their differences from the means, for each channel.
template <bool rounds, bool squares>
static void groupSums(const GroupNormBlock &block) {
  for (int64_t c = 0; c < block.channels; c += 16) {
    const int64_t count = block.channels - c;
    const Vector mean = squares ? loadSome(block.means + c, count) : splat(0.0f);
    Vector sum = splat(0.0f);
    for (int64_t p = 0; p < block.pixels; ++p) {
      const Vector x = loadSome(block.source + p * block.channels + c, count);
      if (squares) {
        const Vector distance = roundedIf<rounds>(x - mean);
        sum += roundedIf<rounds>(distance * distance);
      } else {
        sum += x;
      }
    }
    storeSome(block.sums + c, sum, count);
  }
}

/// Normalises the pixels of a block.
template <bool rounds, typename Activation>
static void groupApply(const GroupNormBlock &block, const Activation &activation) {
  for (int64_t c = 0; c < block.channels; c += 16) {
    const int64_t count = block.channels - c;
    const Vector mean = loadSome(block.means + c, count);
    // Divides where each result is rounded, so that it has the bits of a division.
    const Vector deviation = loadSome(block.deviations + c, count), factor = splat(1.0f) / deviation;
    const Vector gamma = block.gamma ? loadSome(block.gamma + c, count) : splat(1.0f);
    const Vector beta = block.beta ? loadSome(block.beta + c, count) : splat(0.0f);
    for (int64_t p = 0; p < block.pixels; ++p) {
      const int64_t at = p * block.channels + c;
      const Vector distance = roundedIf<rounds>(loadSome(block.source + at, count) - mean);
      Vector y = rounds ? roundToHalf(distance / deviation) : distance * factor;
      if (block.gamma) y = roundedIf<rounds>(y * gamma);
      if (block.beta) y = roundedIf<rounds>(y + beta);
      storeSome(block.destination + at, activation(y), count);
    }
  }
}

template <bool rounds>
static void groupNormOf(const GroupNormBlock &block) {
  switch (block.phase) {
    case GroupNormPhase::sums: return groupSums<rounds, false>(block);
    case GroupNormPhase::squares: return groupSums<rounds, true>(block);
    case GroupNormPhase::results: break;
  }
  const Vector alpha = splat(block.alpha), beta = splat(block.shift);
  // Without a branch for each value in the common cases.
  if (block.activation == CK_IDENTITY)
    groupApply<rounds>(block, [](Vector y) { return y; });
  else if (block.activation == CK_SWISH)
    groupApply<rounds>(block, [&](Vector y) { return roundedIf<rounds>(activate(CK_SWISH, y, alpha, beta)); });
  else
    groupApply<rounds>(
        block, [&](Vector y) { return roundedIf<rounds>(activate(block.activation, y, alpha, beta)); });
}

static void groupNormBlock(const GroupNormBlock &block) {
  block.rounds ? groupNormOf<true>(block) : groupNormOf<false>(block);
}
