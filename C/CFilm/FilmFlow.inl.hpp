// The search for the optical flow, and the confidence in the flow. A source file includes this file for each
// instruction set.

/// Returns the sample at a position, interpolated linearly. Positions outside of the plane take the nearest sample.
static inline float sampleAt(const Plane &plane, float x, float y) {
  x = std::min(std::max(x, 0.0f), static_cast<float>(plane.width - 1));
  y = std::min(std::max(y, 0.0f), static_cast<float>(plane.height - 1));
  const auto left = std::min(static_cast<int64_t>(x), std::max<int64_t>(plane.width - 2, 0));
  const auto top = std::min(static_cast<int64_t>(y), std::max<int64_t>(plane.height - 2, 0));
  const float right = x - static_cast<float>(left), below = y - static_cast<float>(top);
  const float *at = plane.samples + top * plane.width + left;
  const int64_t across = plane.width > 1 ? 1 : 0, down = plane.height > 1 ? plane.width : 0;
  const float upper = at[0] + right * (at[across] - at[0]);
  const float lower = at[down] + right * (at[down + across] - at[down]);
  return upper + below * (lower - upper);
}

/// One row of a patch.
typedef float Eight __attribute__((ext_vector_type(8)));

static inline Eight loadEight(const float *at) {
  Eight value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

static inline float sumOf(Eight value) {
  const auto four = value.lo + value.hi;
  const auto two = four.lo + four.hi;
  return two[0] + two[1];
}

constexpr float kArea = kPatch * kPatch;

/// Loads a patch at any position, interpolated linearly.
static inline void patchAt(const Plane &plane, float x, float y, Eight *patch) {
  const float floorX = std::floor(x), floorY = std::floor(y);
  const auto left = static_cast<int64_t>(floorX), top = static_cast<int64_t>(floorY);
  if (left < 0 || top < 0 || left + kPatch >= plane.width || top + kPatch >= plane.height) {
    for (int64_t row = 0; row < kPatch; ++row)
      for (int64_t column = 0; column < kPatch; ++column)
        patch[row][column] =
            sampleAt(plane, x + static_cast<float>(column), y + static_cast<float>(row));
    return;
  }
  const float right = x - floorX, below = y - floorY;
  const float *at = plane.samples + top * plane.width + left;
  Eight first = loadEight(at);
  Eight upper = first + right * (loadEight(at + 1) - first);
  for (int64_t row = 0; row < kPatch; ++row) {
    at += plane.width;
    first = loadEight(at);
    const Eight lower = first + right * (loadEight(at + 1) - first);
    patch[row] = upper + below * (lower - upper);
    upper = lower;
  }
}

/// A patch of the reference, its gradients, and the inverse of the gradients' matrix.
struct PatchTemplate {
  Eight values[kPatch], slopesX[kPatch], slopesY[kPatch];
  float inverseXX, inverseXY, inverseYY;
  /// How well the patch determines its displacement: the smaller eigenvalue of the gradients' matrix.
  float structure;

  PatchTemplate(const Plane &plane, int64_t left, int64_t top) {
    Eight sum = 0.0f, sumX = 0.0f, sumY = 0.0f;
    for (int64_t row = 0; row < kPatch; ++row) {
      const int64_t y = top + row;
      const int64_t above = std::max<int64_t>(y - 1, 0), below = std::min(y + 1, plane.height - 1);
      const float *line = plane.samples + y * plane.width + left;
      values[row] = loadEight(line);
      slopesY[row] = 0.5f
          * (loadEight(plane.samples + below * plane.width + left)
              - loadEight(plane.samples + above * plane.width + left));
      Eight before = values[row].s00123456, after = values[row].s12345677;
      if (left > 0) before.s0 = line[-1];
      if (left + kPatch < plane.width) after.s7 = line[kPatch];
      slopesX[row] = 0.5f * (after - before);
      sum += values[row];
      sumX += slopesX[row];
      sumY += slopesY[row];
    }
    // Subtracts the means, so that patches of different brightness match.
    const float mean = sumOf(sum) / kArea, meanX = sumOf(sumX) / kArea, meanY = sumOf(sumY) / kArea;
    Eight squaresX = 0.0f, products = 0.0f, squaresY = 0.0f;
    for (int64_t row = 0; row < kPatch; ++row) {
      values[row] -= mean;
      slopesX[row] -= meanX;
      slopesY[row] -= meanY;
      squaresX += slopesX[row] * slopesX[row];
      products += slopesX[row] * slopesY[row];
      squaresY += slopesY[row] * slopesY[row];
    }
    float xx = sumOf(squaresX), yy = sumOf(squaresY);
    const float xy = sumOf(products);
    const float half = 0.5f * (xx + yy), gap = 0.5f * (xx - yy);
    structure = std::max(0.0f, half - std::sqrt(gap * gap + xy * xy));
    // Regularises the matrix, so that patches without structure do not move.
    xx += 20;
    yy += 20;
    const float determinant = xx * yy - xy * xy;
    inverseXX = yy / determinant;
    inverseXY = -xy / determinant;
    inverseYY = xx / determinant;
  }

  /// Computes the difference from a patch of the target. Returns the sum of the squared differences.
  float difference(const Plane &target, float x, float y, Eight *result) const {
    patchAt(target, x, y, result);
    Eight sum = 0.0f, squares = 0.0f;
    for (int64_t row = 0; row < kPatch; ++row) {
      result[row] -= values[row];
      sum += result[row];
    }
    const float mean = sumOf(sum) / kArea;
    for (int64_t row = 0; row < kPatch; ++row) {
      result[row] -= mean;
      squares += result[row] * result[row];
    }
    return sumOf(squares);
  }
};

/// Searches for the displacement of a patch, from the better of two starts. Writes the displacement to `found`, and its
/// weight relative to the displacements of neighbouring patches. A patch that does not move stays so if its mean squared
/// difference is at most `enough`.
static void searchPatch(const Plane &reference, const Plane &target, int64_t left, int64_t top,
    const float *start, const float *neighbor, float enough, float *found) {
  const PatchTemplate patch(reference, left, top);
  const auto x = static_cast<float>(left), y = static_cast<float>(top);
  Eight differences[kPatch];
  float u = start[0], v = start[1];
  if (enough > 0) {
    const float still = patch.difference(target, x, y, differences) / kArea;
    if (still <= enough) {
      found[0] = found[1] = 0;
      found[2] = patch.structure / (1 + still);
      return;
    }
  }
  float best = patch.difference(target, x + u, y + v, differences);
  if (neighbor) {
    Eight others[kPatch];
    const float other = patch.difference(target, x + neighbor[0], y + neighbor[1], others);
    if (other < best) {
      best = other;
      u = neighbor[0];
      v = neighbor[1];
      std::copy(others, others + kPatch, differences);
    }
  }
  const float firstU = u, firstV = v;
  found[0] = u;
  found[1] = v;
  for (int iteration = 0; iteration < 12; ++iteration) {
    Eight alongX = 0.0f, alongY = 0.0f;
    for (int64_t row = 0; row < kPatch; ++row) {
      alongX += patch.slopesX[row] * differences[row];
      alongY += patch.slopesY[row] * differences[row];
    }
    const float sumX = sumOf(alongX), sumY = sumOf(alongY);
    const float stepU = patch.inverseXX * sumX + patch.inverseXY * sumY;
    const float stepV = patch.inverseXY * sumX + patch.inverseYY * sumY;
    u -= stepU;
    v -= stepV;
    if (std::abs(u - firstU) > kPatch || std::abs(v - firstV) > kPatch) break;
    const float sum = patch.difference(target, x + u, y + v, differences);
    if (!(sum < best)) break;
    best = sum;
    found[0] = u;
    found[1] = v;
    if (stepU * stepU + stepV * stepV < 1e-4f) break;
  }
  // The weight is small if the patch differs much from the target.
  found[2] = patch.structure / (1 + best / kArea);
}

/// Smooths the displacements of patches: those without structure follow those around them, less across edges of the
/// picture, and the camera. Works like the smoothness term of variational flow, on the grid of patches.
static void smoothPatches(
    const Plane &reference, int64_t across, int64_t down, float *patches, float *scratch) {
  // The relative weight of four neighbours together, and that of the camera's motion.
  constexpr float kSmoothness = 30, kCamera = 40;
  const CameraMotion camera(across, down, patches);
  const float cameraWeight = kCamera * static_cast<float>(camera.share);
  auto addCamera = [&](float sign, float *values, int64_t stride) {
    for (int64_t row = 0; row < down; ++row) {
      for (int64_t column = 0; column < across; ++column) {
        const auto x = static_cast<double>(column), y = static_cast<double>(row);
        float *at = values + (row * across + column) * stride;
        at[0] += sign * static_cast<float>(camera.atU(x, y));
        at[1] += sign * static_cast<float>(camera.atV(x, y));
      }
    }
  };
  // What is smoothed is the motion relative to the camera.
  if (camera.share > 0) addCamera(-1, patches, 3);
  auto brightness = [&](int64_t column, int64_t row) {
    const int64_t x = std::min(column * kStep + kPatch / 2, reference.width - 1);
    const int64_t y = std::min(row * kStep + kPatch / 2, reference.height - 1);
    return reference.samples[y * reference.width + x];
  };
  for (int64_t index = 0; index < across * down; ++index) {
    scratch[2 * index] = patches[3 * index];
    scratch[2 * index + 1] = patches[3 * index + 1];
  }
  // The weight of the connection to the patch on the right, and to that below. Zero for none.
  std::vector<float> rights(static_cast<size_t>(across * down)), belows(rights.size());
  auto connection = [](float one, float other) {
    const float difference = (one - other) / 12;
    return kSmoothness / (1 + difference * difference);
  };
  for (int64_t row = 0; row < down; ++row) {
    for (int64_t column = 0; column < across; ++column) {
      const auto index = static_cast<size_t>(row * across + column);
      const float own = brightness(column, row);
      rights[index] = column + 1 < across ? connection(own, brightness(column + 1, row)) : 0;
      belows[index] = row + 1 < down ? connection(own, brightness(column, row + 1)) : 0;
    }
  }
  for (int iteration = 0; iteration < 8; ++iteration) {
    for (int64_t row = 0; row < down; ++row) {
      for (int64_t column = 0; column < across; ++column) {
        const int64_t index = row * across + column;
        const float found = patches[3 * index + 2];
        float weights = found + cameraWeight;
        float sumU = found * patches[3 * index], sumV = found * patches[3 * index + 1];
        auto add = [&](int64_t other, float weight) __attribute__((always_inline)) {
          sumU += weight * scratch[2 * other];
          sumV += weight * scratch[2 * other + 1];
          weights += weight;
        };
        if (column > 0) add(index - 1, rights[static_cast<size_t>(index - 1)]);
        if (column + 1 < across) add(index + 1, rights[static_cast<size_t>(index)]);
        if (row > 0) add(index - across, belows[static_cast<size_t>(index - across)]);
        if (row + 1 < down) add(index + across, belows[static_cast<size_t>(index)]);
        if (weights <= 0) continue;
        const float share = 1 / weights;
        scratch[2 * index] = sumU * share;
        scratch[2 * index + 1] = sumV * share;
      }
    }
  }
  if (camera.share > 0) addCamera(1, scratch, 2);
}

typedef float Four __attribute__((ext_vector_type(4)));

static inline Four loadFour(const float *at) {
  Four value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

/// Displacements that differ less, in samples, are alike.
constexpr float kAlike = 0.05f;

/// The weighted mean of displacements for the samples of a block.
struct BlockMean {
  Four sumsU[kStep], sumsV[kStep], weights[kStep];

  BlockMean() {
    for (int64_t row = 0; row < kStep; ++row) sumsU[row] = sumsV[row] = weights[row] = 0.0f;
  }

  /// Adds a displacement with the same weight for all samples.
  void add(const float *found) {
    for (int64_t row = 0; row < kStep; ++row) {
      sumsU[row] += found[0];
      sumsV[row] += found[1];
      weights[row] += 1.0f;
    }
  }

  /// Adds a displacement, weighted by how well it fits each sample.
  void add(const Plane &reference, const Plane &target, int64_t x, int64_t y, const float *found) {
    const float u = found[0], v = found[1];
    const float atX = static_cast<float>(x) + u, atY = static_cast<float>(y) + v;
    const float floorX = std::floor(atX), floorY = std::floor(atY);
    const auto left = static_cast<int64_t>(floorX), top = static_cast<int64_t>(floorY);
    const bool isInside = left >= 0 && top >= 0 && left + kStep < target.width
        && top + kStep < target.height && x + kStep <= reference.width
        && y + kStep <= reference.height;
    for (int64_t row = 0; row < kStep; ++row) {
      Four other, own;
      if (isInside) {
        const float *at = target.samples + (top + row) * target.width + left;
        const float right = atX - floorX, below = atY - floorY;
        const Four first = loadFour(at), second = loadFour(at + target.width);
        const Four upper = first + right * (loadFour(at + 1) - first);
        const Four lower = second + right * (loadFour(at + target.width + 1) - second);
        other = upper + below * (lower - upper);
        own = loadFour(reference.samples + (y + row) * reference.width + x);
      } else {
        const int64_t line = std::min(y + row, reference.height - 1);
        for (int64_t column = 0; column < kStep; ++column) {
          const int64_t place = std::min(x + column, reference.width - 1);
          other[column] =
              sampleAt(target, static_cast<float>(place) + u, static_cast<float>(line) + v);
          own[column] = reference.samples[line * reference.width + place];
        }
      }
      Four difference = other - own;
      difference = difference < 0.0f ? -difference : difference;
      const Four weight = 1.0f / (difference > 1.0f ? difference : Four(1.0f));
      sumsU[row] += weight * u;
      sumsV[row] += weight * v;
      weights[row] += weight;
    }
  }

  void store(float *flow, int64_t x, int64_t y, int64_t width, int64_t height) const {
    for (int64_t row = 0; row < std::min(kStep, height - y); ++row) {
      for (int64_t column = 0; column < std::min(kStep, width - x); ++column) {
        if (weights[row][column] <= 0) continue;
        float *at = flow + ((y + row) * width + x + column) * 2;
        at[0] = sumsU[row][column] / weights[row][column];
        at[1] = sumsV[row][column] / weights[row][column];
      }
    }
  }
};

static void searchPatches(
    const Plane &reference, const Plane &target, float enough, float *flow, float *patches) {
  const int64_t width = reference.width, height = reference.height;
  const int64_t across = patchCount(width), down = patchCount(height);
  for (int64_t row = 0; row < down; ++row) {
    for (int64_t column = 0; column < across; ++column) {
      // The last patches end at the edges of the picture.
      const int64_t left = column + 1 == across ? width - kPatch : column * kStep;
      const int64_t top = row + 1 == down ? height - kPatch : row * kStep;
      float *found = patches + (row * across + column) * 3;
      const float *start = flow + ((top + kPatch / 2) * width + left + kPatch / 2) * 2;
      searchPatch(reference, target, left, top, start, column > 0 ? found - 3 : nullptr,
          enough, found);
    }
  }
  float *smooth = patches + across * down * 3;
  smoothPatches(reference, across, down, patches, smooth);
  // The flow of a sample is the weighted mean over the patches that contain the sample. The weight of a patch depends
  // on how well it fits there. All samples of a block of kStep × kStep have the same patches.
  for (int64_t y = 0; y < height; y += kStep) {
    for (int64_t x = 0; x < width; x += kStep) {
      const float *places[4];
      int64_t count = 0;
      for (int64_t row = y / kStep - 1; row <= y / kStep; ++row) {
        if (row < 0 || (row >= down && y / kStep - 1 < down - 1)) continue;
        for (int64_t column = x / kStep - 1; column <= x / kStep; ++column) {
          if (column < 0 || (column >= across && x / kStep - 1 < across - 1)) continue;
          const int64_t index = std::min(row, down - 1) * across + std::min(column, across - 1);
          places[count++] = smooth + index * 2;
        }
      }
      // Patches that move alike need no weights.
      bool areAlike = true;
      for (int64_t index = 1; index < count; ++index)
        areAlike &= std::abs(places[index][0] - places[0][0]) < kAlike
            && std::abs(places[index][1] - places[0][1]) < kAlike;
      BlockMean block;
      for (int64_t index = 0; index < count; ++index) {
        if (areAlike) {
          block.add(places[index]);
        } else {
          block.add(reference, target, x, y, places[index]);
        }
      }
      block.store(flow, x, y, width, height);
    }
  }
}

static void searchLevel(const Plane &reference, const Plane &target, float *flow, float *patches) {
  searchPatches(reference, target, 0, flow, patches);
}

static void confidenceOf(const float *current, const float *last, const float *backward,
    const float *forward, int64_t width, int64_t height, float *confidence) {
  const Plane lastPlane{last, width, height};
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      const int64_t index = y * width + x;
      const float u = backward[2 * index], v = backward[2 * index + 1];
      const float atX = static_cast<float>(x) + u, atY = static_cast<float>(y) + v;
      confidence[index] = 0;
      // A position up to half a sample beyond the edge counts as the edge.
      if (!(atX >= -0.5f && atY >= -0.5f && atX <= static_cast<float>(width) - 0.5f
              && atY <= static_cast<float>(height) - 0.5f))
        continue;
      const auto nearX = std::min(width - 1, std::max<int64_t>(0, static_cast<int64_t>(atX + 0.5f)));
      const auto nearY =
          std::min(height - 1, std::max<int64_t>(0, static_cast<int64_t>(atY + 0.5f)));
      const float *back = forward + (nearY * width + nearX) * 2;
      const float gapU = u + back[0], gapV = v + back[1];
      // The forward flow is that of half the size.
      const float limit =
          0.01f * (u * u + v * v + back[0] * back[0] + back[1] * back[1]) + 2;
      const float agreement = 1 - (gapU * gapU + gapV * gapV) / limit;
      if (agreement <= 0) continue;
      const float difference = (current[index] - sampleAt(lastPlane, atX, atY)) / 20;
      // Small disagreements do not reduce the confidence.
      confidence[index] =
          std::min(1.0f, 2 * agreement) / (1 + difference * difference * difference * difference);
    }
  }
}
