// Included once per instruction set, after Convolution.inl.hpp.

// MARK: One-dimensional transforms
//
// F(4, 3) interpolates at the points 0, ±p, ±q and infinity. Rounding depends on the choice of p and q. With 5/8 and
// 3/2, the error is less than half of that with the usual 1 and 2 (in bfloat16 0.9 % of the results instead of 2.1 %).
// Sources: Lavin and Gray, arXiv:1509.09308; for the points, Barabasz et al., arXiv:1803.10986.

constexpr float kP = 0.625f, kQ = 1.5f, kA = kP * kP, kB = kQ * kQ;
constexpr float kNear = 1 / (2 * kA * (kA - kB)), kFar = 1 / (2 * kB * (kB - kA));

/// Computes `Bᵀ d`: four values for two results, or six values for four results.
template <int M>
CK_INLINE void transformInput(const Vector *d, Vector *t, int64_t step) {
  if constexpr (M == 2) {
    t[0] = d[0] - d[2 * step];
    t[1] = d[step] + d[2 * step];
    t[2] = d[2 * step] - d[step];
    t[3] = d[step] - d[3 * step];
  } else {
    const Vector d1 = d[step], d2 = d[2 * step], d3 = d[3 * step], d4 = d[4 * step];
    const Vector product = splat(kA * kB), sum = splat(-kA - kB);
    const Vector even = multiplyAdd(splat(-kB), d2, d4), evens = multiplyAdd(splat(-kA), d2, d4);
    const Vector odd = splat(kP) * multiplyAdd(splat(-kB), d1, d3);
    const Vector odds = splat(kQ) * multiplyAdd(splat(-kA), d1, d3);
    t[0] = multiplyAdd(product, d[0], multiplyAdd(sum, d2, d4));
    t[1] = even + odd;
    t[2] = even - odd;
    t[3] = evens + odds;
    t[4] = evens - odds;
    t[5] = multiplyAdd(product, d1, multiplyAdd(sum, d3, d[5 * step]));
  }
}

/// Computes `Aᵀ m`: two results from four values, or four from six.
template <int M>
CK_INLINE void transformOutput(const Vector *m, Vector *y, int64_t step) {
  if constexpr (M == 2) {
    y[0] = m[0] + m[step] + m[2 * step];
    y[1] = m[step] - m[2 * step] - m[3 * step];
  } else {
    const Vector a = m[step] + m[2 * step], b = m[step] - m[2 * step];
    const Vector c = m[3 * step] + m[4 * step], d = m[3 * step] - m[4 * step];
    y[0] = m[0] + a + c;
    y[1] = multiplyAdd(splat(kP), b, splat(kQ) * d);
    y[2] = multiplyAdd(splat(kA), a, splat(kB) * c);
    y[3] = multiplyAdd(splat(kA * kP), b, multiplyAdd(splat(kB * kQ), d, m[5 * step]));
  }
}

/// Computes `G g`: from the three values of a kernel, four values for two results, or six values for four results.
template <int M>
CK_INLINE void transformKernel(const Vector *g, Vector *u, int64_t step) {
  const Vector g0 = g[0], g1 = g[step], g2 = g[2 * step];
  if constexpr (M == 2) {
    const Vector sum = g0 + g2, half = splat(0.5f);
    u[0] = g0;
    u[1] = half * (sum + g1);
    u[2] = half * (sum - g1);
    u[3] = g2;
  } else {
    const Vector near = splat(kNear) * multiplyAdd(splat(kA), g2, g0);
    const Vector far = splat(kFar) * multiplyAdd(splat(kB), g2, g0);
    const Vector middle = splat(kNear * kP) * g1, outer = splat(kFar * kQ) * g1;
    u[0] = splat(1 / (kA * kB)) * g0;
    u[1] = near + middle;
    u[2] = near - middle;
    u[3] = far + outer;
    u[4] = far - outer;
    u[5] = g2;
  }
}

