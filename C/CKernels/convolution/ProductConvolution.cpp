#include "convolution/ProductConvolution.hpp"

#include <algorithm>

#include "convolution/ConvolutionPhases.hpp"

namespace ck {

namespace {

/// The number of vectors of output channels in a panel of weights, for AVX-512. A panel of four vectors has a tile of
/// six rows. The twelve rows of a tile for two vectors would evict each other from the first-level cache, which keeps
/// eight lines per set, if the rows are a multiple of 4 KB long.
constexpr int kPanelVectors = 4;
/// The maximum size in bytes of the left matrix's rows of a part: a quarter of a core's second-level cache.
constexpr int64_t kRowBytes = 256 << 10;
/// The number of parts, if the matrices are large enough, and the minimum number of multiply-adds of a part, about 5 µs
/// of work.
constexpr int64_t kParts = 32, kProductsPerPart = 1 << 18;

}  // namespace

bool ProductConvolution::suits(const ck_convolution &d, const Table &table) {
  const int64_t line = d.output_width * d.output_channels;
  return d.kernel_height == 1 && d.kernel_width == 1 && d.stride_height == 1 && d.stride_width == 1
      && d.pad_top == 0 && d.pad_left == 0 && d.upsample == 1 && !d.has_norm && !d.has_statistics
      && !d.has_scale && d.source_type == CK_F32 && d.input_height == d.output_height
      && d.input_width == d.output_width && d.source_row_stride == d.input_width * d.input_channels
      && d.source_batch_stride == d.input_height * d.source_row_stride
      && d.destination_row_stride == line && d.destination_batch_stride == d.output_height * line
      && (!d.has_residual
          || (d.residual_row_stride == line && d.residual_batch_stride == d.output_height * line))
      && d.batch * d.output_height * d.output_width >= table.pixels[1];
}

ProductConvolution::ProductConvolution(const ck_convolution &d, const Table &table)
    : ConvolutionAlgorithm(d, CK_F32), table(table),
      panels(outputBlocks(d.output_channels, std::min(table.maxVectors, kPanelVectors))),
      rows(d.batch * d.output_height * d.output_width) {
  int64_t weights = 0;
  for (ConvolutionBlock &panel : panels) {
    panel.weights = weights;
    panel.tapSize = d.input_channels * panel.vectors * 16;
    weights += panel.tapSize;
  }
  weightCount = size_t(weights);
  title = "product:" + std::string(table.name);
  order = " in panels of " + std::to_string(panels[0].vectors * 16);

  const int64_t tile = table.pixels[panels[0].vectors], count = int64_t(panels.size());
  const auto toTiles = [&](int64_t some) { return ceilDivide(some, tile) * tile; };
  const double products = double(rows) * double(d.input_channels) * double(d.output_channels);
  const int64_t parts = std::clamp<int64_t>(int64_t(products / kProductsPerPart), 1, kParts);
  const int64_t most = std::max(toTiles(kRowBytes / (d.input_channels * 4) - tile + 1), 4 * tile);
  // The larger matrix is divided, because every part reads all of the other one.
  const bool cutsRows = rows > d.output_channels;
  rowsPerPart = std::min(most, toTiles(cutsRows ? ceilDivide(rows, parts) : rows));
  panelsPerPart = ceilDivide(count, std::min(count, ceilDivide(parts, ceilDivide(rows, rowsPerPart))));
}

void ProductConvolution::pack(const float *weights, void *packed) const {
  const int64_t inputs = description.input_channels, outputs = description.output_channels;
  forParts(int64_t(panels.size()), [&](int64_t index, int) {
    const ConvolutionBlock &panel = panels[size_t(index)];
    const int64_t lanes = panel.vectors * 16, some = std::min(lanes, outputs - panel.channel);
    float *to = static_cast<float *>(packed) + panel.weights;
    if (some < lanes) std::fill(to, to + panel.tapSize, 0.0f);
    if (description.deconvolution) {
      for (int64_t k = 0; k < inputs; ++k)
        std::copy_n(weights + k * outputs + panel.channel, some, to + k * lanes);
      return;
    }
    // Sixteen inputs at a time, so that the lines that are written stay in the first-level cache.
    for (int64_t first = 0; first < inputs; first += 16)
      for (int64_t lane = 0; lane < some; ++lane) {
        const float *from = weights + (panel.channel + lane) * inputs;
        for (int64_t k = first; k < std::min(inputs, first + 16); ++k) to[k * lanes + lane] = from[k];
      }
  });
}

void ProductConvolution::run(const ConvolutionRun &run) const {
  const ck_convolution &d = description;
  const ck_convolution_arguments &a = run.arguments;
  const auto count = int64_t(panels.size());
  const int64_t across = ceilDivide(count, panelsPerPart);
  forParts(
      ceilDivide(rows, rowsPerPart) * across,
      [&](int64_t part, int) {
        ProductBlock block{};
        block.finish = &run.finish;
        block.destinationType = d.destination_type;
        block.source = static_cast<const float *>(a.source);
        block.weights = static_cast<const float *>(a.weights);
        block.destination = a.destination;
        block.residual = d.has_residual ? a.residual : nullptr;
        block.inner = d.input_channels;
        block.rows = rows;
        block.firstRow = part / across * rowsPerPart;
        block.endRow = std::min(rows, block.firstRow + rowsPerPart);
        const int64_t first = part % across * panelsPerPart;
        block.panels = panels.data() + first;
        block.panelCount = std::min(panelsPerPart, count - first);
        block.pixels = table.pixels;
        table.productBlock(block);
      },
      a.threads < 1 ? 1 : a.threads);
}

}  // namespace ck
