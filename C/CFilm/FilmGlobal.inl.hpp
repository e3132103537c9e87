// Included once for each instruction set: the search for a flow relative to the motion of the whole picture.

/// The global motion of a picture, as of a camera that turns, zooms and moves. Eight parameters, like a homography to the
/// second order:
///
///     u = a₀ + a₁ x + a₂ y + a₆ x² + a₇ x y,   v = a₃ + a₄ x + a₅ y + a₆ x y + a₇ y²
///
/// with x and y from the middle of the picture, in halves of its longer side.
struct GlobalMotion {
  static constexpr int kCount = 8;
  double parameters[kCount] = {};
  /// The difference of brightness.
  double light = 0;
  float middleX, middleY, unit;

  GlobalMotion(int64_t width, int64_t height)
      : middleX(static_cast<float>(width - 1) / 2), middleY(static_cast<float>(height - 1) / 2),
        unit(2 / static_cast<float>(std::max(width, height))) {}

  /// The motion along a row, as polynomials of the column: `u[0] + u[1] x + u[2] x²`.
  struct Row {
    float u[3], v[2], first, unit;

    float atU(float column) const {
      const float x = (column - first) * unit;
      return u[0] + x * (u[1] + x * u[2]);
    }
    float atV(float column) const { return v[0] + (column - first) * unit * v[1]; }
  };

  /// The y of a row.
  double place(int64_t y) const {
    return static_cast<double>((static_cast<float>(y) - middleY) * unit);
  }

  void add(const double *step) {
    for (int index = 0; index < kCount; ++index) parameters[index] += step[index];
  }

  Row row(int64_t y) const {
    const double at = place(y);
    const double *a = parameters;
    return {{static_cast<float>(a[0] + a[2] * at), static_cast<float>(a[1] + a[7] * at),
                static_cast<float>(a[6])},
        {static_cast<float>(a[3] + a[5] * at + a[7] * at * at),
            static_cast<float>(a[4] + a[6] * at)},
        middleX, unit};
  }
};

/// The normal equations of a motion's parameters and of the difference of brightness.
class MotionEquations {
  static constexpr int kSize = GlobalMotion::kCount + 1;
  double matrix[kSize][kSize] = {}, right[kSize] = {};

public:
  /// Adds the sums of a row. `squares` are the sums of weight · gx² · xⁱ, gx gy xⁱ and gy² xⁱ; `firsts` those of
  /// weight · gx · xⁱ and gy · xⁱ; `residuals` those of weight · gap · gx · xⁱ and gap · gy · xⁱ.
  void addRow(double y, const double (*squares)[5], const double (*firsts)[3],
      const double (*residuals)[3], double weight, double residual) {
    // The power of x and the factor of each number, in u and in v.
    struct Term {
      int axis, power;
      double factor;
    };
    const Term terms[GlobalMotion::kCount][2] = {{{0, 0, 1}, {1, 0, 0}}, {{0, 1, 1}, {1, 0, 0}},
        {{0, 0, y}, {1, 0, 0}}, {{0, 0, 0}, {1, 0, 1}}, {{0, 0, 0}, {1, 1, 1}},
        {{0, 0, 0}, {1, 0, y}}, {{0, 2, 1}, {1, 1, y}}, {{0, 1, y}, {1, 0, y * y}}};
    for (int row = 0; row < GlobalMotion::kCount; ++row) {
      for (const Term &one : terms[row]) {
        if (one.factor == 0) continue;
        right[row] += one.factor * residuals[one.axis][one.power];
        matrix[row][kSize - 1] += one.factor * firsts[one.axis][one.power];
        for (int column = row; column < GlobalMotion::kCount; ++column)
          for (const Term &other : terms[column])
            matrix[row][column] += one.factor * other.factor
                * squares[one.axis + other.axis][one.power + other.power];
      }
    }
    matrix[kSize - 1][kSize - 1] += weight;
    right[kSize - 1] += residual;
  }

