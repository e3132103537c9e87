// Included once per instruction set, after Functions.hpp.

/// Adds the gradient of one window to its pixels: to all of them for average pooling, to the first maximum of each
/// channel for maximum pooling. If `adds` is false, the function stores the gradient instead of adding it.
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
  poolingGradientOf<Source, Gradient, BFloat16>(window);
}

static void poolingGradient(const PoolingWindow &window) {
  const bool from = window.sourceType == CK_F32, given = window.gradientType == CK_F32;
  if (from) {
    return given ? poolingGradientTo<float, float>(window) : poolingGradientTo<float, BFloat16>(window);
  }
  return given ? poolingGradientTo<BFloat16, float>(window) : poolingGradientTo<BFloat16, BFloat16>(window);
}
