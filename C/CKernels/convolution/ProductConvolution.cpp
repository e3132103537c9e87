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

/// Divides the output channels into panels. All have about the same number of vectors, because tiles of few vectors read
/// more pixels for each multiply-add. If there are few pixels, so that threads divide the panels among themselves, their
/// number is even.
std::vector<ConvolutionBlock> evenPanels(int64_t channels, int maxVectors, bool hasFewPixels) {
  std::vector<ConvolutionBlock> result;
  const int64_t vectors = ceilDivide(channels, 16);
  int64_t count = ceilDivide(vectors, maxVectors);
  if (hasFewPixels && count > 1 && count < vectors && count % 2 != 0) ++count;
  for (int64_t index = 0, first = 0; index < count; ++index) {
    const int64_t end = ceilDivide((index + 1) * vectors, count);
    result.push_back({static_cast<int>(end - first), first * 16, 0, 0});
    first = end;
  }
  return result;
}

/// The type of the packed weights. Widening float16 costs nothing where an instruction does it.
ck_type packedType(const ck_convolution &d) {
  return d.has_float16_weights && d.destination_type == CK_F32 && ck_instructions() >= 1 ? CK_F16 : CK_F32;
}

/// Returns the first `count` of the numbers, at most 16, in the type of the packed weights.
template <typename Weight>
const Weight *packedValues(const Weight *from, int64_t, Weight *) {
  return from;
}
const Half *packedValues(const float *from, int64_t count, Half *to) {
  table().convertRun(from, CK_F32, to, CK_F16, count);
  return to;
}

/// Packs the weights in panels, 16 rows or columns at a time, so that the lines that are written stay in the first-level
/// cache.
template <typename Source, typename Weight>
void packPanels(
    const ck_convolution &d, const std::vector<ConvolutionBlock> &panels, const Source *weights, Weight *packed) {
  const int64_t inputs = d.input_channels, outputs = d.output_channels;
  forParts(int64_t(panels.size()), [&](int64_t index, int) {
    const ConvolutionBlock &panel = panels[size_t(index)];
    const int64_t lanes = panel.vectors * 16, some = std::min(lanes, outputs - panel.channel);
    Weight *to = packed + panel.weights, memory[16];
    if (some < lanes) std::memset(to, 0, size_t(panel.tapSize) * sizeof(Weight));
    if (d.deconvolution) {
      for (int64_t k = 0; k < inputs; ++k)
        for (int64_t lane = 0; lane < some; lane += 16) {
          const int64_t count = std::min<int64_t>(16, some - lane);
          std::copy_n(packedValues(weights + k * outputs + panel.channel + lane, count, memory), count,
              to + k * lanes + lane);
        }
      return;
    }
    for (int64_t first = 0; first < inputs; first += 16) {
      const int64_t count = std::min<int64_t>(16, inputs - first);
      for (int64_t lane = 0; lane < some; ++lane) {
        const Weight *from = packedValues(weights + (panel.channel + lane) * inputs + first, count, memory);
        for (int64_t k = 0; k < count; ++k) to[(first + k) * lanes + lane] = from[k];
      }
    }
  });
}

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
    : ConvolutionAlgorithm(d, packedType(d)), table(table),
      rows(d.batch * d.output_height * d.output_width),
      panels(evenPanels(
          d.output_channels, std::min(table.maxVectors, kPanelVectors), rows <= d.output_channels)) {
  int64_t weights = 0;
  for (ConvolutionBlock &panel : panels) {
    panel.weights = weights;
    panel.tapSize = d.input_channels * panel.vectors * 16;
    weights += panel.tapSize;
  }
  weightCount = size_t(weights);
  title = "product:" + std::string(table.name);
  order = " in panels of " + std::to_string(panels[0].vectors * 16);

  // Six rows are a tile of every panel (`kPartRows`).
  const int64_t count = int64_t(panels.size());
  const int64_t largest = table.pixels[panels[0].vectors];
  const int64_t tile = count > 1 ? std::min<int64_t>(largest, 6) : largest;
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
  if (productType == CK_F16)
    packPanels(description, panels, weights, static_cast<Half *>(packed));
  else
    packPanels(description, panels, weights, static_cast<float *>(packed));
}

bool ProductConvolution::packFloat16(const Half *weights, void *packed) const {
  if (productType != CK_F16) return false;
  packPanels(description, panels, weights, static_cast<Half *>(packed));
  return true;
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
        block.weightsType = productType;
        block.source = static_cast<const float *>(a.source);
        block.weights = a.weights;
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
