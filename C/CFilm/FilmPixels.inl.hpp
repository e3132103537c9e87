// Kernels over the pixels of whole pictures. A source file includes this file for each instruction set.

static void reducedLuma(
    const uint8_t *pixels, int64_t width, int64_t height, int64_t factor, float *luma) {
  const int64_t columns = width / factor, rows = height / factor;
  const float share = 1 / static_cast<float>(factor * factor);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      int red = 0, green = 0, blue = 0;
      for (int64_t y = row * factor; y < (row + 1) * factor; ++y) {
        const uint8_t *at = pixels + (y * width + column * factor) * 3;
        for (int64_t x = 0; x < factor; ++x, at += 3) {
          red += at[0];
          green += at[1];
          blue += at[2];
        }
      }
      luma[row * columns + column] = share
          * (0.299f * static_cast<float>(red) + 0.587f * static_cast<float>(green)
              + 0.114f * static_cast<float>(blue));
    }
  }
}

typedef float Quad __attribute__((ext_vector_type(4)));
typedef uint16_t WideQuad __attribute__((ext_vector_type(4)));
typedef int32_t IntegerQuad __attribute__((ext_vector_type(4)));
typedef uint8_t ByteQuad __attribute__((ext_vector_type(4)));

static inline Quad loadWide(const uint16_t *at) {
  WideQuad value;
  std::memcpy(&value, at, sizeof value);
  return __builtin_convertvector(value, Quad);
}

static inline void storeWide(uint16_t *at, Quad value) {
  const WideQuad wide = __builtin_convertvector(__builtin_convertvector(value, IntegerQuad), WideQuad);
  std::memcpy(at, &wide, sizeof wide);
}

template <typename Vector>
static inline Vector limited(Vector value, float most) {
  return __builtin_elementwise_min(__builtin_elementwise_max(value, Vector(0.0f)), Vector(most));
}

/// The weights of Catmull-Rom's kernel for the four samples around a position.
static inline Quad cubicWeights(float t) {
  constexpr Quad kConstant = {0, 1, 0, 0}, kLinear = {-0.5f, 0, 0.5f, 0};
  constexpr Quad kSquare = {1, -2.5f, 2, -0.5f}, kCube = {-0.5f, 1.5f, -1.5f, 0.5f};
  return ((kCube * t + kSquare) * t + kLinear) * t + kConstant;
}

/// The weights of cubic B-splines for the four coefficients around a position.
static inline Quad splineWeights(float t) {
  constexpr float kSixth = 1.0f / 6;
  constexpr Quad kConstant = {kSixth, 4 * kSixth, kSixth, 0}, kLinear = {-0.5f, 0, 0.5f, 0};
  constexpr Quad kSquare = {0.5f, -1, 0.5f, 0}, kCube = {-kSixth, 0.5f, -0.5f, kSixth};
  return ((kCube * t + kSquare) * t + kLinear) * t + kConstant;
}

/// Interpolates a row of numbers: the positions of its results between the numbers, which are the same for all rows.
struct RowPlaces {
  std::vector<int32_t> lefts;
  std::vector<float> shares;
  /// The number of pairs of results between two numbers, if there are two results for each number. Otherwise 0.
  size_t pairs;

  /// A result is the number at its own place divided by `factor`. Both rows begin and end at the same places.
  RowPlaces(int64_t count, int64_t results, float factor)
      : lefts(static_cast<size_t>(results)), shares(static_cast<size_t>(results)),
        pairs(factor == 2 && results >= 2 * count ? static_cast<size_t>(count - 1) : 0) {
    for (int64_t x = 0; x < results; ++x) {
      float at = (static_cast<float>(x) + 0.5f) / factor - 0.5f;
      at = std::min(std::max(at, 0.0f), static_cast<float>(count - 1));
      const auto left = static_cast<int32_t>(at);
      lefts[static_cast<size_t>(x)] = left;
      shares[static_cast<size_t>(x)] = at - static_cast<float>(left);
    }
  }

