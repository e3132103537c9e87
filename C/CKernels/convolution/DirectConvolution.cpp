#include "convolution/DirectConvolution.hpp"

#include <algorithm>

#include "convolution/ConvolutionPhases.hpp"
#include "normalization/PixelBlocks.hpp"

namespace ck {

namespace {

/// The number of neighbouring rows of a phase in one part. These rows share input in the cache.
constexpr int64_t kRowsPerPart = 2;

/// The maximum size in bytes of the prepared rows of a part: most of a core's second-level cache.
constexpr int64_t kPreparedBytes = 384 << 10;
/// kMaxRows: the maximum number of rows of a part with prepared rows. kLeastParts: the minimum number of parts of an
/// image, if the image has enough rows.
constexpr int64_t kMaxRows = 16, kLeastParts = 32;
/// A signal of one dimension is an image of one row, so its columns are divided. kColumnParts: the number of parts.
/// kColumnStep: a multiple of the pixels of all tiles.
constexpr int64_t kColumnParts = 16, kColumnStep = 72;

/// Whether it is cheaper to treat each column of the kernel as a separate output. A large kernel with few outputs then
/// needs fewer vectors.
bool prefersColumns(const ck_convolution &d, const Table &table) {
  const int64_t outputs = d.output_channels, width = d.kernel_width;
  const bool isOddBFloat16 = d.source_type == CK_BF16 && d.input_channels % 2;
  return !d.deconvolution && d.upsample == 1 && d.stride_width == 1 && d.dilation_width == 1
      && width > 1 && outputs <= 16 && outputs * width <= 64
      && outputs * width <= table.maxVectors * 16 && !isOddBFloat16
      && ceilDivide(outputs * width, 16) * 5 < ceilDivide(outputs, 16) * width * 4;
}

}  // namespace

DirectConvolution::DirectConvolution(const ck_convolution &d, const Table &table)
    : ConvolutionAlgorithm(d, ck::productType(d, table)),
      table(table),
      preparesRows(d.has_norm || productType != d.source_type),
      computed(d) {
  computed.source_type = productType;
  hasColumns = prefersColumns(computed, table);
  phases = convolutionPhases(computed, hasColumns);
  blockOutputs();
  cutIntoParts();
  patchBytes = rounded(size_t(patchStride * patchesPerRow * d.kernel_height) * sizeOf(productType));
  const int64_t lineFloats = hasColumns
      ? (d.output_width + d.kernel_width + 32) * int64_t(phases[0].blocks[0].vectors) * 16
      : 0;
  lineBytes = rounded(size_t(lineFloats) * sizeof(float));
  threadBytes = patchBytes + lineBytes;
  if (preparesRows) {
    int64_t most = 0;
    for (const Part &part : parts) {
      const SeenRows seen = rowsSeen(part);
      most = std::max(most, seen.end - seen.first);
    }
    threadBytes += PreparedRows::bytes(d, productType, most);
  }
  const char *method = hasColumns ? "columns:" : phases.size() > 1 ? "phases:" : "direct:";
  title = method + std::string(table.name);
  order = nameOfPhases(phases);
}

void DirectConvolution::blockOutputs() {
  const ck_convolution &d = description;
  const bool isBFloat16 = productType == CK_BF16;
  const int64_t outputs = d.output_channels * (hasColumns ? d.kernel_width : 1);
  int64_t weights = 0;
  for (auto &phase : phases) {
    phase.overread = isBFloat16 && phase.length % 2 ? 1 : 0;
    const int64_t stored = isBFloat16 ? (phase.length + 1) / 2 * 2 : phase.length;
    patchesPerRow = std::max(patchesPerRow, phase.groups());
    phase.blocks = outputBlocks(outputs, table.maxVectors);
    for (auto &block : phase.blocks) {
      block.weights = weights;
      block.tapSize = stored * block.vectors * 16;
      weights += block.tapSize * phase.groups() * int64_t(phase.tapsY.size());
      const int64_t pixels = table.pixels[block.vectors];
      const int64_t stride = ((pixels - 1) * phase.stepX + phase.merged) * d.input_channels + 32;
      patchStride = std::max(patchStride, (stride + 31) / 32 * 32);
    }
  }
  weightCount = size_t(std::max<int64_t>(weights, 1));
}

/// Divides the image into parts. The parts of different phases alternate. Rows of different phases that read the same
/// input rows are then computed one after the other. If rows are prepared, a part contains all phases, and as many rows
/// as fit the cache.
void DirectConvolution::cutIntoParts() {
  const ck_convolution &d = description;
  int64_t rows = 0;
  for (const auto &phase : phases) rows = std::max(rows, phase.rows);
  const size_t together = preparesRows ? phases.size() : 1;
  int64_t perPart = kRowsPerPart;
  if (preparesRows) {
    const int64_t bytes = d.input_width * d.input_channels * int64_t(sizeOf(productType));
    const int64_t capacity = kPreparedBytes / std::max<int64_t>(bytes * phases[0].stepY, 1);
    perPart = std::clamp<int64_t>(std::min(capacity, rows / kLeastParts), kRowsPerPart, kMaxRows);
  }
  for (int64_t row = 0; row < rows; row += perPart)
    for (size_t phase = 0; phase < phases.size(); phase += together)
      if (together > 1 || row < phases[phase].rows)
        parts.push_back(
            {phase, phase + together, row, std::min(rows, row + perPart), 0, phases[phase].columns});
  if (!preparesRows && !hasColumns && !d.has_statistics) cutColumns();
}

/// Divides the columns of the parts if there are few parts.
void DirectConvolution::cutColumns() {
  const int64_t pieces = kColumnParts / (int64_t(parts.size()) * description.batch);
  if (pieces < 2) return;
  std::vector<Part> rows;
  rows.swap(parts);
  for (Part part : rows) {
    const int64_t columns = part.endColumn;
    const int64_t step = ceilDivide(ceilDivide(columns, pieces), kColumnStep) * kColumnStep;
    for (int64_t column = 0; column < columns; column += step) {
      part.firstColumn = column;
      part.endColumn = std::min(columns, column + step);
      parts.push_back(part);
    }
  }
}

/// Returns the rows of the image that a part reads.
SeenRows DirectConvolution::rowsSeen(const Part &part) const {
  SeenRows seen(phases[part.firstPhase], 0, 0);
  for (size_t index = part.firstPhase; index < part.endPhase; ++index)
    seen.add(SeenRows(phases[index], part.firstRow, std::min(phases[index].rows, part.endRow)));
  return seen;
}

void DirectConvolution::pack(const float *weights, void *packed) const {
  packConvolution(computed, phases, hasColumns ? ColumnOrder::rising : ColumnOrder::none,
      weights, packed);
}

void DirectConvolution::run(const ConvolutionRun &run) const {
  const ck_convolution &d = description;
  const ck_convolution_arguments &a = run.arguments;
  const auto sourceSize = int64_t(sizeOf(d.source_type));
  const auto count = int64_t(parts.size());
  forParts(
      count * d.batch,
      [&](int64_t index, int thread) {
        const int64_t picture = index / count;
        const Part &part = parts[size_t(index % count)];
        char *scratch = static_cast<char *>(a.scratch) + threadBytes * size_t(thread);
        ConvolutionRow row{};
        row.finish = &run.finish;
        row.sourceType = productType;
        row.destinationType = d.destination_type;
        row.source =
            static_cast<const char *>(a.source) + picture * d.source_batch_stride * sourceSize;
        row.weights = a.weights;
        row.patch = scratch;
        row.patchStride = patchStride;
        row.columns = hasColumns ? reinterpret_cast<float *>(scratch + patchBytes) : nullptr;
        row.inputHeight = d.input_height;
        row.inputWidth = d.input_width;
        row.inputChannels = d.input_channels;
        row.sourceRowStride = d.source_row_stride;
        row.kernelWidth = d.kernel_width;
        row.padLeft = d.pad_left;
        row.pixels = table.pixels;
        if (preparesRows) {
          const PreparedRows rows(d, productType, table, scratch + patchBytes + lineBytes);
          const SeenRows seen = rowsSeen(part);
          row.source =
              rows.read(row.source, run.reading.of(picture, d.input_channels), seen.first, seen.end);
          row.sourceRowStride = d.input_width * d.input_channels;
        }
        for (size_t phase = part.firstPhase; phase < part.endPhase; ++phase)
          runPhase(run, row, phases[phase], part, picture);
      },
      a.threads < 1 ? 1 : a.threads);
}

/// Computes a part's rows of one phase.
void DirectConvolution::runPhase(
    const ConvolutionRun &run, ConvolutionRow &row, const ConvolutionPhase &phase, const Part &part,
    int64_t picture) const {
  const ck_convolution &d = description;
  const auto size = int64_t(sizeOf(d.destination_type));
  row.phase = &phase;
  row.pixelStep = phase.everyX * d.output_channels;
  row.outputWidth = phase.columns;
  row.firstColumn = std::min(part.firstColumn, phase.columns);
  row.endColumn = std::min(part.endColumn, phase.columns);
  for (row.y = part.firstRow; row.y < std::min(phase.rows, part.endRow); ++row.y) {
    const int64_t y = phase.originY + row.y * phase.everyY;
    const int64_t x = phase.originX * d.output_channels;
    row.destination = static_cast<char *>(run.arguments.destination)
        + (picture * d.destination_batch_stride + y * d.destination_row_stride + x) * size;
    row.residual = d.has_residual
        ? static_cast<const char *>(run.arguments.residual)
            + (picture * d.residual_batch_stride + y * d.residual_row_stride + x) * size
        : nullptr;
    table.convolutionRow(row);
    if (run.finish.blocks)
      run.finish.blocks->add((picture * d.output_height + y) * d.output_width + phase.originX,
          phase.columns, phase.everyX, d.output_channels);
  }
}

}  // namespace ck