  /// Solves the equations by elimination. Returns false if they have no clear solution.
  bool solve(double *solution) {
    // A little of the mean on the diagonal, more for the second order: few edges fix no bending.
    double mean = 0;
    for (int index = 0; index < GlobalMotion::kCount; ++index) mean += matrix[index][index] / 8;
    for (int row = 0; row < kSize; ++row)
      for (int column = 0; column < row; ++column) matrix[row][column] = matrix[column][row];
    for (int index = 0; index < GlobalMotion::kCount; ++index)
      matrix[index][index] += (index < 6 ? 1e-5 : 1e-3) * mean;
    for (int step = 0; step < kSize; ++step) {
      if (!(matrix[step][step] > 1e-9)) return false;
      for (int row = step + 1; row < kSize; ++row) {
        const double factor = matrix[row][step] / matrix[step][step];
        for (int column = step; column < kSize; ++column)
          matrix[row][column] -= factor * matrix[step][column];
        right[row] -= factor * right[step];
      }
    }
    for (int row = kSize; row-- > 0;) {
      double value = right[row];
      for (int column = row + 1; column < kSize; ++column)
        value -= matrix[row][column] * solution[column];
      solution[row] = value / matrix[row][row];
    }
    return true;
  }
};

/// Sums of eight columns at once.
struct RowSums {
  Eight squares[3][5], firsts[2][3], residuals[2][3], weight = 0.0f, residual = 0.0f;

  RowSums() {
    for (auto &part : squares) std::fill(part, part + 5, Eight(0.0f));
    for (auto &part : firsts) std::fill(part, part + 3, Eight(0.0f));
    for (auto &part : residuals) std::fill(part, part + 3, Eight(0.0f));
  }

  void add(Eight x, Eight slopeX, Eight slopeY, Eight gap, Eight share) {
    Eight power = share;
    for (int index = 0; index < 5; ++index, power *= x) {
      const Eight alongX = power * slopeX, alongY = power * slopeY;
      squares[0][index] += alongX * slopeX;
      squares[1][index] += alongX * slopeY;
      squares[2][index] += alongY * slopeY;
      if (index > 2) continue;
      firsts[0][index] += alongX;
      firsts[1][index] += alongY;
      residuals[0][index] += alongX * gap;
      residuals[1][index] += alongY * gap;
    }
    weight += share;
    residual += share * gap;
  }

  void addTo(MotionEquations &equations, double y) const {
    double sums[3][5], ones[2][3], gaps[2][3];
    for (int axis = 0; axis < 3; ++axis)
      for (int power = 0; power < 5; ++power)
        sums[axis][power] = static_cast<double>(sumOf(squares[axis][power]));
    for (int axis = 0; axis < 2; ++axis) {
      for (int power = 0; power < 3; ++power) {
        ones[axis][power] = static_cast<double>(sumOf(firsts[axis][power]));
        gaps[axis][power] = static_cast<double>(sumOf(residuals[axis][power]));
      }
    }
    equations.addRow(y, sums, ones, gaps, static_cast<double>(sumOf(weight)),
        static_cast<double>(sumOf(residual)));
  }
};

/// Replaces each value by the mean of those up to `reach` rows and columns away.
static void boxMeans(std::vector<float> &values, int64_t width, int64_t height, int64_t reach) {
  const float share = 1 / static_cast<float>((2 * reach + 1) * (2 * reach + 1));
  std::vector<float> rows(values.size()), sums(static_cast<size_t>(width), 0.0f);
  for (int64_t y = 0; y < height; ++y) {
    const float *from = values.data() + y * width;
    float *to = rows.data() + y * width;
    auto at = [&](int64_t x) { return from[std::min(width - 1, std::max<int64_t>(0, x))]; };
    float sum = 0;
    for (int64_t x = -reach; x <= reach; ++x) sum += at(x);
    for (int64_t x = 0; x < width; ++x) {
      to[x] = sum * share;
      sum += at(x + reach + 1) - at(x - reach);
    }
  }
  auto line = [&](int64_t y) {
    return rows.data() + std::min(height - 1, std::max<int64_t>(0, y)) * width;
  };
  for (int64_t y = -reach; y <= reach; ++y)
    for (int64_t x = 0; x < width; ++x) sums[static_cast<size_t>(x)] += line(y)[x];
  for (int64_t y = 0; y < height; ++y) {
    float *to = values.data() + y * width;
    const float *added = line(y + reach + 1), *removed = line(y - reach);
    for (int64_t x = 0; x < width; ++x) {
      to[x] = sums[static_cast<size_t>(x)];
      sums[static_cast<size_t>(x)] += added[x] - removed[x];
    }
  }
}

