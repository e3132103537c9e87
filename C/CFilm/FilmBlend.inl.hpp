// Included once for each instruction set: blending a painting with earlier ones, and key paintings.

/// A key's coefficients are in 1/64 of a level from -384 on, blended paintings in 1/256 of a level.
constexpr float kKeyUnit = 4, kKeyOffset = 384 * 256;

/// Values of the square cells of a picture, spread linearly between them.
template <typename Value>
struct CellGrid {
  int64_t width, height, side, across, down;
  std::vector<Value> values;

  CellGrid(int64_t width, int64_t height, int64_t side)
      : width(width), height(height), side(side), across((width + side - 1) / side),
        down((height + side - 1) / side), values(static_cast<size_t>(across * down), Value(0.0f)),
        row(static_cast<size_t>(across + 1), Value(0.0f)) {}

  Value &cell(int64_t column, int64_t row) {
    return values[static_cast<size_t>(row * across + column)];
  }

  /// Replaces each cell by a mean of it and those around it.
  void smooth() {
    const std::vector<Value> old = values;
    for (int64_t row = 0; row < down; ++row) {
      for (int64_t column = 0; column < across; ++column) {
        Value sum = 0.0f;
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
    const Value *upper = values.data() + top * across, *lower = values.data() + below * across;
    for (int64_t column = 0; column < across; ++column)
      row[static_cast<size_t>(column)] = upper[column] + along * (lower[column] - upper[column]);
  }

  /// The value at a pixel of the row.
  Value at(int64_t x) const {
    int64_t left, right;
    const float along = place(x, across, left, right);
    const Value *cells = row.data();
    return cells[left] + along * (cells[right] - cells[left]);
  }

  /// The cells of the row, and one more for `RowPlaces`.
  const std::vector<Value> &currentRow() const { return row; }

private:
  std::vector<Value> row;

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

  CellGrid<float> grid;
  RowPlaces places;
  std::vector<Sums> cells;

public:
  Agreement(int64_t width, int64_t height)
      : grid(width, height, kSide), places(grid.across, width, static_cast<float>(kSide)),
        cells(static_cast<size_t>(grid.across * grid.down)) {}

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
    CellGrid<Quad> sums(grid.width, grid.height, grid.side);
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
      grid.values[index] = 1 / (1 + gap * gap * gap * gap);
    }
  }

  /// Computes the agreement of the pixels of a row.
  void row(int64_t y, float *values) {
    grid.beginRow(y);
    places.spread(grid.currentRow().data(), values);
  }

  static constexpr int64_t kSide = 8;

private:
  static constexpr float kFaint = 8;
};

/// Loads up to four neighbouring pixels of four samples of 16 bits.
static inline Sixteen loadWides(const uint16_t *at, int64_t count) {
  if (count == 4) return loadFourWide(at);
  WideSixteen wide = 0;
  std::memcpy(&wide, at, static_cast<size_t>(count * 8));
  return __builtin_convertvector(wide, Sixteen);
}

/// Stores up to four neighbouring pixels of four samples of 16 bits.
static inline void storeWides(uint16_t *at, Sixteen value, int64_t count) {
  if (count == 4) return storeFourWide(at, value);
  for (int64_t sample = 0; sample < count * 4; ++sample)
    at[sample] = static_cast<uint16_t>(value[sample]);
}

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
  CellGrid<float> grid;
  RowPlaces places;
  bool isWhole;

public:
  /// The weights of a row, and whether one of them is not zero.
  std::vector<float> row;
  bool isAny = true;

  PaintedPart(const cf_painted *painted, int64_t width, int64_t height)
      : grid(width, height, painted ? painted->side : std::max(width, height)),
        places(grid.across, width, static_cast<float>(grid.side)), isWhole(!painted),
        row(static_cast<size_t>(width), 1.0f) {
    if (painted) grid.values.assign(painted->cells, painted->cells + grid.values.size());
  }

  void begin(int64_t y) {
    if (isWhole) return;
    grid.beginRow(y);
    const std::vector<float> &cells = grid.currentRow();
    isAny = std::any_of(cells.begin(), cells.end(), [](float cell) { return cell > 0; });
    places.spread(cells.data(), row.data());
    for (float &value : row) value = std::min(1.0f, 2 * value);
  }
};

