// Included once for each instruction set: following the motion to a key frame.

static void followKey(const cf_motion &step, const float *lastMap,
    const float *lastTrust, float *map, float *trust) {
  const int64_t width = step.width, height = step.height;
  const Plane lastTrusts{lastTrust, width, height};
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      const int64_t index = y * width + x;
      const float u = step.flow[2 * index], v = step.flow[2 * index + 1];
      const float atX = static_cast<float>(x) + u, atY = static_cast<float>(y) + v;
      const float edgeX = std::min(std::max(atX, 0.0f), static_cast<float>(width - 1));
      const float edgeY = std::min(std::max(atY, 0.0f), static_cast<float>(height - 1));
      const auto left = std::min(static_cast<int64_t>(edgeX), std::max<int64_t>(width - 2, 0));
      const auto top = std::min(static_cast<int64_t>(edgeY), std::max<int64_t>(height - 2, 0));
      const int64_t right = std::min(left + 1, width - 1), below = std::min(top + 1, height - 1);
      const float across = edgeX - static_cast<float>(left), down = edgeY - static_cast<float>(top);
      for (int64_t axis = 0; axis < 2; ++axis) {
        auto at = [&](int64_t column, int64_t row) {
          return lastMap[(row * width + column) * 2 + axis];
        };
        const float upper = at(left, top) + across * (at(right, top) - at(left, top));
        const float lower = at(left, below) + across * (at(right, below) - at(left, below));
        map[2 * index + axis] =
            step.flow[2 * index + axis] + upper + down * (lower - upper);
      }
      trust[index] = std::min(step.confidence[index], sampleAt(lastTrusts, atX, atY));
    }
  }
}

static void checkKey(const float *current, const float *key, int64_t width, int64_t height,
    const float *composed, const float *map, const float *global, float *trust, float *doubt) {
  const Plane plane{key, width, height};
  const auto area = static_cast<size_t>(width * height);
  // The squared differences, relative to those that small errors of the motion make across edges.
  std::vector<float> gaps(area);
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      const int64_t index = y * width + x;
      const float atX = static_cast<float>(x) + map[2 * index];
      const float atY = static_cast<float>(y) + map[2 * index + 1];
      const int64_t before = x > 0 ? 1 : 0, after = x + 1 < width ? 1 : 0;
      const int64_t above = y > 0 ? width : 0, below = y + 1 < height ? width : 0;
      const float slopes = std::abs(current[index + after] - current[index - before])
          + std::abs(current[index + below] - current[index - above]);
      const float difference = (current[index] - sampleAt(plane, atX, atY)) / (14 + 0.5f * slopes);
      gaps[static_cast<size_t>(index)] = std::min(4.0f, difference * difference);
    }
  }
  boxMeans(gaps, width, height, 1);
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      const int64_t index = y * width + x;
      const float atX = static_cast<float>(x) + map[2 * index];
      const float atY = static_cast<float>(y) + map[2 * index + 1];
      // Half a sample beyond the edge, the edge is a good guess.
      if (!(atX >= -0.5f && atY >= -0.5f && atX <= static_cast<float>(width) - 0.5f
              && atY <= static_cast<float>(height) - 0.5f)) {
        trust[index] = 0;
        doubt[index] = 0;
        continue;
      }
      const float gapU = map[2 * index] - composed[2 * index];
      const float gapV = map[2 * index + 1] - composed[2 * index + 1];
      // Refining moves little.
      if (gapU * gapU + gapV * gapV >= 4) trust[index] = 0;
      const float gap = gaps[static_cast<size_t>(index)];
      const float alike = 1 / (1 + gap * gap);
      trust[index] = std::max(trust[index], global[index]) * alike;
      doubt[index] = 1 - global[index] * alike;
    }
  }
  spreadDoubt(doubt, width, height);
}