/// Spreads doubt over the reach of brush strokes: each sample takes that of the worst cell near it.
static void spreadDoubt(float *doubt, int64_t width, int64_t height) {
  constexpr int64_t kSide = 4, kReach = 3;
  const int64_t across = (width + kSide - 1) / kSide, down = (height + kSide - 1) / kSide;
  std::vector<float> cells(static_cast<size_t>(across * down)), worst(cells.size());
  for (int64_t row = 0; row < down; ++row) {
    for (int64_t column = 0; column < across; ++column) {
      float sum = 0, count = 0;
      for (int64_t y = row * kSide; y < std::min(height, (row + 1) * kSide); ++y) {
        for (int64_t x = column * kSide; x < std::min(width, (column + 1) * kSide); ++x) {
          sum += doubt[y * width + x];
          count += 1;
        }
      }
      // A few samples in doubt are noise.
      cells[static_cast<size_t>(row * across + column)] =
          std::min(1.0f, std::max(0.0f, 2.5f * sum / count - 0.5f));
    }
  }
  for (int64_t row = 0; row < down; ++row) {
    for (int64_t column = 0; column < across; ++column) {
      float most = 0;
      for (int64_t y = std::max<int64_t>(0, row - kReach); y <= std::min(down - 1, row + kReach); ++y)
        for (int64_t x = std::max<int64_t>(0, column - kReach);
            x <= std::min(across - 1, column + kReach); ++x)
          most = std::max(most, cells[static_cast<size_t>(y * across + x)]);
      worst[static_cast<size_t>(row * across + column)] = most;
    }
  }
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x)
      doubt[y * width + x] = worst[static_cast<size_t>(y / kSide * across + x / kSide)];
}

/// Samples of a plane at any positions, interpolated linearly. Positions outside of the plane take the nearest sample.
static void sampleRow(
    const Plane &plane, const float *atX, const float *atY, int64_t count, float *values) {
  const auto width = static_cast<int32_t>(plane.width), height = static_cast<int32_t>(plane.height);
  const float *samples = plane.samples;
  const auto lastX = static_cast<float>(width - 1), lastY = static_cast<float>(height - 1);
  for (int64_t index = 0; index < count; ++index) {
    // In this order, what is not a number becomes 0.
    const float x = std::min(std::max(0.0f, atX[index]), lastX);
    const float y = std::min(std::max(0.0f, atY[index]), lastY);
    const int32_t left = std::min(static_cast<int32_t>(x), width - 2);
    const int32_t top = std::min(static_cast<int32_t>(y), height - 2);
    const float right = x - static_cast<float>(left), below = y - static_cast<float>(top);
    const int32_t at = top * width + left;
    const float upper = samples[at] + right * (samples[at + 1] - samples[at]);
    const float lower =
        samples[at + width] + right * (samples[at + width + 1] - samples[at + width]);
    values[index] = upper + below * (lower - upper);
  }
}

/// Smooths a plane by the weights 1, 4 and 1 in both directions: cubic B-splines, sampled at the samples' places.
static void smoothPlane(const Plane &plane, float *smooth) {
  const int64_t width = plane.width, height = plane.height;
  std::vector<float> sums(static_cast<size_t>(width + 2));
  for (int64_t y = 0; y < height; ++y) {
    const float *line = plane.samples + y * width;
    const float *above = y > 0 ? line - width : line, *below = y + 1 < height ? line + width : line;
    for (int64_t x = 0; x < width; ++x)
      sums[static_cast<size_t>(x + 1)] = (above[x] + 4 * line[x] + below[x]) * (1.0f / 36);
    sums[0] = sums[1];
    sums[static_cast<size_t>(width + 1)] = sums[static_cast<size_t>(width)];
    for (int64_t x = 0; x < width; ++x) {
      const float *at = sums.data() + x;
      smooth[y * width + x] = at[0] + 4 * at[1] + at[2];
    }
  }
}

/// Samples a plane that cubic B-splines smooth, at any positions.
static void sampleSmoothRow(
    const Plane &plane, const float *atX, const float *atY, int64_t count, float *values) {
  const auto width = static_cast<int32_t>(plane.width), height = static_cast<int32_t>(plane.height);
  for (int64_t index = 0; index < count; ++index) {
    const float x = std::min(std::max(0.0f, atX[index]), static_cast<float>(width - 1));
    const float y = std::min(std::max(0.0f, atY[index]), static_cast<float>(height - 1));
    const auto left = static_cast<int32_t>(x), top = static_cast<int32_t>(y);
    const Quad across = splineWeights(x - static_cast<float>(left));
    const Quad down = splineWeights(y - static_cast<float>(top));
    float sum = 0;
    if (left >= 1 && top >= 1 && left + 2 < width && top + 2 < height) {
      const float *at = plane.samples + (top - 1) * width + left - 1;
      Quad rows = 0.0f;
      for (int row = 0; row < 4; ++row, at += width) {
        Quad four;
        std::memcpy(&four, at, sizeof four);
        rows += down[row] * four;
      }
      rows *= across;
      sum = rows[0] + rows[1] + rows[2] + rows[3];
    } else {
      for (int32_t row = 0; row < 4; ++row)
        for (int32_t column = 0; column < 4; ++column)
          sum += down[row] * across[column]
              * plane.samples[std::min(height - 1, std::max(0, top - 1 + row)) * width
                  + std::min(width - 1, std::max(0, left - 1 + column))];
    }
    values[index] = sum;
  }
}