  /// `row` has one number more than counted. It does not matter.
  void spread(const float *row, float *results) const {
    const int32_t *left = lefts.data();
    const float *share = shares.data();
    const auto place = [&](size_t x) __attribute__((always_inline)) {
      results[x] = row[left[x]] + share[x] * (row[left[x] + 1] - row[left[x]]);
    };
    if (pairs == 0) {
      for (size_t x = 0; x < lefts.size(); ++x) place(x);
      return;
    }
    // The same without looking up places, which takes most of the time.
    place(0);
    float *pair = results + 1;
    for (size_t at = 0; at < pairs; ++at) {
      const float gap = row[at + 1] - row[at];
      pair[2 * at] = row[at] + 0.25f * gap;
      pair[2 * at + 1] = row[at] + 0.75f * gap;
    }
    for (size_t x = 1 + 2 * pairs; x < lefts.size(); ++x) place(x);
  }
};

/// The displacements of a row of pixels, in pixels, and the confidences in them.
struct MotionRow {
  std::vector<float> u, v, confidence, doubt;

  MotionRow(const cf_motion &motion, int64_t width)
      : u(static_cast<size_t>(width)), v(u.size()), confidence(u.size()), doubt(u.size(), 1.0f),
        places(motion.width, width, static_cast<float>(motion.factor)),
        rows(static_cast<size_t>(2 * (motion.width + 1))) {}

  /// Computes the displacements and the confidences of a row.
  void begin(const cf_motion &motion, int64_t y) {
    const Rows at(motion, y);
    const auto factor = static_cast<float>(motion.factor);
    const float *upper = motion.flow + 2 * at.top, *lower = motion.flow + 2 * at.bottom;
    float *rowU = rows.data(), *rowV = rowU + motion.width + 1;
    for (int64_t x = 0; x < motion.width; ++x) {
      rowU[x] = factor * (upper[2 * x] + at.below * (lower[2 * x] - upper[2 * x]));
      rowV[x] = factor * (upper[2 * x + 1] + at.below * (lower[2 * x + 1] - upper[2 * x + 1]));
    }
    places.spread(rowU, u.data());
    places.spread(rowV, v.data());
    spread(motion.confidence, at, motion.width, confidence);
  }

  /// Computes the doubts of a row.
  void beginDoubt(const cf_motion &motion, int64_t y) {
    if (motion.doubt) spread(motion.doubt, Rows(motion, y), motion.width, doubt);
  }

private:
  /// The rows of a motion between which a row of pixels lies: the indices of their first samples.
  struct Rows {
    int64_t top, bottom;
    float below;

    Rows(const cf_motion &motion, int64_t y) {
      float at = (static_cast<float>(y) + 0.5f) / static_cast<float>(motion.factor) - 0.5f;
      at = std::min(std::max(at, 0.0f), static_cast<float>(motion.height - 1));
      const auto row = std::min(static_cast<int64_t>(at), std::max<int64_t>(motion.height - 2, 0));
      top = row * motion.width;
      bottom = std::min(row + 1, motion.height - 1) * motion.width;
      below = at - static_cast<float>(row);
    }
  };

  void spread(
      const float *values, const Rows &at, int64_t width, std::vector<float> &results) {
    const float *upper = values + at.top, *lower = values + at.bottom;
    for (int64_t x = 0; x < width; ++x)
      rows[static_cast<size_t>(x)] = upper[x] + at.below * (lower[x] - upper[x]);
    places.spread(rows.data(), results.data());
  }

  RowPlaces places;
  std::vector<float> rows;
};

/// The column or row that stands for one outside of the picture: the picture is mirrored at its outermost pixels.
static inline int64_t mirrored(int64_t at, int64_t count) {
  if (at < 0) at = -at;
  if (at >= count) at = 2 * (count - 1) - at;
  return std::min(count - 1, std::max<int64_t>(0, at));
}

/// A position in a picture, as its top left neighbour among four × four pixels and the weights of these pixels.
struct CubicPlace {
  int64_t left, top;
  Quad across, down;

  /// `weigh` computes the weights of four pixels.
  template <typename Weigh>
  __attribute__((always_inline)) CubicPlace(float x, float y, int64_t width, int64_t height, Weigh weigh) {
    x = std::min(std::max(x, -1.0f), static_cast<float>(width));
    y = std::min(std::max(y, -1.0f), static_cast<float>(height));
    const float floorX = std::floor(x), floorY = std::floor(y);
    left = static_cast<int64_t>(floorX) - 1;
    top = static_cast<int64_t>(floorY) - 1;
    across = weigh(x - floorX);
    down = weigh(y - floorY);
  }