/// Blends a painting with earlier ones (`cf_blend`).
class Blend {
  const uint8_t *painting;
  const uint16_t *last, *key;
  const cf_motion &motion, &keyMotion;
  const cf_weights &weights;
  const int64_t width, height;
  const bool isWhole;
  uint16_t *blended;
  uint8_t *result;

  MotionRow flow, keyFlow;
  SourceRow source;
  PaintedPart part;
  Agreement agreement;
  /// The trust in the key, of all pixels.
  std::vector<float> keyTrusts;
  /// Of a row: the weights of the key, those of the last painting, and the last painting.
  std::vector<float> trusts, shares;
  std::vector<Quad> warped;

  /// Warps a row of the key into `blended`, and compares it with the painting.
  void warpKey(int64_t y) {
    keyFlow.begin(keyMotion, y);
    float *trust = keyTrusts.data() + y * width;
    bool isAny = false;
    for (int64_t x = 0; x < width; ++x) {
      trust[x] = trustIn(keyFlow.confidence[static_cast<size_t>(x)]);
      isAny |= trust[x] > 0;
    }
    if (!isAny && isWhole) return;
    source.begin(keyFlow, y);
    uint16_t *row = blended + y * width * 4;
    for (int64_t x = 0; x < width; ++x) {
      if (isWhole && trust[x] == 0) continue;
      const Quad held =
          limited(kKeyUnit * source.at(key, x, splineWeights) - kKeyOffset, 65280.0f);
      storeWide(row + x * 4, held + 0.5f);
    }
    // A quarter of the pixels is enough.
    if (y % 2 != 0) return;
    part.begin(y);
    for (int64_t x = 0; x < width; x += 2) {
      if ((isWhole && trust[x] == 0) || part.row[static_cast<size_t>(x)] == 0) continue;
      const uint8_t *at = painting + (y * width + x) * 3;
      const Quad own{
          static_cast<float>(at[0]), static_cast<float>(at[1]), static_cast<float>(at[2]), 0.0f};
      agreement.add(x, y, own, loadWide(row + x * 4) * (1.0f / 256));
    }
  }

  /// Weighs the key in a row.
  void weighKey(int64_t y) {
    part.begin(y);
    keyFlow.beginDoubt(keyMotion, y);
    if (part.isAny) {
      agreement.row(y, trusts.data());
    } else {
      std::fill(trusts.begin(), trusts.end(), 0.0f);
    }
    const float *inKey = keyTrusts.data() + y * width;
    for (int64_t x = 0; x < width; ++x) {
      const auto place = static_cast<size_t>(x);
      const float agrees = part.row[place] * trusts[place];
      trusts[place] = (1 - keyFlow.doubt[place] * (1 - agrees)) * inKey[x];
    }
  }

  /// Weighs the last painting in a row. Returns whether it counts there.
  bool weighLast(int64_t y) {
    bool needsLast = false;
    for (int64_t x = 0; x < width; ++x) needsLast |= trusts[static_cast<size_t>(x)] < kCertain;
    if (needsLast) {
      flow.begin(motion, y);
      flow.beginDoubt(motion, y);
    }
    const float *inKey = keyTrusts.data() + y * width;
    bool isAny = false;
    for (int64_t x = 0; x < width; ++x) {
      const auto place = static_cast<size_t>(x);
      const float own = part.row[place], trust = trusts[place], confidence = flow.confidence[place];
      const bool isCertain = trust >= kCertain;
      const float weight = weights.last + flow.doubt[place] * (weights.doubtful - weights.last);
      const float share = 1 - own * (1 - weight * confidence);
      const bool counts = !isCertain & (share > 0.004f);
      // A key whose motion is in doubt is better than a last painting that cannot be followed.
      const float added = (1 - trust) * (1 - own) * (1 - confidence) * inKey[x];
      trusts[place] = (isCertain & (own < 1)) ? 1 : trust + (counts ? added : 0);
      shares[place] = counts ? share : 0;
      isAny |= counts;
    }
    return isAny;
  }

  /// Warps the last painting where it counts in a row.
  void warpLast(int64_t y) {
    source.begin(flow, y);
    for (int64_t x = 0; x < width; ++x) {
      const auto place = static_cast<size_t>(x);
      if (shares[place] > 0) warped[place] = source.at(last, x, cubicWeights);
    }
  }

