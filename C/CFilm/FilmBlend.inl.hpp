// Included once for each instruction set: blending a painting with earlier ones, and key paintings.

/// A key's coefficients are in 1/64 of a level from -384 on, blended paintings in 1/256 of a level.
constexpr float kKeyUnit = 4, kKeyOffset = 384 * 256;

/// Values of the square cells of a picture, spread linearly between them.
struct CellGrid {
  int64_t width, height, side, across, down;
  std::vector<Quad> values;

  CellGrid(int64_t width, int64_t height, int64_t side)
      : width(width), height(height), side(side), across((width + side - 1) / side),
        down((height + side - 1) / side), values(static_cast<size_t>(across * down), Quad(0.0f)) {}

  Quad &cell(int64_t column, int64_t row) {
    return values[static_cast<size_t>(row * across + column)];
  }

  /// Replaces each cell by a mean of it and those around it.
  void smooth() {
    std::vector<Quad> old = values;
    for (int64_t row = 0; row < down; ++row) {
      for (int64_t column = 0; column < across; ++column) {
        Quad sum = 0.0f;
        float weights = 0;
        for (int64_t y = std::max<int64_t>(0, row - 1); y <= std::min(down - 1, row + 1); ++y) {
          for (int64_t x = std::max<int64_t>(0, column - 1);
              x <= std::min(across - 1, column + 1); ++x) {
            const float weight = (x == column ? 2.0f : 1.0f) * (y == row ? 2.0f : 1.0f);
            sum += weight * old[static_cast<size_t>(y * across + x)];
            weights += weight;
          }
        }
        cell(column, row) = sum / weights;
      }
    }
  }

  /// Interpolates between two rows of cells, for the pixels of one row.
  void beginRow(int64_t y) {
    int64_t top, below;
    const float along = place(y, down, top, below);
    const Quad *upper = values.data() + top * across, *lower = values.data() + below * across;
    row.resize(static_cast<size_t>(across));
    for (int64_t column = 0; column < across; ++column)
      row[static_cast<size_t>(column)] = upper[column] + along * (lower[column] - upper[column]);
  }

  /// The value at a pixel of the row.
  Quad at(int64_t x) const {
    int64_t left, right;
    const float along = place(x, across, left, right);
    const Quad *cells = row.data();
    return cells[left] + along * (cells[right] - cells[left]);
  }

  const std::vector<Quad> &currentRow() const { return row; }

private:
  std::vector<Quad> row;

  float place(int64_t at, int64_t count, int64_t &low, int64_t &high) const {
    float position = (static_cast<float>(at) + 0.5f) * (1 / static_cast<float>(side)) - 0.5f;
    position = std::min(std::max(position, 0.0f), static_cast<float>(count - 1));
    low = static_cast<int64_t>(position);
    high = std::min(low + 1, count - 1);
    return position - static_cast<float>(low);
  }
};

/// How far two paintings of the same part of a film agree, in the cells of a picture.
class Agreement {
  /// Sums over a cell: of both paintings, of their squares, and of the squared differences.
  struct Sums {
    Quad own = 0.0f, held = 0.0f, ownSquares = 0.0f, heldSquares = 0.0f, differences = 0.0f;
    float count = 0;
  };

  CellGrid grid;
  std::vector<Sums> cells;

public:
  Agreement(int64_t width, int64_t height)
      : grid(width, height, kSide), cells(static_cast<size_t>(grid.across * grid.down)) {}

  /// Adds a pixel of both paintings, in levels.
  void add(int64_t x, int64_t y, Quad own, Quad held) {
    Sums &cell = cells[static_cast<size_t>(y / grid.side * grid.across + x / grid.side)];
    const Quad difference = own - held;
    cell.own += own;
    cell.held += held;
    cell.ownSquares += own * own;
    cell.heldSquares += held * held;
    cell.differences += difference * difference;
    cell.count += 1;
  }

  /// Computes the agreement from the sums.
  void finish() {
    CellGrid sums(grid.width, grid.height, grid.side);
    for (size_t index = 0; index < cells.size(); ++index) {
      const Sums &cell = cells[index];
      if (cell.count == 0) continue;
      const Quad variances = cell.ownSquares + cell.heldSquares
          - (cell.own * cell.own + cell.held * cell.held) / cell.count;
      sums.values[index] = Quad{cell.differences[0] + cell.differences[1] + cell.differences[2],
          variances[0] + variances[1] + variances[2], cell.count, 0.0f};
    }
    sums.smooth();
    for (size_t index = 0; index < cells.size(); ++index) {
      const Quad sum = sums.values[index];
      // Equal paintings give 0, independent ones about 1. Faint brush strokes may differ.
      const float gap = sum[0] / (sum[1] + 3 * kFaint * kFaint * sum[2] + 1) / 0.65f;
      grid.values[index] = Quad(1 / (1 + gap * gap * gap * gap));
    }
  }