/// Computes `A y`: four values from two, or six from four. This is the transpose of `transformOutput`.
template <int M>
CK_INLINE void transformDelta(const Vector *y, Vector *m, int64_t step) {
  if constexpr (M == 2) {
    m[0] = y[0];
    m[1] = y[0] + y[step];
    m[2] = y[0] - y[step];
    m[3] = -y[step];
  } else {
    const Vector y0 = y[0], y1 = y[step], y2 = y[2 * step], y3 = y[3 * step];
    const Vector even = multiplyAdd(splat(kA), y2, y0), evens = multiplyAdd(splat(kB), y2, y0);
    const Vector odd = splat(kP) * multiplyAdd(splat(kA), y3, y1);
    const Vector odds = splat(kQ) * multiplyAdd(splat(kB), y3, y1);
    m[0] = y0;
    m[1] = even + odd;
    m[2] = even - odd;
    m[3] = evens + odds;
    m[4] = evens - odds;
    m[5] = y3;
  }
}

/// Computes `Gᵀ u`: three values from four or six. This is the transpose of `transformKernel`.
template <int M>
CK_INLINE void transformKernelBack(const Vector *u, Vector *g, int64_t step) {
  if constexpr (M == 2) {
    const Vector sum = splat(0.5f) * (u[step] + u[2 * step]);
    g[0] = u[0] + sum;
    g[1] = splat(0.5f) * (u[step] - u[2 * step]);
    g[2] = sum + u[3 * step];
  } else {
    const Vector near = splat(kNear) * (u[step] + u[2 * step]);
    const Vector far = splat(kFar) * (u[3 * step] + u[4 * step]);
    g[0] = multiplyAdd(splat(1 / (kA * kB)), u[0], near + far);
    g[1] = multiplyAdd(splat(kNear * kP), u[step] - u[2 * step],
        splat(kFar * kQ) * (u[3 * step] - u[4 * step]));
    g[2] = multiplyAdd(splat(kA), near, multiplyAdd(splat(kB), far, u[5 * step]));
  }
}

// MARK: Tiles
//
// These types say how a tile of results is computed along one axis. They state how many results, products and input
// values a tile has, and how far the input values of the next tile are from those of this tile (`step`). They also
// name, for each product, the transformed input and the transformed weight that it multiplies.

template <TileKind S>
struct Lengths {
  /// Whether multiply-adds are float32 whatever the image's type.
  static constexpr bool isFloat = S == TileKind::six;
  static constexpr int windows = lengthsOf(S).window, kernels = lengthsOf(S).kernel;
  static constexpr int products = lengthsOf(S).products;
};

/// F(M, 3) with strides of 1, where M is 2 or 4.
template <int M>
struct PlainTile : Lengths<M == 2 ? TileKind::two : TileKind::four> {
  static constexpr int results = M, seen = M + 2, step = M;
  static constexpr int window(int product) { return product; }
  static constexpr int kernel(int product) { return product; }

  CK_INLINE void input(const Vector *d, Vector *t, int64_t stride) {
    transformInput<M>(d, t, stride);
  }
  CK_INLINE void weights(const Vector *g, Vector *u, int64_t stride) {
    transformKernel<M>(g, u, stride);
  }
  CK_INLINE void output(const Vector *m, Vector *y, int64_t stride) {
    transformOutput<M>(m, y, stride);
  }
};

/// F(6, 3) with strides of 1, at the points 0, ±1/2, ±1, ±2 and infinity: 64 multiply-adds for 36 results. The rounding
/// error is five times that of F(4, 3), which makes it 5 · 10⁻⁶ of the results. These tiles are used only if results
/// are rounded to bfloat16 anyway.
struct SixTile : Lengths<TileKind::six> {
  static constexpr int results = 6, seen = 8, step = 6;
  static constexpr int window(int product) { return product; }
  static constexpr int kernel(int product) { return product; }