  /// Interpolates at a place beside the picture's edge. `load` returns the pixel of a column and a row. The
  /// coefficients of splines (`makeKey`) need the mirrored picture.
  template <typename Load>
  Quad atEdge(int64_t width, int64_t height, Load load) const {
    Quad sum = 0.0f;
    for (int64_t row = 0; row < 4; ++row) {
      const int64_t line = mirrored(top + row, height);
      Quad part = 0.0f;
      for (int64_t column = 0; column < 4; ++column)
        part += across[column] * load(mirrored(left + column, width), line);
      sum += down[row] * part;
    }
    return sum;
  }
};

/// The four samples of four neighbouring pixels.
typedef float Sixteen __attribute__((ext_vector_type(16)));
typedef uint16_t WideSixteen __attribute__((ext_vector_type(16)));
typedef int32_t IntegerSixteen __attribute__((ext_vector_type(16)));
typedef uint8_t ByteSixteen __attribute__((ext_vector_type(16)));

static inline Sixteen loadFourWide(const uint16_t *at) {
  WideSixteen value;
  std::memcpy(&value, at, sizeof value);
  return __builtin_convertvector(value, Sixteen);
}

static inline void storeFourWide(uint16_t *at, Sixteen value) {
  const WideSixteen wide =
      __builtin_convertvector(__builtin_convertvector(value, IntegerSixteen), WideSixteen);
  std::memcpy(at, &wide, sizeof wide);
}

