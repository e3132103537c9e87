#include "CFilm.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <vector>

#include "FilmKernels.hpp"

using namespace film;

namespace {

const Kernels &kernels() {
#if defined(__x86_64__)
  static const Kernels &best = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")
          && __builtin_cpu_supports("avx512dq")
      ? avx512Kernels
      : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? avx2Kernels : plainKernels;
  return best;
#else
  return plainKernels;
#endif
}

/// A level of a pyramid with its own memory.
struct Level {
  std::vector<float> samples;
  int64_t width = 0, height = 0;

  Plane plane() const { return {samples.data(), width, height}; }

  /// Returns the level of half the size: means of 2 × 2 samples.
  Level half() const {
    Level result;
    result.width = width / 2;
    result.height = height / 2;
    result.samples.resize(static_cast<size_t>(result.width * result.height));
    for (int64_t y = 0; y < result.height; ++y) {
      const float *upper = samples.data() + 2 * y * width, *lower = upper + width;
      for (int64_t x = 0; x < result.width; ++x)
        result.samples[static_cast<size_t>(y * result.width + x)] =
            0.25f * (upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1]);
    }
    return result;
  }
};

/// The smallest side of a pyramid's coarsest level, in samples.
constexpr int64_t kCoarsest = 24;

std::vector<Level> pyramid(const float *samples, int64_t width, int64_t height) {
  std::vector<Level> levels(1);
  levels[0].samples.assign(samples, samples + width * height);
  levels[0].width = width;
  levels[0].height = height;
  while (std::min(levels.back().width, levels.back().height) / 2 >= kCoarsest)
    levels.push_back(levels.back().half());
  return levels;
}

/// Doubles the size and the values of a flow.
void enlarge(const std::vector<float> &from, int64_t fromWidth, int64_t fromHeight,
    std::vector<float> &to, int64_t width, int64_t height) {
  for (int64_t y = 0; y < height; ++y) {
    const int64_t row = std::min(y / 2, fromHeight - 1);
    for (int64_t x = 0; x < width; ++x) {
      const int64_t column = std::min(x / 2, fromWidth - 1);
      for (int64_t axis = 0; axis < 2; ++axis)
        to[static_cast<size_t>((y * width + x) * 2 + axis)] =
            2 * from[static_cast<size_t>((row * fromWidth + column) * 2 + axis)];
    }
  }
}

/// Searches the flow from one picture to another. If `global` is null, the level of half the size is the last one.
void search(const std::vector<Level> &one, const std::vector<Level> &other, float *result,
    float *global) {
  std::vector<float> flow, finer, patches;
  if (global) std::fill(global, global + one[0].width * one[0].height, 0.0f);
  for (size_t index = one.size(); index-- > 0;) {
    const Level &level = one[index];
    finer.assign(static_cast<size_t>(level.width * level.height * 2), 0);
    if (index + 1 < one.size())
      enlarge(flow, one[index + 1].width, one[index + 1].height, finer, level.width, level.height);
    std::swap(flow, finer);
    if (index == 0 && !global && one.size() > 1) break;
    patches.resize(static_cast<size_t>(patchCount(level.width) * patchCount(level.height) * 5));
    if (patches.empty()) continue;
    if (index > 0 || !global) {
      kernels().searchLevel(level.plane(), other[index].plane(), flow.data(), patches.data());
    } else {
      kernels().searchFinest(level.plane(), other[0].plane(), flow.data(), patches.data(), global);
    }
  }
  std::copy(flow.begin(), flow.end(), result);
}

/// Calls a function. Returns whether there was enough memory.
template <typename Body>
bool finishes(Body body) {
  try {
    body();
    return true;
  } catch (const std::bad_alloc &) {
    return false;
  }
}

}  // namespace

