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

static inline Quad loadWide(const uint16_t *at) {
  WideQuad value;
  std::memcpy(&value, at, sizeof value);
  return __builtin_convertvector(value, Quad);
}

static inline void storeWide(uint16_t *at, Quad value) {
  const WideQuad wide = __builtin_convertvector(__builtin_convertvector(value, IntegerQuad), WideQuad);
  std::memcpy(at, &wide, sizeof wide);
}

static inline Quad limited(Quad value, float most) {
  value = value < 0.0f ? Quad(0.0f) : value;
  return value > most ? Quad(most) : value;
}

/// The weights of Catmull-Rom's kernel for the four samples around a position.
static inline void cubicWeights(float t, float *weights) {
  const float square = t * t, cube = square * t;
  weights[0] = 0.5f * (-cube + 2 * square - t);
  weights[1] = 0.5f * (3 * cube - 5 * square + 2);
  weights[2] = 0.5f * (-3 * cube + 4 * square + t);
  weights[3] = 0.5f * (cube - square);
}

/// The weights of cubic B-splines for the four coefficients around a position.
static inline void splineWeights(float t, float *weights) {
  const float rest = 1 - t, square = t * t, cube = square * t;
  weights[0] = rest * rest * rest * (1.0f / 6);
  weights[1] = 0.5f * cube - square + 2.0f / 3;
  weights[2] = -0.5f * cube + 0.5f * (square + t) + 1.0f / 6;
  weights[3] = cube * (1.0f / 6);
}

/// The flow and the confidence of a row of pixels: for each reduced sample the displacement in pixels and the
/// confidence, interpolated between two reduced rows.
struct MotionRow {
  std::vector<Quad> samples;
  float factor;

  explicit MotionRow(const cf_motion &motion)
      : samples(static_cast<size_t>(motion.width)), factor(static_cast<float>(motion.factor)) {}

  void begin(const cf_motion &motion, int64_t y) {
    float at = (static_cast<float>(y) + 0.5f) / factor - 0.5f;
    at = std::min(std::max(at, 0.0f), static_cast<float>(motion.height - 1));
    const auto top = std::min(static_cast<int64_t>(at), std::max<int64_t>(motion.height - 2, 0));
    const int64_t bottom = std::min(top + 1, motion.height - 1);
    const float below = at - static_cast<float>(top);
    for (int64_t x = 0; x < motion.width; ++x) {
      auto sample = [&](int64_t row) __attribute__((always_inline)) {
        const int64_t index = row * motion.width + x;
        return Quad{motion.flow[2 * index] * factor, motion.flow[2 * index + 1] * factor,
            motion.confidence[index], 0.0f};
      };
      const Quad upper = sample(top);
      samples[static_cast<size_t>(x)] = upper + below * (sample(bottom) - upper);
    }
  }

  /// The displacement and the confidence of a pixel.
  Quad at(int64_t x) const {
    const auto last = static_cast<int64_t>(samples.size()) - 1;
    float at = (static_cast<float>(x) + 0.5f) / factor - 0.5f;
    at = std::min(std::max(at, 0.0f), static_cast<float>(last));
    const auto left = std::min(static_cast<int64_t>(at), std::max<int64_t>(last - 1, 0));
    const Quad one = samples[static_cast<size_t>(left)];
    const Quad other = samples[static_cast<size_t>(std::min(left + 1, last))];
    return one + (at - static_cast<float>(left)) * (other - one);
  }
};

/// The column or row that stands for one outside of the picture: the picture is mirrored at its outermost pixels.
static inline int64_t mirrored(int64_t at, int64_t count) {
  if (at < 0) at = -at;
  if (at >= count) at = 2 * (count - 1) - at;
  return std::min(count - 1, std::max<int64_t>(0, at));
}

