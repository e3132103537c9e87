// Included once for each instruction set: painting at a fraction of the film's size.

static inline float lumaOf(const uint8_t *at) {
  return 0.299f * static_cast<float>(at[0]) + 0.587f * static_cast<float>(at[1])
      + 0.114f * static_cast<float>(at[2]);
}

static void reduce(
    const uint8_t *pixels, int64_t width, int64_t height, int64_t factor, uint8_t *reduced) {
  const int64_t columns = (width + factor - 1) / factor, rows = (height + factor - 1) / factor;
  std::vector<uint32_t> sums(static_cast<size_t>(width * 3));
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t top = row * factor, below = std::min(height, top + factor);
    std::fill(sums.begin(), sums.end(), 0u);
    for (int64_t y = top; y < below; ++y) {
      const uint8_t *line = pixels + y * width * 3;
      uint32_t *sum = sums.data();
      for (int64_t index = 0; index < width * 3; ++index) sum[index] += line[index];
    }
    for (int64_t column = 0; column < columns; ++column) {
      const int64_t left = column * factor, right = std::min(width, left + factor);
      const auto count = static_cast<uint32_t>((right - left) * (below - top));
      const float share = 1 / static_cast<float>(count);
      for (int64_t channel = 0; channel < 3; ++channel) {
        uint32_t sum = 0;
        for (int64_t x = left; x < right; ++x) sum += sums[static_cast<size_t>(x * 3 + channel)];
        reduced[(row * columns + column) * 3 + channel] =
            static_cast<uint8_t>(static_cast<float>(sum) * share + 0.5f);
      }
    }
  }
}

/// How far the finest detail of a painting follows that of the film, 0…1, in the cells of the reduced picture: the slope
/// of a linear regression.
static CellGrid<Quad> detailGains(
    const uint8_t *painting, const uint8_t *film, int64_t width, int64_t height) {
  CellGrid<Quad> gains(width, height, 16);
  std::vector<float> painted(static_cast<size_t>(width * height)), own(painted.size());
  for (int64_t index = 0; index < width * height; ++index) {
    painted[static_cast<size_t>(index)] = lumaOf(painting + index * 3);
    own[static_cast<size_t>(index)] = lumaOf(film + index * 3);
  }
  auto detail = [&](const float *at) __attribute__((always_inline)) {
    return at[0] - 0.25f * (at[-1] + at[1] + at[-width] + at[width]);
  };
  for (int64_t y = 1; y + 1 < height; ++y) {
    for (int64_t left = 0; left < width; left += 16) {
      float products = 0, squares = 0;
      for (int64_t x = std::max<int64_t>(1, left); x < std::min(width - 1, left + 16); ++x) {
        const float found = detail(own.data() + y * width + x);
        products += found * detail(painted.data() + y * width + x);
        squares += found * found;
      }
      Quad &sum = gains.cell(left / 16, y / 16);
      sum[0] += products;
      sum[1] += squares;
      sum[2] += 16;
    }
  }
  gains.smooth();
  // Noise of about one level says nothing.
  for (Quad &sum : gains.values)
    sum = Quad(std::min(1.0f, std::max(0.0f, sum[0] / (sum[1] + 2 * sum[2] + 1))));
  return gains;
}

static void enlarge(const uint8_t *painting, const uint8_t *reducedFilm, const uint8_t *film,
    int64_t width, int64_t height, int64_t factor, uint8_t *result) {
  const int64_t columns = (width + factor - 1) / factor, rows = (height + factor - 1) / factor;
  CellGrid<Quad> gains = detailGains(painting, reducedFilm, columns, rows);
  // The painting's red, green and blue, and the film's luma, with two columns beside the left and the right edge.
  constexpr int64_t kBeside = 2;
  const int64_t line = (columns + 2 * kBeside + 3) / 4 * 4;
  std::vector<uint16_t> wide(static_cast<size_t>(line * rows * 4));
  for (int64_t y = 0; y < rows; ++y) {
    for (int64_t x = 0; x < line; ++x) {
      const int64_t index = y * columns + std::min(columns - 1, std::max<int64_t>(0, x - kBeside));
      const uint8_t *from = painting + index * 3;
      uint16_t *to = wide.data() + (y * line + x) * 4;
      for (int64_t channel = 0; channel < 3; ++channel)
        to[channel] = static_cast<uint16_t>(from[channel] << 8);
      to[3] = static_cast<uint16_t>(256 * lumaOf(reducedFilm + index * 3) + 0.5f);
    }
  }
  std::vector<Quad> weights(static_cast<size_t>(factor)), mixed(static_cast<size_t>(line));
  std::vector<int64_t> firsts(static_cast<size_t>(factor));
  for (int64_t phase = 0; phase < factor; ++phase) {
    const float at = (static_cast<float>(phase) + 0.5f) / static_cast<float>(factor) - 0.5f;
    const float floor = std::floor(at);
    weights[static_cast<size_t>(phase)] = cubicWeights(at - floor) * (1.0f / 256);
    firsts[static_cast<size_t>(phase)] = static_cast<int64_t>(floor) - 1 + kBeside;
  }
  std::vector<float> lumas(static_cast<size_t>(width)), gain(static_cast<size_t>(columns));
  for (int64_t y = 0; y < height; ++y) {
    const int64_t row = y / factor;
    const float at = (static_cast<float>(y % factor) + 0.5f) / static_cast<float>(factor) - 0.5f;
    const float floor = std::floor(at);
    const Quad down = cubicWeights(at - floor);
    const int64_t first = row + static_cast<int64_t>(floor) - 1;
    const uint16_t *lines[4];
    for (int64_t tap = 0; tap < 4; ++tap)
      lines[tap] = wide.data()
          + std::min(rows - 1, std::max<int64_t>(0, first + tap)) * line * 4;
    for (int64_t x = 0; x < line; x += 4) {
      const Sixteen sum = down[0] * loadFourWide(lines[0] + x * 4)
          + down[1] * loadFourWide(lines[1] + x * 4) + down[2] * loadFourWide(lines[2] + x * 4)
          + down[3] * loadFourWide(lines[3] + x * 4);
      std::memcpy(mixed.data() + x, &sum, sizeof sum);
    }
    if (y % factor == 0) {
      gains.beginRow(row);
      for (int64_t x = 0; x < columns; ++x) gain[static_cast<size_t>(x)] = gains.at(x)[0];
    }
    const uint8_t *own = film + y * width * 3;
    for (int64_t x = 0; x < width; ++x) lumas[static_cast<size_t>(x)] = lumaOf(own + x * 3);
    uint8_t *to = result + y * width * 3;
    for (int64_t column = 0; column < columns; ++column) {
      const float much = gain[static_cast<size_t>(column)];
      for (int64_t phase = 0; phase < std::min(factor, width - column * factor); ++phase) {
        const int64_t x = column * factor + phase;
        const Quad across = weights[static_cast<size_t>(phase)];
        const Quad *from = mixed.data() + column + firsts[static_cast<size_t>(phase)];
        Quad value = across[0] * from[0] + across[1] * from[1] + across[2] * from[2]
            + across[3] * from[3];
        value += much * (lumas[static_cast<size_t>(x)] - value[3]) + 0.5f;
        const ByteQuad bytes = __builtin_convertvector(
            __builtin_convertvector(limited(value, 255.0f), IntegerQuad), ByteQuad);
        std::memcpy(to + x * 3, &bytes, 3);
      }
    }
  }
}