  /// Mixes four pixels of a row, or fewer at its end.
  void mix(int64_t y, int64_t x, bool hasLast) {
    const int64_t index = y * width + x, count = std::min<int64_t>(4, width - x);
    const Sixteen inKey = loadWides(blended + index * 4, count);
    Quad trust;
    std::memcpy(&trust, trusts.data() + x, sizeof trust);
    if (weights.key >= 1 && trust[0] + trust[1] + trust[2] + trust[3] >= 4) {
      storePixels(result + index * 3, inKey * (1.0f / 256) + 0.5f, count);
      return;
    }
    const Sixteen fresh =
        256.0f * loadPixels(painting + index * 3, count, index + 6 <= width * height);
    Sixteen value = fresh;
    if (hasLast) {
      Quad share;
      Sixteen before;
      std::memcpy(&share, shares.data() + x, sizeof share);
      std::memcpy(&before, warped.data() + x, sizeof before);
      value += fourTimesEach(share) * (before - value);
    }
    value += fourTimesEach(trust) * (fresh + weights.key * (inKey - fresh) - value);
    value = limited(value, 65280.0f);
    storeWides(blended + index * 4, value + 0.5f, count);
    storePixels(result + index * 3, value * (1.0f / 256) + 0.5f, count);
  }

  /// From this weight on, the key is all that counts.
  static constexpr float kCertain = 0.98f;

public:
  Blend(const uint8_t *painting, const cf_painted *painted, const uint16_t *last,
      const cf_motion &motion, const uint16_t *key, const cf_motion &keyMotion,
      const cf_weights &weights, int64_t width, int64_t height, uint16_t *blended, uint8_t *result)
      : painting(painting), last(last), key(key), motion(motion), keyMotion(keyMotion),
        weights(weights), width(width), height(height), isWhole(!painted), blended(blended),
        result(result), flow(motion, width), keyFlow(keyMotion, width), source(width, height),
        part(painted, width, height), agreement(width, height),
        keyTrusts(static_cast<size_t>(width * height)), trusts(static_cast<size_t>(width + 3)),
        shares(trusts.size()), warped(trusts.size(), Quad(0.0f)) {}

  void run() {
    for (int64_t y = 0; y < height; ++y) warpKey(y);
    agreement.finish();
    for (int64_t y = 0; y < height; ++y) {
      weighKey(y);
      const bool hasLast = weighLast(y);
      if (hasLast) warpLast(y);
      for (int64_t x = 0; x < width; x += 4) mix(y, x, hasLast);
    }
  }
};

static void blend(const uint8_t *painting, const cf_painted *painted, const uint16_t *last,
    const cf_motion &motion, const uint16_t *key, const cf_motion &keyMotion,
    const cf_weights &weights, int64_t width, int64_t height, uint16_t *blended, uint8_t *result) {
  Blend(painting, painted, last, motion, key, keyMotion, weights, width, height, blended, result)
      .run();
}

/// The rows of a picture, one after the other, with the rows above and below. `Fill` computes a row of pixels.
template <typename Fill>
class RowsAround {
  Fill fill;
  const int64_t width, height;
  std::vector<Quad> rows[3];
  const Quad *above = nullptr, *middle = nullptr, *below = nullptr;

  /// A row begins after a pixel that repeats its first one. Rows of four pixels are filled at once.
  Quad *row(int64_t y) { return rows[y % 3].data() + 1; }

  void load(int64_t y) {
    Quad *pixels = row(y);
    fill(y, pixels);
    pixels[-1] = pixels[0];
    pixels[width] = pixels[width - 1];
  }

public:
  RowsAround(int64_t width, int64_t height, Fill fill) : fill(fill), width(width), height(height) {
    for (auto &pixels : rows) pixels.resize(static_cast<size_t>(width + 5));
  }

  /// Goes to the next row, from the first one on.
  void begin(int64_t y) {
    if (y == 0) load(0);
    if (y + 1 < height) load(y + 1);
    above = row(std::max<int64_t>(0, y - 1));
    middle = row(y);
    below = row(std::min(height - 1, y + 1));
  }

  Quad at(int64_t x) const { return middle[x]; }

  /// The difference of a pixel from its four neighbours. The edges of the picture are repeated.
  Quad detail(int64_t x) const {
    return middle[x] - 0.25f * (middle[x - 1] + middle[x + 1] + above[x] + below[x]);
  }
};

