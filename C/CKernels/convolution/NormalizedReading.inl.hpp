// Included once per instruction set, after Functions.hpp.

/// How values are changed while they are read (`Reading`).
enum class Read { plain, norm, normRelu };

CK_INLINE Read kindOf(const Reading &reading) {
  return !reading.factors ? Read::plain : reading.hasRelu ? Read::normRelu : Read::norm;
}

/// The instance norm of 16 neighbouring channels. The norm subtracts the mean first, so that a large mean cancels
/// exactly.
struct ChannelNorm {
  Vector mean, factor, offset;
};

template <Read R>
CK_INLINE ChannelNorm channelNorm(const Reading &reading, int64_t channels, int64_t channel) {
  if constexpr (R == Read::plain) return {};
  const float *factors = reading.factors + channel;
  return {load(factors), load(factors + channels), load(factors + 2 * channels)};
}

template <Read R>
CK_INLINE Vector readThrough(const ChannelNorm &norm, Vector x) {
  if constexpr (R == Read::plain) return x;
  x = multiplyAdd(x - norm.mean, norm.factor, norm.offset);
  return R == Read::normRelu ? choose(x < splat(0.0f), splat(0.0f), x) : x;
}

/// Reads one value of one channel, unchanged or through the norm.
template <Read R>
CK_INLINE float readThrough(const Reading &reading, int64_t channels, int64_t channel, float x) {
  if constexpr (R == Read::plain) return x;
  const float *factors = reading.factors + channel;
  x = (x - factors[0]) * factors[channels] + factors[2 * channels];
  return R == Read::normRelu && x < 0.0f ? 0.0f : x;
}