/// Searches the flow relative to the global motion, if there is one.
class RelativeSearch {
  const Plane reference, target;
  float *const flow;
  GlobalMotion motion;
  /// The usual difference of both pictures along the motion, in levels.
  float noise = 1;
  /// Positions and samples of a row.
  std::vector<float> rowX, rowY, samples;

  /// The motion is fitted to about this number of samples.
  static constexpr int64_t kSamples = 12000;
  /// Parts that move with the global motion are compared over this number of rows and columns around each sample.
  static constexpr int64_t kReach = 4;
  /// The picture has kBlocks × kBlocks blocks. Edges in four of them must move with the global motion.
  static constexpr int64_t kBlocks = 4, kLeastBlocks = 4;

  /// The gradients of a row of a plane.
  static void slopes(const Plane &plane, int64_t y, float *alongX, float *alongY) {
    const int64_t width = plane.width;
    const float *line = plane.samples + y * width;
    const float *above = y > 0 ? line - width : line;
    const float *below = y + 1 < plane.height ? line + width : line;
    for (int64_t x = 1; x + 1 < width; ++x) alongX[x] = 0.5f * (line[x + 1] - line[x - 1]);
    alongX[0] = 0.5f * (line[1] - line[0]);
    alongX[width - 1] = 0.5f * (line[width - 1] - line[width - 2]);
    for (int64_t x = 0; x < width; ++x) alongY[x] = 0.5f * (below[x] - above[x]);
  }

  /// Fits the motion to the flow. Parts that move otherwise weigh less with each iteration. Returns false if too little
  /// of the picture moves alike.
  bool fitFlow() {
    const int64_t width = reference.width, height = reference.height;
    std::vector<float> alongX(static_cast<size_t>(width)), alongY(alongX.size());
    float share = 0;
    int64_t blocks = 0;
    for (const float scale : {8.0f, 3.0f, 1.5f, 0.7f, 0.4f}) {
      MotionEquations equations;
      float inside = 0, all = 1e-9f, edges[kBlocks * kBlocks] = {};
      for (int64_t y = kStep / 2; y < height; y += kStep) {
        const auto row = motion.row(y);
        slopes(reference, y, alongX.data(), alongY.data());
        double squares[3][5] = {}, firsts[2][3] = {}, gaps[2][3] = {};
        for (int64_t x = kStep / 2; x < width; x += kStep) {
          const auto column = static_cast<float>(x);
          const float *at = flow + 2 * (y * width + x);
          const float gapU = at[0] - row.atU(column), gapV = at[1] - row.atV(column);
          const float robust = 1 / (1 + (gapU * gapU + gapV * gapV) / (scale * scale));
          const auto index = static_cast<size_t>(x);
          const float edge = std::min(20.0f, std::abs(alongX[index]) + std::abs(alongY[index]));
          inside += edge * robust;
          all += edge;
          edges[y * kBlocks / height * kBlocks + x * kBlocks / width] += edge * robust;
          auto power = static_cast<double>((edge + 0.1f) * robust * robust);
          const auto position = static_cast<double>((column - motion.middleX) * motion.unit);
          for (int term = 0; term < 5; ++term, power *= position) {
            squares[0][term] += power;
            squares[2][term] += power;
            if (term > 2) continue;
            gaps[0][term] += power * static_cast<double>(gapU);
            gaps[1][term] += power * static_cast<double>(gapV);
          }
        }
        equations.addRow(motion.place(y), squares, firsts, gaps, 1, 0);
      }
      double step[GlobalMotion::kCount + 1];
      if (!equations.solve(step)) return false;
      motion.add(step);
      share = inside / all;
      // A mean edge of half a level in each sample that is looked at.
      const float least = 0.5f * static_cast<float>(width * height)
          / static_cast<float>(kStep * kStep * kBlocks * kBlocks);
      blocks = std::count_if(
          edges, edges + kBlocks * kBlocks, [&](float edge) { return edge > least; });
    }
    return share > 0.4f && blocks >= kLeastBlocks;
  }