extern "C" {

void cf_reduced_luma(
    const uint8_t *pixels, int64_t width, int64_t height, int64_t factor, float *luma) {
  kernels().reducedLuma(pixels, width, height, factor, luma);
}

bool cf_flow(const float *reference, const float *target, int64_t width, int64_t height, float *flow,
    float *global) {
  return finishes([&] {
    std::vector<float> spare(global ? 0 : static_cast<size_t>(width * height));
    search(pyramid(reference, width, height), pyramid(target, width, height), flow,
        global ? global : spare.data());
  });
}

bool cf_step(const float *current, const float *last, int64_t width, int64_t height, float *flow,
    float *global, float *confidence) {
  return finishes([&] {
    const std::vector<Level> one = pyramid(current, width, height);
    const std::vector<Level> other = pyramid(last, width, height);
    std::vector<float> forward(static_cast<size_t>(width * height * 2));
    search(one, other, flow, global);
    // The check needs no exact flow.
    search(other, one, forward.data(), nullptr);
    kernels().confidence(current, last, flow, forward.data(), width, height, confidence);
  });
}

double cf_histogram_distance(const float *one, const float *other, int64_t count) {
  constexpr int kBins = 32;
  double bins[kBins] = {};
  for (int64_t index = 0; index < count; ++index) {
    bins[std::min(kBins - 1, static_cast<int>(one[index] / (256 / kBins)))] += 1;
    bins[std::min(kBins - 1, static_cast<int>(other[index] / (256 / kBins)))] -= 1;
  }
  double sum = 0;
  for (const double bin : bins) sum += std::abs(bin);
  return count > 0 ? sum / (2 * static_cast<double>(count)) : 0;
}

double cf_mean_difference(const float *one, const float *other, int64_t count) {
  double sum = 0;
  for (int64_t index = 0; index < count; ++index)
    sum += static_cast<double>(std::abs(one[index] - other[index]));
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

bool cf_follow_key(const float *current, const float *key, const cf_motion *step,
    const float *lastMap, const float *lastTrust, float *map, float *trust, float *doubt) {
  return finishes([&] {
    const int64_t width = step->width, height = step->height;
    std::vector<float> composed(static_cast<size_t>(width * height * 2));
    std::vector<float> global(composed.size() / 2, 0.0f);
    std::vector<float> patches(static_cast<size_t>(patchCount(width) * patchCount(height) * 5));
    kernels().followKey(*step, lastMap, lastTrust, composed.data(), trust);
    std::copy(composed.begin(), composed.end(), map);
    if (!patches.empty())
      kernels().searchFinest(
          {current, width, height}, {key, width, height}, map, patches.data(), global.data());
    kernels().checkKey(
        current, key, width, height, composed.data(), map, global.data(), trust, doubt);
  });
}

void cf_add_motion(const cf_motion *step, const float *lastMap, const float *lastTrust, float *map,
    float *trust) {
  kernels().followKey(*step, lastMap, lastTrust, map, trust);
}

void cf_find_needed(
    const cf_motion *motion, const cf_motion *keyMotion, int64_t side, uint8_t *cells) {
  const int64_t width = keyMotion->width, height = keyMotion->height;
  for (int64_t top = 0; top < height; top += side) {
    const int64_t bottom = std::min(height, top + side);
    for (int64_t left = 0; left < width; left += side) {
      const int64_t right = std::min(width, left + side);
      // How much of the cell neither the key nor the last painting shows.
      float lacksKey = 0, lacksBoth = 0;
      for (int64_t y = top; y < bottom; ++y) {
        for (int64_t x = left; x < right; ++x) {
          const int64_t index = y * width + x;
          const float trust = trustIn(keyMotion->confidence[index]) * (1 - keyMotion->doubt[index]);
          lacksKey += 1 - trust;
          lacksBoth += (1 - trust) * (1 - trustIn(motion->confidence[index]));
        }
      }
      const float most = 0.1f * static_cast<float>((bottom - top) * (right - left));
      *cells++ = lacksKey <= most ? 0 : lacksBoth <= most ? 1 : 2;
    }
  }
}

bool cf_blend(const uint8_t *painting, const cf_painted *painted, const uint16_t *last,
    const cf_motion *motion, const uint16_t *key, const cf_motion *keyMotion,
    const cf_weights *weights, int64_t width, int64_t height, uint16_t *blended, uint8_t *result) {
  return finishes([&] {
    kernels().blend(painting, painted, last, *motion, key, *keyMotion, *weights, width, height,
        blended, result);
  });
}

bool cf_renew(const uint8_t *painting, const uint16_t *blended, float share, float tint,
    float detail, int64_t width, int64_t height, uint16_t *renewed, uint8_t *result) {
  return finishes([&] {
    kernels().renew(painting, blended, share, tint, detail, width, height, renewed, result);
  });
}

bool cf_make_key(const uint16_t *blended, int64_t width, int64_t height, uint16_t *key) {
  return finishes([&] {
    kernels().makeKey(blended, width, height, key);
  });
}

void cf_widen(const uint8_t *painting, int64_t pixels, uint16_t *wide) {
  for (int64_t pixel = 0; pixel < pixels; ++pixel) {
    for (int64_t channel = 0; channel < 3; ++channel)
      wide[pixel * 4 + channel] = static_cast<uint16_t>(painting[pixel * 3 + channel] << 8);
    wide[pixel * 4 + 3] = 0;
  }
}

bool cf_warping_error(const uint8_t *picture, const uint8_t *other, const cf_motion *motion,
    int64_t width, int64_t height, double *sum, double *count) {
  *sum = *count = 0;
  return finishes([&] {
    std::vector<uint16_t> wide(static_cast<size_t>(width * height * 4)), key(wide.size());
    cf_widen(other, width * height, wide.data());
    kernels().makeKey(wide.data(), width, height, key.data());
    kernels().warpingError(picture, key.data(), *motion, width, height, sum, count);
  });
}

void cf_apply_colors(
    const float *table, int64_t side, const uint8_t *pixels, int64_t count, uint8_t *result) {
  kernels().applyColors(table, side, pixels, count, result);
}

void cf_keep_colors(const uint8_t *painting, const uint8_t *photo, int64_t count, uint8_t *result) {
  kernels().keepColors(painting, photo, count, result);
}

void cf_mix(const uint8_t *painting, const uint8_t *photo, const float *weights, float weight,
    int64_t pixels, uint8_t *result) {
  kernels().mix(painting, photo, weights, weight, pixels, result);
}

bool cf_soften(
    const uint8_t *pixels, int64_t width, int64_t height, float share, uint8_t *softened) {
  return finishes([&] { kernels().soften(pixels, width, height, share, softened); });
}

bool cf_reduce(
    const uint8_t *pixels, int64_t width, int64_t height, int64_t factor, uint8_t *reduced) {
  return finishes([&] {
    kernels().reduce(pixels, width, height, factor, reduced);
  });
}

bool cf_enlarge(const uint8_t *painting, const uint8_t *reduced_film, const uint8_t *film,
    int64_t width, int64_t height, int64_t factor, uint8_t *result) {
  return finishes([&] {
    kernels().enlarge(painting, reduced_film, film, width, height, factor, result);
  });
}

bool cf_to_planes(const uint8_t *pixels, int64_t width, int64_t height,
    const cf_color_matrix *matrix, uint8_t *planes) {
  return finishes([&] {
    kernels().toPlanes(pixels, width, height, *matrix, planes);
  });
}

bool cf_from_planes(const uint8_t *planes, int64_t width, int64_t height,
    const cf_color_matrix *matrix, uint8_t *pixels) {
  return finishes([&] {
    kernels().fromPlanes(planes, width, height, *matrix, pixels);
  });
}

uint64_t cf_hash(const void *bytes, int64_t count, uint64_t seed) {
  // FNV-1a over words instead of bytes.
  uint64_t hash = 0xcbf29ce484222325 ^ seed;
  const auto *at = static_cast<const uint8_t *>(bytes);
  auto add = [&](uint64_t word) {
    hash = (hash ^ word) * 0x100000001b3;
    hash ^= hash >> 29;
  };
  for (; count >= 8; count -= 8, at += 8) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    add(word);
  }
  if (count > 0) {
    uint64_t word = 0;
    std::memcpy(&word, at, static_cast<size_t>(count));
    add(word ^ static_cast<uint64_t>(count) << 56);
  }
  return hash;
}

}  // extern "C"