  CK_INLINE void input(const Vector *d, Vector *t, int64_t stride) {
    const Vector d1 = d[stride], d2 = d[2 * stride], d3 = d[3 * stride], d4 = d[4 * stride];
    const Vector d5 = d[5 * stride], d6 = d[6 * stride];
    const Vector ends = splat(5.25f);
    t[0] = multiplyAdd(ends, d4 - d2, d[0] - d6);
    // For each pair of points ±p, computes the even and the odd part of (x ± p) · Π (x - q), where q are all other
    // points except infinity.
    pair(d2, d4, d6, d1, d3, d5, 4.0f, 5.0f, 0.5f, t + 1);
    pair(d2, d4, d6, d1, d3, d5, 1.0f, 4.25f, 1.0f, t + 3);
    pair(d2, d4, d6, d1, d3, d5, 0.25f, 1.25f, 2.0f, t + 5);
    t[7] = multiplyAdd(ends, d3 - d5, d[7 * stride] - d1);
  }
  CK_INLINE void weights(const Vector *g, Vector *u, int64_t stride) {
    const Vector g0 = g[0], g1 = g[stride], g2 = g[2 * stride];
    u[0] = g0;
    points(g0, g1, g2, 0.5f, 1 / 1.40625f, u + 1);
    points(g0, g1, g2, 1.0f, -1 / 4.5f, u + 3);
    points(g0, g1, g2, 2.0f, 1 / 90.0f, u + 5);
    u[7] = g2;
  }
  CK_INLINE void output(const Vector *m, Vector *y, int64_t stride) {
    const Vector a = m[stride] + m[2 * stride], b = m[stride] - m[2 * stride];
    const Vector c = m[3 * stride] + m[4 * stride], d = m[3 * stride] - m[4 * stride];
    const Vector e = m[5 * stride] + m[6 * stride], f = m[5 * stride] - m[6 * stride];
    y[0] = m[0] + (a + c + e);
    y[1] = multiplyAdd(splat(0.5f), b, multiplyAdd(splat(2.0f), f, d));
    y[2] = multiplyAdd(splat(0.25f), a, multiplyAdd(splat(4.0f), e, c));
    y[3] = multiplyAdd(splat(0.125f), b, multiplyAdd(splat(8.0f), f, d));
    y[4] = multiplyAdd(splat(0.0625f), a, multiplyAdd(splat(16.0f), e, c));
    y[5] = multiplyAdd(splat(0.03125f), b, multiplyAdd(splat(32.0f), f, d)) + m[7 * stride];
  }

 private:
  CK_INLINE void pair(
      Vector d2, Vector d4, Vector d6, Vector d1, Vector d3, Vector d5, float product, float sum,
      float point, Vector *t) {
    const Vector even = multiplyAdd(splat(product), d2, multiplyAdd(splat(-sum), d4, d6));
    const Vector odd =
        splat(point) * multiplyAdd(splat(product), d1, multiplyAdd(splat(-sum), d3, d5));
    t[0] = even + odd;
    t[1] = even - odd;
  }
  CK_INLINE void points(
      Vector g0, Vector g1, Vector g2, float point, float factor, Vector *u) {
    const Vector even = splat(factor) * multiplyAdd(splat(point * point), g2, g0);
    const Vector odd = splat(factor * point) * g1;
    u[0] = even + odd;
    u[1] = even - odd;
  }
};

/// Computes four transformed values from four input values, for point sets that contain ±1.
CK_INLINE void transformByOnes(const Vector *d, Vector *t, int64_t step) {
  t[0] = d[0] - d[2 * step];
  t[1] = d[step] + d[2 * step];
  t[2] = d[2 * step] - d[step];
  t[3] = d[3 * step] - d[step];
}