static void renew(const uint8_t *painting, const uint16_t *blended, float share, float tint,
    float strength, int64_t width, int64_t height, uint16_t *renewed, uint8_t *result) {
  auto ownPixels = [=](int64_t y, int64_t x, int64_t count) {
    const int64_t index = y * width + x;
    return 256.0f * loadPixels(painting + index * 3, count, index + 6 <= width * height);
  };
  auto fourAtOnce = [=](int64_t y, Quad *row, auto pixels) {
    for (int64_t x = 0; x < width; x += 4) {
      const Sixteen four = pixels(y, x, std::min<int64_t>(4, width - x));
      std::memcpy(row + x, &four, sizeof four);
    }
  };
  auto fillOwn = [=](int64_t y, Quad *row) { fourAtOnce(y, row, ownPixels); };
  auto fillMixed = [=](int64_t y, Quad *row) {
    fourAtOnce(y, row, [=](int64_t, int64_t x, int64_t count) {
      const Sixteen old = loadWides(blended + (y * width + x) * 4, count);
      return old + share * (ownPixels(y, x, count) - old);
    });
  };
  RowsAround own(width, height, fillOwn);
  RowsAround mixed(width, height, fillMixed);
  // The side of the cells in which both paintings are compared, in pixels.
  constexpr int64_t kCell = 16;
  CellGrid<Quad> colors(width, height, kCell), details(width, height, kCell);
  for (int64_t y = 0; y < height; ++y) {
    own.begin(y);
    mixed.begin(y);
    for (int64_t left = 0; left < width; left += kCell) {
      Quad gaps = 0.0f, wanted = 0.0f, found = 0.0f;
      const int64_t right = std::min(width, left + kCell);
      for (int64_t x = left; x < right; ++x) {
        const Quad ownDetail = own.detail(x), mixedDetail = mixed.detail(x);
        gaps += own.at(x) - mixed.at(x);
        wanted += ownDetail * ownDetail;
        found += mixedDetail * mixedDetail;
      }
      gaps[3] = static_cast<float>(right - left);
      colors.cell(left / kCell, y / kCell) += gaps;
      Quad &energy = details.cell(left / kCell, y / kCell);
      energy[0] += wanted[0] + wanted[1] + wanted[2];
      energy[1] += found[0] + found[1] + found[2];
    }
  }
  for (Quad &sum : colors.values) sum *= tint / sum[3];
  colors.smooth();
  details.smooth();
  for (Quad &energy : details.values) {
    // Sharpening by s times the detail multiplies the detail by about 1 + 0.7 s.
    const float ratio = strength * std::sqrt(energy[0] / std::max(1.0f, energy[1]));
    energy[0] = std::min(0.7f, std::max(0.0f, (ratio - 1) * 0.85f));
  }
  std::vector<Quad> values(static_cast<size_t>(width + 3), Quad(0.0f));
  for (int64_t y = 0; y < height; ++y) {
    colors.beginRow(y);
    details.beginRow(y);
    mixed.begin(y);
    for (int64_t x = 0; x < width; ++x)
      values[static_cast<size_t>(x)] =
          mixed.at(x) + colors.at(x) + details.at(x)[0] * mixed.detail(x);
    for (int64_t x = 0; x < width; x += 4) {
      const int64_t index = y * width + x, count = std::min<int64_t>(4, width - x);
      Sixteen four;
      std::memcpy(&four, values.data() + x, sizeof four);
      four = limited(four, 65280.0f);
      storeWides(renewed + index * 4, four + 0.5f, count);
      storePixels(result + index * 3, four * (1.0f / 256) + 0.5f, count);
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

static void warpingError(const uint8_t *picture, const uint16_t *key, const cf_motion &motion,
    int64_t width, int64_t height, double *sum, double *count) {
  MotionRow flow(motion, width);
  SourceRow source(width, height);
  for (int64_t y = 0; y < height; ++y) {
    flow.begin(motion, y);
    source.begin(flow, y);
    const uint8_t *own = picture + y * width * 3;
    for (int64_t x = 0; x < width; ++x, own += 3) {
      if (flow.confidence[static_cast<size_t>(x)] < 0.5f) continue;
      const Quad warped =
          limited(kKeyUnit * source.at(key, x, splineWeights) - kKeyOffset, 65280.0f);
      for (int channel = 0; channel < 3; ++channel) {
        const float difference = static_cast<float>(own[channel]) - warped[channel] * (1.0f / 256);
        *sum += static_cast<double>(difference * difference);
      }
      *count += 1;
    }
  }
}
