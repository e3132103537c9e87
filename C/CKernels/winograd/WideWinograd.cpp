#include "winograd/WideWinograd.hpp"

#include <algorithm>

namespace ck {

namespace {

constexpr int64_t kSide = 3, kPoints = 5;
/// The maximum number of input channels, and of output channels. With more channels, in multiples of 16, other
/// algorithms read less memory.
constexpr int64_t kMaxChannels = 64;
/// A strip is a range of tile columns. It has at most this number of vectors of tiles.
constexpr int64_t kMaxVectors = 6;
/// The part of a core's second-level cache that a strip may fill, in floats.
constexpr int64_t kStripFloats = 160 << 10;

/// The matrix `G` of the kernel transform. Each row is divided by the normalisation factor of its interpolation point.
constexpr double kKernel[kPoints][kSide] = {
    {1 / 1.125, 0, 0},
    {-1 / 1.40625, -0.75 / 1.40625, -0.5625 / 1.40625},
    {-1 / 3.09375, 0.75 / 3.09375, -0.5625 / 3.09375},
    {1 / 6.875, 2 / 6.875, 4 / 6.875},
    {0, 0, 1},
};

}  // namespace

bool WideWinograd::suits(const ck_convolution &d) {
  return d.winograd_tile == 3 && !d.deconvolution && d.upsample == 1 && d.stride_height == 1
      && d.stride_width == 1 && d.dilation_height == 1 && d.dilation_width == 1
      && d.kernel_height >= kSide && d.kernel_width >= kSide && d.kernel_height <= 15
      && d.kernel_width <= 15 && d.input_channels <= kMaxChannels
      && d.output_channels <= kMaxChannels;
}

WideWinograd::WideWinograd(const ck_convolution &d, const Table &table)
    : ConvolutionAlgorithm(d, CK_F32),
      table(table),
      blocksY(ceilDivide(d.kernel_height, kSide)),
      blocksX(ceilDivide(d.kernel_width, kSide)),
      tilesX(ceilDivide(d.output_width, kSide)),
      tilesY(ceilDivide(d.output_height, kSide)) {
  const int64_t needed = ceilDivide(tilesX, 16);
  int64_t most = kMaxVectors;
  while (most > 1 && int64_t(most * 16 * kPoints * kPoints
             * (blocksY * d.input_channels + d.output_channels)) > kStripFloats)
    --most;
  strips = ceilDivide(needed, most);
  vectors = ceilDivide(needed, strips);
  threadBytes = rounded(parts().end * sizeof(float));
  weightCount =
      size_t(kPoints * kPoints * blocksY * blocksX * d.input_channels * d.output_channels);
  title = "wide winograd 3:" + std::string(table.name);
}

WideWinograd::Parts WideWinograd::parts() const {
  const ck_convolution &d = description;
  auto lines = [](int64_t floats) { return size_t((floats + 31) / 32 * 32); };
  const int64_t plane = widePlane(d.input_channels * wideStride(vectors));
  Parts parts{};
  parts.windows = parts.rows + lines(kPoints * kSide * plane);
  parts.products =
      parts.windows + lines(blocksY * kPoints * kPoints * plane + 32);
  parts.results = parts.products + lines(kPoints * kPoints * widePlane(d.output_channels * vectors * 16));
  parts.line = parts.results + lines(kSide * kSide * 16 * vectors * 16);
  parts.end = parts.line + lines(kSide * vectors * 16 * kSide * 16);
  return parts;
}

int64_t WideWinograd::rowParts(int64_t threads) const {
  const int64_t columns = strips * description.batch, fewest = std::max<int64_t>(8, 4 * blocksY);
  const int64_t wanted = ceilDivide(std::max<int64_t>(8, 2 * threads), columns);
  const int64_t most = std::max<int64_t>(1, tilesY / fewest);
  // Adds parts, at most `threads`, until the parts can be divided equally among the threads.
  int64_t count = std::min(wanted, most);
  while (count < std::min(wanted + threads, most) && count * columns % threads) ++count;
  return count;
}

void WideWinograd::pack(const float *weights, void *packed) const {
  const ck_convolution &d = description;
  const int64_t height = d.kernel_height, width = d.kernel_width, inputs = d.input_channels;
  float *to = static_cast<float *>(packed);
  const int64_t sums = blocksY * inputs * blocksX;
  forParts(d.output_channels, [&](int64_t output, int) {
    const int64_t first = output / kWideOutputs * kWideOutputs;
    const int64_t lanes = std::min<int64_t>(kWideOutputs, d.output_channels - first);
    for (int64_t a = 0; a < blocksY; ++a)
      for (int64_t c = 0; c < inputs; ++c)
        for (int64_t b = 0; b < blocksX; ++b) {
          double half[kPoints][kSide] = {};
          for (int64_t i = 0; i < kPoints; ++i)
            for (int64_t x = 0; x < kSide; ++x)
              for (int64_t y = 0; y < kSide; ++y) {
                const int64_t ky = a * kSide + y, kx = b * kSide + x;
                if (ky < height && kx < width)
                  half[i][x] += kKernel[i][y]
                      * double(weights[((output * inputs + c) * height + ky) * width + kx]);
              }
          for (int64_t i = 0; i < kPoints; ++i)
            for (int64_t j = 0; j < kPoints; ++j) {
              double sum = 0;
              for (int64_t x = 0; x < kSide; ++x) sum += kKernel[j][x] * half[i][x];
              // The weights of each point and each group of outputs are [block row, input, block column, output].
              to[(i * kPoints + j) * sums * d.output_channels + first * sums
                  + ((a * inputs + c) * blocksX + b) * lanes + output - first] = float(sum);
            }
        }
  });
}

void WideWinograd::run(const ConvolutionRun &run) const {
  const ck_convolution &d = description;
  const ck_convolution_arguments &a = run.arguments;
  const Parts at = parts();
  const int threads = std::max(a.threads, 1);
  const int64_t count = rowParts(threads);
  forParts(
      strips * count * d.batch,
      [&](int64_t part, int thread) {
        float *scratch = reinterpret_cast<float *>(
            static_cast<char *>(a.scratch) + threadBytes * size_t(thread));
        const int64_t strip = part % strips, picture = part / strips / count;
        const int64_t row = part / strips % count;
        WideWinogradBlock block{};
        block.sourceType = d.source_type;
        block.destinationType = d.destination_type;
        block.finish = &run.finish;
        block.reading = run.reading.of(picture, d.input_channels);
        block.source = static_cast<const char *>(a.source)
            + picture * d.source_batch_stride * int64_t(sizeOf(d.source_type));
        block.weights = static_cast<const float *>(a.weights);
        block.residual = d.has_residual ? static_cast<const char *>(a.residual)
                + picture * d.residual_batch_stride * int64_t(sizeOf(d.destination_type))
                                        : nullptr;
        block.destination = static_cast<char *>(a.destination)
            + picture * d.destination_batch_stride * int64_t(sizeOf(d.destination_type));
        block.rows = scratch + at.rows;
        block.windows = scratch + at.windows;
        block.products = scratch + at.products;
        block.results = scratch + at.results;
        block.line = scratch + at.line;
        block.blocksY = blocksY;
        block.blocksX = blocksX;
        block.firstTileY = row * tilesY / count;
        block.endTileY = (row + 1) * tilesY / count;
        block.firstTileX = strip * vectors * 16;
        block.vectors = std::min(vectors, ceilDivide(tilesX - block.firstTileX, 16));
        block.stride = wideStride(vectors);
        block.picture = picture;
        block.inputHeight = d.input_height;
        block.inputWidth = d.input_width;
        block.inputChannels = d.input_channels;
        block.outputHeight = d.output_height;
        block.outputWidth = d.output_width;
        block.padTop = d.pad_top;
        block.padLeft = d.pad_left;
        block.sourceRowStride = d.source_row_stride;
        block.destinationRowStride = d.destination_row_stride;
        block.residualRowStride = d.residual_row_stride;
        if (block.vectors > 0) table.wideWinogradBlock(block);
      },
      threads);
}

}  // namespace ck
