#include "DirectConvolution.hpp"

#include <algorithm>

#include "ConvolutionPhases.hpp"
#include "PixelBlocks.hpp"

namespace ck {

namespace {

/// Rows of one phase lie together, a few to a part, so that neighbours share input in the cache.
constexpr int64_t kRowsPerPart = 2;

/// Whether a window with few outputs is cheaper by its columns: it takes fewer vectors then.
bool prefersColumns(const ck_convolution &d, const Table &table) {
  const int64_t outputs = d.output_channels, width = d.kernel_width;
  const bool isOddBrain = d.source_type == CK_BF16 && d.input_channels % 2;
  return !d.deconvolution && d.upsample == 1 && d.stride_width == 1 && d.dilation_width == 1
      && width > 1 && outputs <= 16 && outputs * width <= 64
      && outputs * width <= table.mostVectors * 16 && !isOddBrain
      && ceilDivide(outputs * width, 16) * 5 < ceilDivide(outputs, 16) * width * 4;
}

}  // namespace

DirectConvolution::DirectConvolution(const ck_convolution &d, const Table &table)
    : ConvolutionMethod(d), table(table), hasColumns(prefersColumns(d, table)) {
  phases = convolutionPhases(d, hasColumns);
  blockOutputs();
  cutIntoParts();
  patchBytes = rounded(size_t(patchStride * d.kernel_height) * sizeOf(d.source_type));
  const int64_t lineFloats = hasColumns
      ? (d.output_width + d.kernel_width + 32) * int64_t(phases[0].blocks[0].vectors) * 16
      : 0;
  threadBytes = patchBytes + rounded(size_t(lineFloats) * sizeof(float));
  const char *method = hasColumns ? "columns:" : phases.size() > 1 ? "phases:" : "direct:";
  title = method + std::string(table.name);
  order = nameOfPhases(phases);
}

void DirectConvolution::blockOutputs() {
  const ck_convolution &d = description;
  const bool brain = d.source_type == CK_BF16;
  const int64_t outputs = d.output_channels * (hasColumns ? d.kernel_width : 1);
  int64_t weights = 0;
  for (auto &phase : phases) {
    phase.overread = brain && phase.length % 2 ? 1 : 0;
    const int64_t stored = brain ? (phase.length + 1) / 2 * 2 : phase.length;
    const int64_t taken = phase.tapsX.empty() ? 0 : int64_t(phase.tapsX.size()) / phase.merged;
    phase.blocks = outputBlocks(outputs, table.mostVectors);
    for (auto &block : phase.blocks) {
      block.weights = weights;
      block.tapSize = stored * block.vectors * 16;
      weights += block.tapSize * taken * int64_t(phase.tapsY.size());
      const int64_t pixels = table.pixels[block.vectors];
      const int64_t stride = ((pixels - 1) * phase.stepX + phase.span()) * d.input_channels + 32;
      patchStride = std::max(patchStride, (stride + 31) / 32 * 32);
    }
  }
  weightCount = size_t(std::max<int64_t>(weights, 1));
}

/// Phases alternate, so that the rows of all phases above one input row follow each other.
void DirectConvolution::cutIntoParts() {
  int64_t rows = 0;
  for (const auto &phase : phases) rows = std::max(rows, phase.rows);
  for (int64_t row = 0; row < rows; row += kRowsPerPart)
    for (const auto &phase : phases)
      if (row < phase.rows)
        parts.push_back({&phase, row, std::min(phase.rows, row + kRowsPerPart)});
}

void DirectConvolution::pack(const float *weights, void *packed) const {
  packConvolution(description, phases, hasColumns ? ColumnOrder::rising : ColumnOrder::none,
      weights, packed);
}

void DirectConvolution::run(const ck_convolution_arguments &a, const Finish &finish) const {
  const ck_convolution &d = description;
  const auto sourceSize = int64_t(sizeOf(d.source_type));
  const auto destinationSize = int64_t(sizeOf(d.destination_type));
  const auto count = int64_t(parts.size());
  forParts(
      count * d.batch,
      [&](int64_t index, int thread) {
        const int64_t picture = index / count;
        const Part &part = parts[size_t(index % count)];
        const ConvolutionPhase &phase = *part.phase;
        char *scratch = static_cast<char *>(a.scratch) + threadBytes * size_t(thread);
        ConvolutionRow row{};
        row.phase = &phase;
        row.finish = &finish;
        row.sourceType = d.source_type;
        row.destinationType = d.destination_type;
        row.source =
            static_cast<const char *>(a.source) + picture * d.source_batch_stride * sourceSize;
        row.weights = a.weights;
        row.pixelStep = phase.everyX * d.output_channels;
        row.patch = scratch;
        row.patchStride = patchStride;
        row.columns = hasColumns ? reinterpret_cast<float *>(scratch + patchBytes) : nullptr;
        row.outputWidth = phase.columns;
        row.inputHeight = d.input_height;
        row.inputWidth = d.input_width;
        row.inputChannels = d.input_channels;
        row.sourceRowStride = d.source_row_stride;
        row.kernelWidth = d.kernel_width;
        row.padLeft = d.pad_left;
        row.pixels = table.pixels;
        for (row.y = part.firstRow; row.y < part.endRow; ++row.y) {
          const int64_t y = phase.originY + row.y * phase.everyY;
          const int64_t x = phase.originX * d.output_channels;
          row.destination = static_cast<char *>(a.destination)
              + (picture * d.destination_batch_stride + y * d.destination_row_stride + x)
                  * destinationSize;
          row.residual = d.has_residual
              ? static_cast<const char *>(a.residual)
                  + (picture * d.residual_batch_stride + y * d.residual_row_stride + x)
                      * destinationSize
              : nullptr;
          table.convolutionRow(row);
          if (finish.blocks)
            finish.blocks->add((picture * d.output_height + y) * d.output_width + phase.originX,
                phase.columns, phase.everyX, d.output_channels);
        }
      },
      a.threads < 1 ? 1 : a.threads);
}

}  // namespace ck