/// Four results with upsampling by 2, for a kernel g. They read the pixels a b b c c d. The algorithm is F(4, 3) at the
/// points 0, ±1, ±i and infinity. The point -1 contributes nothing, because the repeated pixels cancel. The points ±i
/// share one input value:
///
///     g₀ a + (g₁ + g₂) b = (a - c) g₀ + (b + c) s + (c - b) (g₀ - s)
///     (g₀ + g₁) b + g₂ c =              (b + c) s + (c - b) (g₂ - s)
///     g₀ b + (g₁ + g₂) c =              (b + c) s - (c - b) (g₀ - s)
///     (g₀ + g₁) c + g₂ d = (d - b) g₂ + (b + c) s - (c - b) (g₂ - s),    2 s = g₀ + g₁ + g₂
///
/// This takes five multiply-adds instead of twelve. The input transform only adds and subtracts, so it rounds as
/// F(2, 3) does.
struct RepeatedTile : Lengths<TileKind::fourRepeated> {
  static constexpr int results = 4, seen = 4, step = 2;
  static constexpr int window(int product) { return product > 2 ? product - 1 : product; }
  static constexpr int kernel(int product) { return product; }

  CK_INLINE void input(const Vector *d, Vector *t, int64_t stride) {
    transformByOnes(d, t, stride);
  }
  CK_INLINE void weights(const Vector *g, Vector *u, int64_t stride) {
    const Vector half = splat(0.5f) * (g[0] + g[stride] + g[2 * stride]);
    u[0] = g[0];
    u[1] = half;
    u[2] = g[0] - half;
    u[3] = g[2 * stride] - half;
    u[4] = g[2 * stride];
  }
  CK_INLINE void output(const Vector *m, Vector *y, int64_t stride) {
    const Vector sum = m[stride];
    y[0] = m[0] + (sum + m[2 * stride]);
    y[1] = sum + m[3 * stride];
    y[2] = sum - m[2 * stride];
    y[3] = m[4 * stride] + (sum - m[3 * stride]);
  }
};

/// Three results with a stride of 2, for a kernel g. They read the pixels a p b q c r d. The algorithm is F(3, 2) at
/// the points 0, ±1 and infinity for the pixels a b c d, and direct products for the pixels p q r.
///
///     g₀ a + g₁ p + g₂ b = (a - c) g₀ + (b + c) s + (c - b) t + g₁ p
///     g₀ b + g₁ q + g₂ c =              (b + c) s - (c - b) t + g₁ q,    2 s = g₀ + g₂
///     g₀ c + g₁ r + g₂ d = (d - b) g₂ + (b + c) s + (c - b) t + g₁ r,    2 t = g₀ - g₂
///
/// This takes seven multiply-adds instead of nine. The input transform only adds and subtracts, so it rounds as F(2, 3)
/// does.
struct StridedTile : Lengths<TileKind::threeStrided> {
  static constexpr int results = 3, seen = 7, step = 6;
  static constexpr int window(int product) { return product; }
  static constexpr int kernel(int product) { return product > 4 ? 4 : product; }

  CK_INLINE void input(const Vector *d, Vector *t, int64_t stride) {
    transformByOnes(d, t, 2 * stride);
    for (int i = 0; i < 3; ++i) t[4 + i] = d[(2 * i + 1) * stride];
  }
  CK_INLINE void weights(const Vector *g, Vector *u, int64_t stride) {
    const Vector half = splat(0.5f);
    u[0] = g[0];
    u[1] = half * (g[0] + g[2 * stride]);
    u[2] = half * (g[0] - g[2 * stride]);
    u[3] = g[2 * stride];
    u[4] = g[stride];
  }
  CK_INLINE void output(const Vector *m, Vector *y, int64_t stride) {
    const Vector sum = m[stride] + m[2 * stride];
    y[0] = (m[0] + sum) + m[4 * stride];
    y[1] = (m[stride] - m[2 * stride]) + m[5 * stride];
    y[2] = (m[3 * stride] + sum) + m[6 * stride];
  }
};
