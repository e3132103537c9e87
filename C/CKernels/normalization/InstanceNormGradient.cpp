#include <algorithm>

#include "common/Table.hpp"

using namespace ck;

static bool isKnown(ck_type type) { return type == CK_F32 || type == CK_BF16; }

/// Returns the number of pixels in one block. In a block, x and dy take about 16 KiB of float32 each, which stay in the
/// cache.
static int64_t blockPixels(const ck_instance_norm &d) {
  return std::max<int64_t>(32, 4096 / std::max<int64_t>(d.channels, 1));
}

static int64_t blockCount(const ck_instance_norm &d) {
  return ceilDivide(d.height * d.width, blockPixels(d));
}

extern "C" size_t ck_instance_norm_gradient_scratch_bytes(const ck_instance_norm *d) {
  return static_cast<size_t>(d->batch * d->channels * (4 * blockCount(*d) + 4)) * sizeof(float);
}

extern "C" int32_t ck_instance_norm_gradient_run(
    const ck_instance_norm *description, const void *source, const void *gradient,
    const float *gamma, void *sourceGradient, float *gammaGradient, float *betaGradient,
    void *scratch) {
  const ck_instance_norm &d = *description;
  if (!isKnown(d.source_type) || !isKnown(d.destination_type)) return -1;
  const int64_t pixels = d.height * d.width, channels = d.channels;
  if (d.batch <= 0 || pixels <= 0 || channels <= 0) return 0;
  const int64_t perBlock = blockPixels(d), blocks = blockCount(d);
  float *partial = static_cast<float *>(scratch);
  float *factors = partial + d.batch * blocks * channels * 4;
  const int64_t sourceSize = static_cast<int64_t>(sizeOf(d.source_type));
  const int64_t gradientSize = static_cast<int64_t>(sizeOf(d.destination_type));
  const Table &kernels = table();

  auto blockAt = [&](int64_t part, float *numbers) {
    const int64_t picture = part / blocks, first = part % blocks * perBlock;
    const int64_t offset = (picture * pixels + first) * channels;
    NormGradientBlock block{};
    block.pixels = std::min(perBlock, pixels - first);
    block.channels = channels;
    block.source = static_cast<const char *>(source) + offset * sourceSize;
    block.gradient = static_cast<const char *>(gradient) + offset * gradientSize;
    block.destination = static_cast<char *>(sourceGradient) + offset * gradientSize;
    block.sourceType = d.source_type;
    block.gradientType = d.destination_type;
    block.first = numbers;
    block.second = numbers + channels;
    block.third = numbers + 2 * channels;
    block.fourth = numbers + 3 * channels;
    return block;
  };
  forParts(d.batch * blocks, [&](int64_t part, int) {
    kernels.normGradientStatistics(blockAt(part, partial + part * channels * 4));
  });

  // Merges the statistics of blocks (Chan, Golub and LeVeque): the means, the sums of squared differences from the
  // means, and likewise the sums of dy · (x - mean).
  for (int64_t c = 0; c < channels; ++c) {
    double gammas = 0, betas = 0;
    for (int64_t picture = 0; picture < d.batch; ++picture) {
      const float *at = partial + picture * blocks * channels * 4 + c;
      double mean = 0, squares = 0, count = 0;
      for (int64_t b = 0; b < blocks; ++b) {
        const float *block = at + b * channels * 4;
        const double size = static_cast<double>(std::min(perBlock, pixels - b * perBlock));
        const double distance = block[0] - mean;
        mean += distance * size / (count + size);
        squares += block[channels] + distance * distance * count * size / (count + size);
        count += size;
      }
      double sum = 0, products = 0;
      for (int64_t b = 0; b < blocks; ++b) {
        const float *block = at + b * channels * 4;
        sum += block[2 * channels];
        products += block[3 * channels] + (block[0] - mean) * block[2 * channels];
      }
      const double inverse = 1.0 / std::sqrt(squares / count + d.epsilon);
      const double scale = (gamma ? gamma[c] : 1.0f) * inverse;
      float *factor = factors + picture * channels * 4 + c;
      factor[0] = static_cast<float>(mean);
      factor[channels] = static_cast<float>(scale);
      factor[2 * channels] = static_cast<float>(-scale * inverse * inverse * products / count);
      factor[3 * channels] = static_cast<float>(-scale * sum / count);
      gammas += products * inverse;
      betas += sum;
    }
    if (gammaGradient) gammaGradient[c] = static_cast<float>(gammas);
    if (betaGradient) betaGradient[c] = static_cast<float>(betas);
  }

  forParts(d.batch * blocks, [&](int64_t part, int) {
    kernels.normGradientApply(blockAt(part, factors + part / blocks * channels * 4));
  });
  return 0;
}