  /// Computes the positions of a row in the target along the motion.
  void follow(int64_t y) {
    const auto row = motion.row(y);
    for (int64_t x = 0; x < reference.width; ++x) {
      const auto column = static_cast<float>(x);
      rowX[static_cast<size_t>(x)] = column + row.atU(column);
      rowY[static_cast<size_t>(x)] = static_cast<float>(y) + row.atV(column);
    }
  }

  /// Samples a row of the target along the motion.
  void sampleAlong(int64_t y, float *values) {
    follow(y);
    sampleRow(target, rowX.data(), rowY.data(), reference.width, values);
  }

  /// Computes the differences of a row along the motion, from the reference's row or, with `smooth`, from that of the
  /// smoothed reference. A place outside of the target gets a large number.
  void differences(int64_t y, const float *own, bool smooth, float *gaps) {
    follow(y);
    (smooth ? sampleSmoothRow : sampleRow)(target, rowX.data(), rowY.data(), reference.width, gaps);
    const auto light = static_cast<float>(motion.light);
    const auto lastX = static_cast<float>(target.width - 1);
    const auto lastY = static_cast<float>(target.height - 1);
    for (int64_t x = 0; x < reference.width; ++x) {
      const float atX = rowX[static_cast<size_t>(x)], atY = rowY[static_cast<size_t>(x)];
      const bool isInside = (atX >= 0) & (atY >= 0) & (atX <= lastX) & (atY <= lastY);
      gaps[x] = isInside ? own[x] + light - gaps[x] : kOutside;
    }
  }

  static constexpr float kOutside = 1e9f;

  /// How many differences there are of each size, in quarters of a level.
  class GapCounts {
    static constexpr int kSizes = 256;
    int64_t counts[kSizes] = {};

  public:
    int64_t all = 0;

    /// Counts every second difference of a row, without the places outside of the target.
    void add(const float *gaps, int64_t width) {
      for (int64_t x = 0; x < width; x += 2) {
        const float gap = std::abs(gaps[x]);
        if (gap >= kOutside) continue;
        ++counts[std::min(kSizes - 1, static_cast<int>(std::min(gap, 64.0f) * 4))];
        ++all;
      }
    }

    /// The usual size of a difference, from the median.
    float usual() const {
      int64_t below = 0;
      int median = 0;
      while (median < kSizes - 1 && (below += counts[median]) * 2 < all) ++median;
      return 1.48f * (static_cast<float>(median) + 0.5f) / 4;
    }
  };

  /// Fits the motion to the pictures. Returns false if it leads too far out of the target.
  ///
  /// Both pictures are smoothed alike, by cubic B-splines. Without that, interpolating the target between its samples would
  /// pull the motion towards whole samples.
  bool fitPictures() {
    const int64_t width = reference.width, height = reference.height;
    const auto padded = static_cast<size_t>((width + 7) / 8 * 8);
    std::vector<float> gaps(padded, kOutside), alongX(padded), alongY(padded);
    std::vector<float> smoothed(static_cast<size_t>(width * height));
    smoothPlane(reference, smoothed.data());
    const Plane smooth{smoothed.data(), width, height};
    // More samples do not make the motion more exact.
    const int64_t stride = std::max<int64_t>(1, width * height / kSamples);
    constexpr Eight kColumns = {0, 1, 2, 3, 4, 5, 6, 7};
    float usualGap = 1;
    for (int iteration = 0; iteration < 5; ++iteration) {
      MotionEquations equations;
      GapCounts counts;
      int64_t rows = 0;
      const float scale = iteration == 0 ? 20 : 2.5f * usualGap + 1;
      for (int64_t y = stride / 2; y < height; y += stride, ++rows) {
        differences(y, smoothed.data() + y * width, true, gaps.data());
        slopes(smooth, y, alongX.data(), alongY.data());
        RowSums sums;
        for (int64_t x = 0; x < width; x += 8) {
          const Eight gap = loadEight(gaps.data() + x), relative = gap * (1 / scale);
          Eight weight = 1 / (1 + relative * relative);
          weight *= weight;
          sums.add((kColumns + (static_cast<float>(x) - motion.middleX)) * motion.unit,
              loadEight(alongX.data() + x), loadEight(alongY.data() + x), gap, weight);
        }
        counts.add(gaps.data(), width);
        sums.addTo(equations, motion.place(y));
      }
      if (counts.all * 2 < width * rows / 4) return false;
      usualGap = counts.usual();
      double step[GlobalMotion::kCount + 1];
      if (!equations.solve(step)) return false;
      motion.add(step);
      motion.light -= step[GlobalMotion::kCount];
      const double most = std::abs(*std::max_element(step, step + GlobalMotion::kCount,
          [](double one, double other) { return std::abs(one) < std::abs(other); }));
      if (most < 0.005 && iteration > 0) break;
    }
    GapCounts counts;
    for (int64_t y = stride / 2; y < height; y += stride) {
      differences(y, reference.samples + y * width, false, gaps.data());
      counts.add(gaps.data(), width);
    }
    noise = counts.usual();
    return true;
  }

public:
  RelativeSearch(const Plane &reference, const Plane &target, float *flow)
      : reference(reference), target(target), flow(flow), motion(reference.width, reference.height),
        rowX(static_cast<size_t>(reference.width)), rowY(rowX.size()), samples(rowX.size()) {}

