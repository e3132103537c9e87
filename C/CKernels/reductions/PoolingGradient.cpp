#include <algorithm>

#include "Internal.hpp"

using namespace ck;

static bool isKnown(ck_type type) { return type == CK_F32 || type == CK_BF16; }

// MARK: Instance normalisation

/// Pixels of one block: about 16 KiB of float32 of x and of dy each, which stay in the cache.
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
    const int64_t place = (picture * pixels + first) * channels;
    NormGradientBlock block{};
    block.pixels = std::min(perBlock, pixels - first);
    block.channels = channels;
    block.source = static_cast<const char *>(source) + place * sourceSize;
    block.gradient = static_cast<const char *>(gradient) + place * gradientSize;
    block.destination = static_cast<char *>(sourceGradient) + place * gradientSize;
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

  // Chan, Golub and LeVeque: groups of values joined by their means and squared distances; products of
  // distances alike.
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

// MARK: Pooling

namespace {

/// Whether neighbouring windows share pixels.
bool overlaps(const int32_t *starts, const int32_t *ends, int64_t count) {
  for (int64_t i = 1; i < count; ++i)
    if (starts[i] < ends[i - 1]) return true;
  return false;
}

bool overlaps(const ck_pooling_gradient &d) {
  return overlaps(d.row_starts, d.row_ends, d.output_height)
      || overlaps(d.column_starts, d.column_ends, d.output_width);
}

/// Channels that one thread works on where windows overlap.
int64_t sharedChannels(const ck_pooling_gradient &d) { return std::min<int64_t>(d.channels, 64); }

}  // namespace

extern "C" size_t ck_pooling_gradient_scratch_bytes(const ck_pooling_gradient *d) {
  if (d->gradient_type == CK_F32 || !overlaps(*d)) return 0;
  return static_cast<size_t>(d->batch * d->height * d->width * d->channels) * sizeof(float);
}

extern "C" int32_t ck_pooling_gradient_run(
    const ck_pooling_gradient *description, const void *source, const void *gradient,
    void *sourceGradient, void *scratch) {
  const ck_pooling_gradient &d = *description;
  if (!isKnown(d.gradient_type) || (d.is_maximum && !isKnown(d.source_type))) return -1;
  if (d.batch <= 0 || d.height <= 0 || d.width <= 0 || d.channels <= 0) return 0;
  const bool adds = overlaps(d);
  const bool isDirect = d.gradient_type == CK_F32 || !adds;
  const ck_type type = isDirect ? d.gradient_type : CK_F32;
  char *target = static_cast<char *>(isDirect ? sourceGradient : scratch);
  const int64_t size = static_cast<int64_t>(sizeOf(type));
  const int64_t gradientSize = static_cast<int64_t>(sizeOf(d.gradient_type));
  const int64_t sourceSize = d.is_maximum ? static_cast<int64_t>(sizeOf(d.source_type)) : 0;
  const int64_t rowStride = d.width * d.channels, planeSize = d.height * rowStride;
  const Table &kernels = table();

  auto giveRow = [&](int64_t picture, int64_t row, int64_t channel, int64_t channels) {
    const int64_t top = d.row_starts[row], rows = d.row_ends[row] - top;
    for (int64_t column = 0; column < d.output_width; ++column) {
      const int64_t left = d.column_starts[column];
      const int64_t place = picture * planeSize + top * rowStride + left * d.channels + channel;
      PoolingWindow window{};
      window.rows = rows;
      window.columns = d.column_ends[column] - left;
      if (window.rows <= 0 || window.columns <= 0) continue;
      window.channels = channels;
      window.rowStride = window.destinationRowStride = rowStride;
      window.pixelStride = window.destinationPixelStride = d.channels;
      window.source = static_cast<const char *>(source) + place * sourceSize;
      window.gradient = static_cast<const char *>(gradient)
          + (((picture * d.output_height + row) * d.output_width + column) * d.channels + channel)
              * gradientSize;
      window.sourceType = d.source_type;
      window.gradientType = d.gradient_type;
      window.destinationType = type;
      window.destination = target + place * size;
      window.isMaximum = d.is_maximum != 0;
      window.adds = adds;
      window.factor = d.is_maximum ? 1.0f : d.row_factors[row] * d.column_factors[column];
      kernels.poolingGradient(window);
    }
  };

  if (adds) {
    const int64_t together = sharedChannels(d), parts = ceilDivide(d.channels, together);
    forParts(d.batch * d.height, [&](int64_t part, int) {
      std::memset(target + part * rowStride * size, 0, static_cast<size_t>(rowStride * size));
    });
    forParts(d.batch * parts, [&](int64_t part, int) {
      const int64_t channel = part % parts * together;
      for (int64_t row = 0; row < d.output_height; ++row)
        giveRow(part / parts, row, channel, std::min(together, d.channels - channel));
    });
    if (isDirect) return 0;
    const int64_t total = d.batch * planeSize, run = 32768;
    forParts(ceilDivide(total, run), [&](int64_t part, int) {
      const int64_t first = part * run;
      kernels.convertRun(
          target + first * size, CK_F32,
          static_cast<char *>(sourceGradient) + first * gradientSize, d.gradient_type,
          std::min(run, total - first));
    });
    return 0;
  }

  // Each band of rows ends where the next row of windows begins; what no window holds is zero.
  forParts(d.batch * d.output_height, [&](int64_t part, int) {
    const int64_t picture = part / d.output_height, row = part % d.output_height;
    const int64_t first = row == 0 ? 0 : d.row_starts[row];
    const int64_t end = row + 1 == d.output_height ? d.height : d.row_starts[row + 1];
    bool covers = first == d.row_starts[row] && end == d.row_ends[row];
    int64_t next = 0;
    for (int64_t column = 0; covers && column < d.output_width; ++column) {
      covers = d.column_starts[column] == next;
      next = d.column_ends[column];
    }
    if ((!covers || next != d.width) && end > first) {
      std::memset(
          target + (picture * planeSize + first * rowStride) * size, 0,
          static_cast<size_t>((end - first) * rowStride * size));
    }
    giveRow(picture, row, 0, d.channels);
  });
  return 0;
}