/// Repeats each of four numbers four times: one for each sample of four pixels.
__attribute__((always_inline)) static inline Sixteen fourTimesEach(Quad value) {
  return __builtin_shufflevector(
      value, value, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
}

/// Interpolates at a place beside the edge of a picture of four samples of 16 bits for each pixel.
template <typename Weigh>
__attribute__((noinline)) static Quad wideAtEdge(
    const uint16_t *from, float x, float y, int64_t width, int64_t height, Weigh weigh) {
  return CubicPlace(x, y, width, height, weigh)
      .atEdge(width, height, [&](int64_t column, int64_t row) __attribute__((always_inline)) {
        return loadWide(from + (row * width + column) * 4);
      });
}

/// The places in another picture from which the pixels of a row come.
class SourceRow {
  /// The column and the row of the first of 4 × 4 pixels, and the fractions of the place. The column is -1 for places near
  /// the edge of the picture.
  std::vector<int32_t> lefts, tops;
  std::vector<float> across, down;
  const MotionRow *motion = nullptr;
  int64_t y = 0, width, height;

public:
  SourceRow(int64_t width, int64_t height)
      : lefts(static_cast<size_t>(width)), tops(lefts.size()), across(lefts.size()),
        down(lefts.size()), width(width), height(height) {}

  /// Computes the places for a row of pixels, along the displacements that `row` has for it.
  void begin(const MotionRow &row, int64_t atRow) {
    motion = &row;
    y = atRow;
    const float *u = row.u.data(), *v = row.v.data();
    const auto lastX = static_cast<float>(width - 2), lastY = static_cast<float>(height - 2);
    const auto atY = static_cast<float>(y);
    for (int32_t x = 0; x < static_cast<int32_t>(width); ++x) {
      const auto index = static_cast<size_t>(x);
      const float placeX = static_cast<float>(x) + u[x], placeY = atY + v[x];
      const bool isInside = (placeX >= 1) & (placeY >= 1) & (placeX < lastX) & (placeY < lastY);
      const float insideX = isInside ? placeX : 0, insideY = isInside ? placeY : 0;
      const auto left = static_cast<int32_t>(insideX), top = static_cast<int32_t>(insideY);
      lefts[index] = left - 1;
      tops[index] = top - 1;
      across[index] = insideX - static_cast<float>(left);
      down[index] = insideY - static_cast<float>(top);
    }
  }

  /// Interpolates a picture of four samples of 16 bits for each pixel, at the place of a pixel of the row.
  template <typename Weigh>
  __attribute__((always_inline)) Quad at(const uint16_t *from, int64_t x, Weigh weigh) const {
    const auto index = static_cast<size_t>(x);
    if (__builtin_expect(lefts[index] < 0, false))
      return wideAtEdge(from, static_cast<float>(x) + motion->u[index],
          static_cast<float>(y) + motion->v[index], width, height, weigh);
    const Quad columns = weigh(across[index]), rows = weigh(down[index]);
    const int64_t line = width * 4;
    const uint16_t *first = from + tops[index] * line + lefts[index] * 4;
    Sixteen sum = rows[0] * loadFourWide(first);
    sum += rows[1] * loadFourWide(first + line);
    sum += rows[2] * loadFourWide(first + 2 * line);
    sum += rows[3] * loadFourWide(first + 3 * line);
    sum *= fourTimesEach(columns);
    const auto half = sum.lo + sum.hi;
    return half.lo + half.hi;
  }
};

static void applyColors(
    const float *table, int64_t side, const uint8_t *pixels, int64_t count, uint8_t *result) {
  const float scale = static_cast<float>(side - 1) / 255;
  for (int64_t index = 0; index < count * 3; index += 3) {
    float parts[3];
    int64_t low[3];
    for (int64_t channel = 0; channel < 3; ++channel) {
      const float position = static_cast<float>(pixels[index + channel]) * scale;
      low[channel] = std::min(side - 2, static_cast<int64_t>(position));
      parts[channel] = position - static_cast<float>(low[channel]);
    }
    // Entries that differ only in blue are neighbours.
    const float *at = table + ((low[0] * side + low[1]) * side + low[2]) * 4;
    auto plane = [&](const float *first) __attribute__((always_inline)) {
      const Eight one = loadEight(first);
      return one + parts[1] * (loadEight(first + side * 4) - one);
    };
    const Eight one = plane(at);
    const Eight both = one + parts[0] * (plane(at + side * side * 4) - one);
    const Quad value = both.lo + parts[2] * (both.hi - both.lo) + 0.5f;
    for (int64_t channel = 0; channel < 3; ++channel)
      result[index + channel] = static_cast<uint8_t>(limited(value, 255.0f)[channel]);
  }
}

static void keepColors(
    const uint8_t *painting, const uint8_t *photo, int64_t count, uint8_t *result) {
  auto luma = [](const uint8_t *at) {
    return 0.299f * static_cast<float>(at[0]) + 0.587f * static_cast<float>(at[1])
        + 0.114f * static_cast<float>(at[2]);
  };
  for (int64_t index = 0; index < count * 3; index += 3) {
    const float shift = luma(painting + index) - luma(photo + index) + 0.5f;
    for (int64_t channel = index; channel < index + 3; ++channel) {
      const float value = static_cast<float>(photo[channel]) + shift;
      result[channel] = static_cast<uint8_t>(std::min(255.0f, std::max(0.0f, value)));
    }
  }
}

static void mix(const uint8_t *painting, const uint8_t *photo, const float *weights, float weight,
    int64_t pixels, uint8_t *result) {
  for (int64_t pixel = 0; pixel < pixels; ++pixel) {
    const float share = weights ? weight * weights[pixel] : weight;
    for (int64_t index = pixel * 3; index < pixel * 3 + 3; ++index) {
      const auto own = static_cast<float>(photo[index]);
      const float value = own + share * (static_cast<float>(painting[index]) - own) + 0.5f;
      result[index] = static_cast<uint8_t>(std::min(255.0f, std::max(0.0f, value)));
    }
  }
}

static void soften(
    const uint8_t *pixels, int64_t width, int64_t height, float share, uint8_t *softened) {
  // Weights with eight bits, so that sums of rows have 16 and their sums 24.
  const auto side = static_cast<uint32_t>(share * 256 + 0.5f), middle = 256 - 2 * side;
  const int64_t length = 3 * width;
  // The sums of three rows, with a pixel repeated at both ends.
  std::vector<uint16_t> sums(static_cast<size_t>(length + 6));
  uint16_t *sum = sums.data() + 3;
  for (int64_t y = 0; y < height; ++y) {
    const uint8_t *row = pixels + y * length;
    const uint8_t *above = y > 0 ? row - length : row, *below = y + 1 < height ? row + length : row;
    for (int64_t index = 0; index < length; ++index) {
      const uint32_t ends = static_cast<uint32_t>(above[index]) + below[index];
      sum[index] = static_cast<uint16_t>(middle * row[index] + side * ends);
    }
    std::copy_n(sum, 3, sum - 3);
    std::copy_n(sum + length - 3, 3, sum + length);
    uint8_t *to = softened + y * length;
    for (int64_t index = 0; index < length; ++index) {
      const uint32_t ends = static_cast<uint32_t>(sum[index - 3]) + sum[index + 3];
      to[index] = static_cast<uint8_t>((middle * sum[index] + side * ends + 32768) >> 16);
    }
  }
}