  /// On entry, the flow is the start of the search. On return, it is the result, and `global` has the weight, 0…1, with
  /// which each sample moves with the global motion.
  void run(float *patches, float *global) {
    const int64_t width = reference.width, height = reference.height;
    std::fill(global, global + width * height, 0.0f);
    if (width < 2 * kPatch || height < 2 * kPatch || !fitFlow() || !fitPictures())
      return searchLevel(reference, target, flow, patches);
    // Search in the target as the camera of the reference sees it, so that patches are neither turned nor enlarged.
    const auto area = static_cast<size_t>(width * height);
    std::vector<float> own(area), found(area), warped(area);
    for (int64_t y = 0; y < height; ++y) {
      const auto row = motion.row(y);
      sampleAlong(y, warped.data() + y * width);
      float *at = flow + 2 * y * width;
      for (int64_t x = 0; x < width; ++x) {
        at[2 * x] -= row.atU(static_cast<float>(x));
        at[2 * x + 1] -= row.atV(static_cast<float>(x));
      }
    }
    const Plane seen{warped.data(), width, height};
    searchPatches(reference, seen, 1.5f * noise * noise, flow, patches);
    const float most = 16 * noise * noise + 64;
    const auto light = static_cast<float>(motion.light);
    for (int64_t y = 0; y < height; ++y) {
      const float *at = flow + 2 * y * width, *values = reference.samples + y * width;
      for (int64_t x = 0; x < width; ++x) {
        rowX[static_cast<size_t>(x)] = static_cast<float>(x) + at[2 * x];
        rowY[static_cast<size_t>(x)] = static_cast<float>(y) + at[2 * x + 1];
      }
      sampleRow(seen, rowX.data(), rowY.data(), width, samples.data());
      float *one = own.data() + y * width, *other = found.data() + y * width;
      const float *seenRow = warped.data() + y * width;
      for (int64_t x = 0; x < width; ++x) {
        const float value = values[x] + light;
        const float ownGap = value - seenRow[x], foundGap = value - samples[static_cast<size_t>(x)];
        one[x] = std::min(most, ownGap * ownGap);
        other[x] = std::min(most, foundGap * foundGap);
      }
    }
    boxMeans(own, width, height, kReach);
    boxMeans(found, width, height, kReach);
    // What is found fits the noise as well, and so better than the true motion.
    const float floor = 0.5f * noise * noise;
    for (int64_t y = 0; y < height; ++y) {
      const auto row = motion.row(y);
      for (int64_t x = 0; x < width; ++x) {
        const auto index = static_cast<size_t>(y * width + x);
        float *at = flow + 2 * index;
        const float ratio = own[index] / (found[index] + floor);
        const float fits = std::min(1.0f, std::max(0.0f, (1.4f - ratio) * 4));
        const float gap = std::sqrt(at[0] * at[0] + at[1] * at[1]);
        const float isNear = std::min(1.0f, std::max(0.0f, 2 - gap * 5));
        global[index] = fits * isNear;
        const float u = (1 - global[index]) * at[0], v = (1 - global[index]) * at[1];
        at[0] = u + row.atU(static_cast<float>(x) + u);
        at[1] = v + row.atV(static_cast<float>(x) + u);
      }
    }
  }
};

static void searchFinest(const Plane &reference, const Plane &target, float *flow, float *patches,
    float *global) {
  RelativeSearch(reference, target, flow).run(patches, global);
}