// MARK: Padding

extern "C" int32_t ck_padding_gradient(
    ck_type type, const void *gradient, void *sourceGradient, int64_t batch, int64_t height,
    int64_t width, int64_t channels, int64_t paddedHeight, int64_t paddedWidth,
    const int32_t *rowBegins, const int32_t *rowSources, const int32_t *columnBegins,
    const int32_t *columnSources) {
  if (!isKnown(type)) return -1;
  const int64_t size = static_cast<int64_t>(sizeOf(type)), pixel = channels * size;
  auto isSingle = [&](int64_t x) { return columnBegins[x + 1] - columnBegins[x] == 1; };
  const Table &kernels = table();
  forParts(batch * height, [&](int64_t part, int) {
    const int64_t picture = part / height, y = part % height;
    const int32_t *rows = rowSources + rowBegins[y];
    const int64_t rowCount = rowBegins[y + 1] - rowBegins[y];
    const char *padded = static_cast<const char *>(gradient)
        + picture * paddedHeight * paddedWidth * pixel;
    char *to = static_cast<char *>(sourceGradient) + part * width * pixel;
    constexpr int64_t most = 64;
    const void *sources[most];
    // Sums of more copies than fit are made in several runs, each going on from the one before.
    auto sum = [&](int64_t x, int64_t columns) {
      const int64_t columnCount = columnBegins[x + 1] - columnBegins[x];
      SumRange range{sources, 0, to + x * pixel, type, columns * channels};
      for (int64_t r = 0; r < rowCount; ++r) {
        for (int64_t c = 0; c < columnCount; ++c) {
          if (range.sourceCount == most) {
            kernels.sumRange(range);
            sources[0] = range.destination;
            range.sourceCount = 1;
          }
          sources[range.sourceCount++] =
              padded + (rows[r] * paddedWidth + columnSources[columnBegins[x] + c]) * pixel;
        }
      }
      if (range.sourceCount == 1 && sources[0] != range.destination) {
        std::memcpy(range.destination, sources[0], static_cast<size_t>(columns * pixel));
      } else {
        kernels.sumRange(range);
      }
    };
    // Columns with one copy each, which lie side by side, go together.
    for (int64_t x = 0; x < width;) {
      int64_t end = x + 1;
      while (isSingle(x) && end < width && isSingle(end)
          && columnSources[columnBegins[end]] == columnSources[columnBegins[x]] + end - x)
        ++end;
      sum(x, end - x);
      x = end;
    }
  });
  return 0;
}