  /// Computes the agreement of the pixels of a row.
  void row(int64_t y, const RowPlaces &places, float *values) {
    grid.beginRow(y);
    const std::vector<Quad> &own = grid.currentRow();
    firsts.resize(own.size() + 1);
    for (size_t column = 0; column < own.size(); ++column) firsts[column] = own[column][0];
    places.spread(firsts.data(), values);
  }

  static constexpr int64_t kSide = 8;

private:
  static constexpr float kFaint = 8;
  std::vector<float> firsts;
};

/// Loads up to four neighbouring pixels of red, green and blue bytes, as numbers with a zero after each.
static inline Sixteen loadPixels(const uint8_t *at, int64_t count, bool mayReadOn) {
  ByteSixteen bytes = 0;
  if (mayReadOn) {
    std::memcpy(&bytes, at, 16);
  } else {
    std::memcpy(&bytes, at, static_cast<size_t>(count * 3));
  }
  const ByteSixteen zero = 0;
  bytes = __builtin_shufflevector(
      bytes, zero, 0, 1, 2, 16, 3, 4, 5, 16, 6, 7, 8, 16, 9, 10, 11, 16);
  return __builtin_convertvector(bytes, Sixteen);
}

/// Stores the first three of each four numbers as bytes.
static inline void storePixels(uint8_t *at, Sixteen value, int64_t count) {
  ByteSixteen bytes =
      __builtin_convertvector(__builtin_convertvector(value, IntegerSixteen), ByteSixteen);
  bytes = __builtin_shufflevector(
      bytes, bytes, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11, 15);
  if (count == 4) {
    std::memcpy(at, &bytes, 12);
  } else {
    std::memcpy(at, &bytes, static_cast<size_t>(count * 3));
  }
}

/// The weights of the part of a picture that a painting holds: 1 in its cells, and less up to half a cell beside them.
class PaintedPart {
  std::vector<float> values, between;
  RowPlaces places;
  int64_t across, down, side;
  bool isWhole;

public:
  /// The weights of a row, and whether one of them is not zero.
  std::vector<float> row;
  bool isAny = true;

  PaintedPart(const cf_painted *painted, int64_t width, int64_t height)
      : places(painted ? (width + painted->side - 1) / painted->side : 1, width,
            painted ? static_cast<float>(painted->side) : 1.0f),
        across(painted ? (width + painted->side - 1) / painted->side : 1),
        down(painted ? (height + painted->side - 1) / painted->side : 1),
        side(painted ? painted->side : 1), isWhole(!painted),
        row(static_cast<size_t>(width), 1.0f) {
    if (isWhole) return;
    values.assign(painted->cells, painted->cells + across * down);
    between.resize(static_cast<size_t>(across + 1));
  }

  void begin(int64_t y) {
    if (isWhole) return;
    float at = (static_cast<float>(y) + 0.5f) / static_cast<float>(side) - 0.5f;
    at = std::min(std::max(at, 0.0f), static_cast<float>(down - 1));
    const auto top = static_cast<int64_t>(at);
    const float below = at - static_cast<float>(top);
    const float *upper = values.data() + top * across;
    const float *lower = values.data() + std::min(top + 1, down - 1) * across;
    isAny = false;
    for (int64_t x = 0; x < across; ++x) {
      const float value = upper[x] + below * (lower[x] - upper[x]);
      between[static_cast<size_t>(x)] = value;
      isAny |= value > 0;
    }
    places.spread(between.data(), row.data());
    for (float &value : row) value = std::min(1.0f, 2 * value);
  }
};

