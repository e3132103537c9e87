#include <algorithm>

#include "tiles/Tiles.hpp"

using namespace ck;

namespace {

/// kMaxParts: the maximum number of parts of the work. kSumBytes: the maximum size in bytes of the sums of all parts.
/// The number of parts does not depend on the number of threads, so that sums have a fixed order.
constexpr int64_t kMaxParts = 16;
constexpr int64_t kSumBytes = 32 << 20;
/// The maximum size in bytes of a band of rows: half of a core's second-level cache.
constexpr int64_t kBandBytes = 512 << 10;
constexpr int64_t kMaxRows = int64_t(1) << 30;

/// How the work is divided into parts, and the layout of the scratch memory.
struct Layout {
  TileGradientRows rows{};
  int64_t parts, all;
  size_t sumBytes, stripBytes, packedBytes;

  explicit Layout(const ck_tile_weights_gradient &d) {
    rows.gradient = &d;
    rows.inputBlocks = ceilDivide(d.input_channels, 16);
    rows.outputBlocks = ceilDivide(d.output_channels, 16);
    rows.chunks = ceilDivide(d.output_width, 32);
    rows.firstStep = floorDivided(-d.pad_left, d.stride_width);
    const int64_t last = (d.kernel_width - 1) * d.dilation_width - d.pad_left;
    const int64_t steps = floorDivided(last, d.stride_width) - rows.firstStep;
    rows.stripStride = ceilDivide(rows.chunks * 32 + steps, 32) * 32;
    rows.stripRow = d.stride_width * rows.inputBlocks * 16 * rows.stripStride;
    rows.packedStride = rows.chunks * rows.outputBlocks * 512;
    const int64_t window = (d.kernel_height - 1) * d.dilation_height + 1;
    const int64_t each = 2 * (d.stride_height * rows.stripRow + rows.packedStride);
    const int64_t capacity = (kBandBytes - 2 * window * rows.stripRow) / each;
    rows.bandRows = std::clamp<int64_t>(capacity, 1, d.output_height);
    all = d.batch * d.output_height;
    sumBytes = size_t(rows.taps() * rows.inputBlocks * rows.outputBlocks) * 1024;
    parts = std::clamp<int64_t>(kSumBytes / int64_t(sumBytes), 1, std::min(kMaxParts, all));
    const int64_t strips = (rows.bandRows - 1) * d.stride_height + window;
    stripBytes = rounded(size_t(strips * rows.stripRow) * sizeof(BFloat16));
    packedBytes = rounded(size_t(rows.bandRows * rows.packedStride) * sizeof(BFloat16));
  }

  size_t scratchBytes(int threads) const {
    return sumBytes * size_t(parts) + (stripBytes + packedBytes) * size_t(threads);
  }
};

bool makesSense(const ck_tile_weights_gradient &d) {
  const auto isSmall = [](int64_t value, int64_t least) {
    return value >= least && value < kMaxRows;
  };
  const bool isCounted = isSmall(d.batch, 1) && isSmall(d.input_channels, 1)
      && isSmall(d.input_height, 1) && isSmall(d.input_width, 1) && isSmall(d.output_channels, 1)
      && isSmall(d.output_height, 1) && isSmall(d.output_width, 1) && isSmall(d.pad_top, -kMaxRows)
      && isSmall(d.pad_left, -kMaxRows);
  const auto isStep = [](int64_t value) { return value >= 1 && value <= 64; };
  if (!isCounted || !isStep(d.kernel_height) || !isStep(d.kernel_width) || !isStep(d.stride_height)
      || !isStep(d.stride_width) || !isStep(d.dilation_height) || !isStep(d.dilation_width))
    return false;
  // Below this limit, no product of sizes overflows, and scratch memory fits the memory of a machine.
  constexpr double most = double(int64_t(1) << 40);
  const double inputs = double(d.input_channels) + 16, outputs = double(d.output_channels) + 16;
  const double window = double(d.kernel_height * d.dilation_height + d.stride_height);
  const double width = double(d.output_width + d.kernel_width * d.dilation_width) + 64;
  return inputs * outputs * double(d.kernel_height * d.kernel_width) < most
      && window * width * (inputs * double(d.stride_width) + outputs) < most
      && double(d.batch) * double(d.output_height) * double(d.output_width) * outputs < most
      && double(d.batch) * double(d.input_height) * double(d.input_width) * inputs < most;
}

void computeGradient(
    const ck_tile_weights_gradient &d, const BFloat16 *large, const BFloat16 *small, float *gradient,
    char *scratch) {
  const Layout layout(d);
  const TileTable &table = tileTable(d.matrix_tiles == 2);
  const int threads = d.threads < 1 ? 1 : d.threads;
  float *sums = reinterpret_cast<float *>(scratch);
  char *bands = scratch + layout.sumBytes * size_t(layout.parts);
  const int64_t partSize = int64_t(layout.sumBytes / sizeof(float));
  forParts(
      layout.parts,
      [&](int64_t part, int thread) {
        TileGradientRows rows = layout.rows;
        rows.large = large;
        rows.small = small;
        rows.firstRow = layout.all * part / layout.parts;
        rows.endRow = layout.all * (part + 1) / layout.parts;
        rows.sums = sums + part * partSize;
        char *band = bands + (layout.stripBytes + layout.packedBytes) * size_t(thread);
        rows.strips = reinterpret_cast<BFloat16 *>(band);
        rows.packed = reinterpret_cast<BFloat16 *>(band + layout.stripBytes);
        table.gradientRows(rows);
      },
      threads);
  const TileGradientRows &r = layout.rows;
  const int64_t taps = r.taps();
  forParts(
      d.output_channels,
      [&](int64_t output, int) {
        float *to = gradient + output * d.input_channels * taps;
        for (int64_t input = 0; input < d.input_channels; ++input)
          for (int64_t tap = 0; tap < taps; ++tap) {
            const float *from = sums
                + ((tap * r.inputBlocks + input / 16) * r.outputBlocks + output / 16) * 256
                + input % 16 * 16 + output % 16;
            float sum = from[0];
            for (int64_t part = 1; part < layout.parts; ++part) sum += from[part * partSize];
            to[input * taps + tap] = sum;
          }
      },
      threads);
}

}  // namespace

extern "C" {

size_t ck_tile_weights_gradient_scratch_bytes(const ck_tile_weights_gradient *description) {
  if (!description || !makesSense(*description)) return 0;
  return Layout(*description).scratchBytes(std::max(1, description->threads));
}

int32_t ck_tile_weights_gradient_parts(const ck_tile_weights_gradient *description) {
  return description && makesSense(*description) ? int32_t(Layout(*description).parts) : 0;
}

int32_t ck_tile_weights_gradient_run(
    const ck_tile_weights_gradient *description, const void *large, const void *small, float *gradient,
    void *scratch) {
  if (!description || !makesSense(*description) || !large || !small || !gradient || !scratch)
    return -1;
  computeGradient(*description, static_cast<const BFloat16 *>(large),
      static_cast<const BFloat16 *>(small), gradient, static_cast<char *>(scratch));
  return 0;
}

}  // extern "C"