/// Interpolates at a position. `weigh` computes the weights of four pixels, and `load` returns the pixel of a column and
/// row within the picture. The coefficients of splines (`makeKey`) need the mirrored picture.
template <typename Weigh, typename Load>
static inline Quad cubicAt(
    float x, float y, int64_t width, int64_t height, Weigh weigh, Load load) {
  x = std::min(std::max(x, -1.0f), static_cast<float>(width));
  y = std::min(std::max(y, -1.0f), static_cast<float>(height));
  const float floorX = std::floor(x), floorY = std::floor(y);
  float across[4], down[4];
  weigh(x - floorX, across);
  weigh(y - floorY, down);
  const auto left = static_cast<int64_t>(floorX) - 1, top = static_cast<int64_t>(floorY) - 1;
  Quad sum = 0.0f;
  if (left >= 0 && top >= 0 && left + 4 <= width && top + 4 <= height) {
    for (int64_t row = 0; row < 4; ++row) {
      Quad part = across[0] * load(left, top + row) + across[1] * load(left + 1, top + row);
      part += across[2] * load(left + 2, top + row) + across[3] * load(left + 3, top + row);
      sum += down[row] * part;
    }
    return sum;
  }
  for (int64_t row = 0; row < 4; ++row) {
    const int64_t line = mirrored(top + row, height);
    Quad part = 0.0f;
    for (int64_t column = 0; column < 4; ++column)
      part += across[column]
          * load(mirrored(left + column, width), line);
    sum += down[row] * part;
  }
  return sum;
}

static double warpingError(const uint8_t *picture, const uint8_t *other, const cf_motion &motion,
    int64_t width, int64_t height, double *count) {
  double sum = 0, pixels = 0;
  MotionRow flow(motion);
  for (int64_t y = 0; y < height; ++y) {
    flow.begin(motion, y);
    for (int64_t x = 0; x < width; ++x) {
      const Quad at = flow.at(x);
      if (at[2] < 0.5f) continue;
      const Quad warped = cubicAt(static_cast<float>(x) + at[0], static_cast<float>(y) + at[1], width,
          height, cubicWeights, [&](int64_t column, int64_t row) __attribute__((always_inline)) {
            const uint8_t *from = other + (row * width + column) * 3;
            return Quad{static_cast<float>(from[0]), static_cast<float>(from[1]),
                static_cast<float>(from[2]), 0.0f};
          });
      const uint8_t *own = picture + (y * width + x) * 3;
      for (int64_t channel = 0; channel < 3; ++channel) {
        const float value = std::min(255.0f, std::max(0.0f, warped[channel]));
        const float difference = static_cast<float>(own[channel]) - value;
        sum += static_cast<double>(difference * difference);
      }
      pixels += 1;
    }
  }
  *count += pixels;
  return sum;
}

static void applyColors(
    const float *table, int64_t side, const uint8_t *pixels, int64_t count, uint8_t *result) {
  const float scale = static_cast<float>(side - 1) / 255;
  const Quad *entries = reinterpret_cast<const Quad *>(table);
  for (int64_t index = 0; index < count * 3; index += 3) {
    float parts[3];
    int64_t low[3];
    for (int64_t channel = 0; channel < 3; ++channel) {
      const float position = static_cast<float>(pixels[index + channel]) * scale;
      low[channel] = std::min(side - 2, static_cast<int64_t>(position));
      parts[channel] = position - static_cast<float>(low[channel]);
    }
    const Quad *at = entries + (low[0] * side + low[1]) * side + low[2];
    auto along = [&](const Quad *line) __attribute__((always_inline)) {
      return line[0] + parts[2] * (line[1] - line[0]);
    };
    auto plane = [&](const Quad *first) __attribute__((always_inline)) {
      const Quad one = along(first);
      return one + parts[1] * (along(first + side) - one);
    };
    const Quad one = plane(at);
    const Quad value = limited(one + parts[0] * (plane(at + side * side) - one), 255.0f) + 0.5f;
    for (int64_t channel = 0; channel < 3; ++channel)
      result[index + channel] = static_cast<uint8_t>(value[channel]);
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