static void blend(const uint8_t *painting, const cf_painted *painted, const uint16_t *last,
    const cf_motion &motion, const uint16_t *key, const cf_motion &keyMotion,
    const cf_weights &weights, int64_t width, int64_t height, uint16_t *blended, uint8_t *result) {
  MotionRow flow(motion, width), keyFlow(keyMotion, width);
  PaintedPart part(painted, width, height);
  // The trust in the key, of all pixels.
  std::vector<float> keyTrusts(static_cast<size_t>(width * height));
  Agreement agreement(width, height);
  const RowPlaces cells((width + Agreement::kSide - 1) / Agreement::kSide, width,
      static_cast<float>(Agreement::kSide));
  for (int64_t y = 0; y < height; ++y) {
    keyFlow.begin(keyMotion, y);
    const float *u = keyFlow.u.data(), *v = keyFlow.v.data();
    float *trust = keyTrusts.data() + y * width;
    for (int64_t x = 0; x < width; ++x)
      trust[x] = trustIn(keyFlow.confidence[static_cast<size_t>(x)]);
    part.begin(y);
    for (int64_t x = 0; x < width; ++x) {
      if (trust[x] == 0 && !painted) continue;
      const int64_t index = y * width + x;
      const Quad held = limited(
          kKeyUnit
                  * wideAt(key, static_cast<float>(x) + u[x], static_cast<float>(y) + v[x], width,
                      height, splineWeights)
              - kKeyOffset,
          65280.0f);
      storeWide(blended + index * 4, held + 0.5f);
      // A quarter of the pixels is enough.
      if (x % 2 == 0 && y % 2 == 0 && part.row[static_cast<size_t>(x)] > 0) {
        const uint8_t *at = painting + index * 3;
        const Quad own{
            static_cast<float>(at[0]), static_cast<float>(at[1]), static_cast<float>(at[2]), 0.0f};
        agreement.add(x, y, own, held * (1.0f / 256));
      }
    }
  }
  agreement.finish();
  std::vector<float> trusts(static_cast<size_t>(width + 3));
  for (int64_t y = 0; y < height; ++y) {
    bool hasFlow = false;
    part.begin(y);
    keyFlow.beginDoubt(keyMotion, y);
    if (part.isAny) {
      agreement.row(y, cells, trusts.data());
    } else {
      std::fill(trusts.begin(), trusts.end(), 0.0f);
    }
    const float *inKey = keyTrusts.data() + y * width;
    for (int64_t x = 0; x < width; ++x) {
      const auto place = static_cast<size_t>(x);
      const float agrees = part.row[place] * trusts[place];
      trusts[place] = (1 - keyFlow.doubt[place] * (1 - agrees)) * inKey[x];
    }
    for (int64_t x = 0; x < width; x += 4) {
      const int64_t index = y * width + x, count = std::min<int64_t>(4, width - x);
      Quad trust;
      std::memcpy(&trust, trusts.data() + x, sizeof trust);
      if (weights.key >= 1 && trust[0] + trust[1] + trust[2] + trust[3] >= 4) {
        WideSixteen wide = 0;
        std::memcpy(&wide, blended + index * 4, static_cast<size_t>(count * 8));
        const Sixteen held = __builtin_convertvector(wide, Sixteen);
        storePixels(result + index * 3, held * (1.0f / 256) + 0.5f, count);
        continue;
      }
      const Sixteen fresh =
          256.0f * loadPixels(painting + index * 3, count, index + 6 <= width * height);
      Sixteen value = fresh;
      for (int64_t pixel = 0; pixel < count; ++pixel) {
        const float own = part.row[static_cast<size_t>(x + pixel)];
        if (trust[pixel] >= 0.98f) {
          if (own < 1) trust[pixel] = 1;
          continue;
        }
        if (!hasFlow) {
          flow.begin(motion, y);
          flow.beginDoubt(motion, y);
          hasFlow = true;
        }
        const auto place = static_cast<size_t>(x + pixel);
        const float weight = weights.last + flow.doubt[place] * (weights.doubtful - weights.last);
        const float share = 1 - own * (1 - weight * flow.confidence[place]);
        if (share <= 0.004f) continue;
        // A key whose motion is in doubt is better than a last painting that cannot be followed.
        trust[pixel] += (1 - trust[pixel]) * (1 - own) * (1 - flow.confidence[place])
            * keyTrusts[static_cast<size_t>(y * width + x + pixel)];
        const Quad warped = wideAt(last, static_cast<float>(x + pixel) + flow.u[place],
            static_cast<float>(y) + flow.v[place], width, height, cubicWeights);
        for (int64_t channel = 0; channel < 3; ++channel) {
          const int64_t sample = pixel * 4 + channel;
          value[sample] += share * (warped[channel] - value[sample]);
        }
      }
      WideSixteen wide = 0;
      std::memcpy(&wide, blended + index * 4, static_cast<size_t>(count * 8));
      Sixteen held = __builtin_convertvector(wide, Sixteen);
      held = fresh + weights.key * (held - fresh);
      value += __builtin_shufflevector(trust, trust, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3)
          * (held - value);
      value = limited(value, 65280.0f);
      wide = __builtin_convertvector(
          __builtin_convertvector(value + 0.5f, IntegerSixteen), WideSixteen);
      std::memcpy(blended + index * 4, &wide, static_cast<size_t>(count * 8));
      storePixels(result + index * 3, value * (1.0f / 256) + 0.5f, count);
    }
  }
}

static void renew(const uint8_t *painting, const uint16_t *blended, float share, float tint,
    float strength, int64_t width, int64_t height, uint16_t *renewed, uint8_t *result) {
  auto own = [&](int64_t index) __attribute__((always_inline)) {
    const uint8_t *at = painting + index * 3;
    return Quad{static_cast<float>(at[0]), static_cast<float>(at[1]), static_cast<float>(at[2]),
               0.0f}
    * 256.0f;
  };
  auto detail = [&](auto load, int64_t x, int64_t y) __attribute__((always_inline)) {
    const int64_t left = std::max<int64_t>(0, x - 1), right = std::min(width - 1, x + 1);
    const int64_t above = std::max<int64_t>(0, y - 1), below = std::min(height - 1, y + 1);
    return load(y * width + x)
        - 0.25f
        * (load(y * width + left) + load(y * width + right) + load(above * width + x)
            + load(below * width + x));
  };
  auto mixed = [&](int64_t index) __attribute__((always_inline)) {
    const Quad old = loadWide(blended + index * 4);
    return old + share * (own(index) - old);
  };
  // The side of the cells in which both paintings are compared, in pixels.
  constexpr int64_t kCell = 16;
  CellGrid colors(width, height, kCell), details(width, height, kCell);
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      const int64_t index = y * width + x;
      Quad &sum = colors.cell(x / kCell, y / kCell);
      Quad gap = own(index) - mixed(index);
      gap[3] = 1;
      sum += gap;
      const Quad wanted = detail(own, x, y), found = detail(mixed, x, y);
      const Quad squaresWanted = wanted * wanted, squaresFound = found * found;
      Quad &energy = details.cell(x / kCell, y / kCell);
      energy[0] += squaresWanted[0] + squaresWanted[1] + squaresWanted[2];
      energy[1] += squaresFound[0] + squaresFound[1] + squaresFound[2];
    }
  }
  for (Quad &sum : colors.values) sum *= tint / sum[3];
  colors.smooth();
  details.smooth();
  for (Quad &energy : details.values) {
    // Sharpening by s times the detail multiplies the detail by about 1 + 0.7 s. Three fifths of the loss are restored:
    // more would make the painting change from key to key.
    const float ratio = strength * std::sqrt(energy[0] / std::max(1.0f, energy[1]));
    energy[0] = std::min(0.7f, std::max(0.0f, (ratio - 1) * 0.85f));
  }
  for (int64_t y = 0; y < height; ++y) {
    colors.beginRow(y);
    details.beginRow(y);
    for (int64_t x = 0; x < width; ++x) {
      const int64_t index = y * width + x;
      Quad value = mixed(index) + colors.at(x) + details.at(x)[0] * detail(mixed, x, y);
      value = limited(value, 65280.0f);
      storeWide(renewed + index * 4, value + 0.5f);
      const IntegerQuad rounded =
          __builtin_convertvector(value * (1.0f / 256) + 0.5f, IntegerQuad);
      for (int64_t channel = 0; channel < 3; ++channel)
        result[index * 3 + channel] = static_cast<uint8_t>(rounded[channel]);
    }
  }
}

/// Replaces a line of values by the coefficients of the cubic B-splines that pass through them. `step` is the distance
/// of neighbours, and `columns` the number of lines beside each other.
static void splineLine(Quad *values, int64_t count, int64_t step, int64_t columns) {
  constexpr float kPole = -0.26794919f;
  if (count < 2) return;
  // The first value of the causal filter, as if the line was mirrored at its ends.
  const int64_t reach = std::min<int64_t>(count, 14);
  for (int64_t column = 0; column < columns; ++column) {
    Quad sum = 0.0f;
    float power = 1;
    for (int64_t index = 0; index < reach; ++index, power *= kPole)
      sum += power * values[index * step + column];
    values[column] = sum;
  }
  for (int64_t index = 1; index < count; ++index) {
    Quad *line = values + index * step;
    for (int64_t column = 0; column < columns; ++column)
      line[column] += kPole * line[column - step];
  }
  Quad *last = values + (count - 1) * step;
  for (int64_t column = 0; column < columns; ++column)
    last[column] =
        kPole / (kPole * kPole - 1) * (last[column] + kPole * last[column - step]);
  for (int64_t index = count - 1; index-- > 0;) {
    Quad *line = values + index * step;
    for (int64_t column = 0; column < columns; ++column)
      line[column] = kPole * (line[column + step] - line[column]);
  }
}

static void makeKey(const uint16_t *blended, int64_t width, int64_t height, uint16_t *key) {
  std::vector<Quad> values(static_cast<size_t>(width * height));
  for (int64_t y = 0; y < height; ++y) {
    Quad *row = values.data() + y * width;
    for (int64_t x = 0; x < width; ++x) row[x] = loadWide(blended + (y * width + x) * 4);
    splineLine(row, width, 1, 1);
  }
  splineLine(values.data(), height, width, width);
  const float gain = (width > 1 ? 6.0f : 1.0f) * (height > 1 ? 6.0f : 1.0f);
  for (int64_t index = 0; index < width * height; ++index) {
    const Quad value = (values[static_cast<size_t>(index)] * gain + kKeyOffset) * (1 / kKeyUnit);
    storeWide(key + index * 4, limited(value + 0.5f, 65535.0f));
  }
}
