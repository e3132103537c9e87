#include "tiles/TileConvolution.hpp"

#include <algorithm>

#include "convolution/ConvolutionPhases.hpp"
#include "normalization/PixelBlocks.hpp"

namespace ck {

namespace {

/// The maximum size in bytes of the weights that a part reads: half of a core's second-level cache.
constexpr int64_t kWeightBytes = 1 << 20;
/// The minimum number of tile multiplications per part, about 10 µs of work. Parts are smaller if there would be fewer
/// than kLeastParts parts.
constexpr int64_t kProductsPerPart = 2048;
constexpr int64_t kLeastParts = 16;
/// The number of pixels whose values one thread writes as pairs at a time.
constexpr int64_t kPixelsPerStrip = 64;

/// Whether the kernel is 1 × 1 with strides of 1 over dense images. All pixels of the batch then form one row.
bool isPointwise(const ck_convolution &d) {
  const bool window = d.kernel_height == 1 && d.kernel_width == 1 && d.stride_height == 1
      && d.stride_width == 1 && d.upsample == 1 && d.pad_top == 0 && d.pad_left == 0;
  const int64_t row = d.output_width * d.output_channels, picture = row * d.output_height;
  return window && !d.has_norm && d.input_height == d.output_height
      && d.input_width == d.output_width
      && d.source_row_stride == d.input_width * d.input_channels
      && d.source_batch_stride == d.source_row_stride * d.input_height
      && d.destination_row_stride == row && d.destination_batch_stride == picture
      && (!d.has_residual
          || (d.residual_row_stride == row && d.residual_batch_stride == picture));
}

/// Whether it is cheaper to treat each column of the kernel as a separate output. A large kernel with few outputs then
/// needs fewer tiles.
bool prefersColumns(const ck_convolution &d) {
  const int64_t outputs = d.output_channels, width = d.kernel_width;
  const bool isCounted = outputs <= 4 || outputs == 6 || outputs == 8;
  return isCounted && !d.deconvolution && d.upsample == 1 && d.stride_width == 1
      && d.dilation_width == 1 && width > 1 && outputs * width <= 64
      && ceilDivide(outputs * width, 16) * 5 < ceilDivide(outputs, 16) * width * 4;
}

/// Copies the weights of a tap for `count` inputs, which are `stride` values apart. A tap with several positions adds up
/// their weights.
void copyTap(
    const float *from, int64_t stride, int64_t count, int64_t kernelWidth, const Tap &tapY,
    const Tap &tapX, float *to) {
  const bool isSingle = tapY.positions.size() == 1 && tapX.positions.size() == 1;
  if (isSingle) from += tapY.positions[0] * kernelWidth + tapX.positions[0];
  if (isSingle && stride == 1) {
    std::memcpy(to, from, size_t(count) * sizeof(float));
    return;
  }
  for (int64_t i = 0; i < count; ++i, from += stride) {
    double sum = isSingle ? from[0] : 0;
    if (!isSingle)
      for (int ky : tapY.positions)
        for (int kx : tapX.positions) sum += from[ky * kernelWidth + kx];
    to[i] = static_cast<float>(sum);
  }
}

}  // namespace

bool TileConvolution::suits(const ck_convolution &d) {
  const bool hasPairs = d.source_type == CK_F32;
  return d.winograd_tile == 0 && (d.matrix_tiles == 1 || d.matrix_tiles == 2)
      && (d.source_type == CK_BF16 || hasPairs)
      && !(hasPairs && (d.destination_type != CK_F32 || d.has_norm));
}

TileConvolution::TileConvolution(const ck_convolution &given)
    : ConvolutionAlgorithm(given, CK_BF16), table(tileTable(given.matrix_tiles == 2)) {
  ck_convolution &d = description;
  if (isPointwise(d)) {
    d.input_width = d.output_width = d.batch * d.input_height * d.input_width;
    d.batch = d.input_height = d.output_height = 1;
    d.source_row_stride = d.source_batch_stride = d.input_width * d.input_channels;
    d.destination_row_stride = d.destination_batch_stride = d.output_width * d.output_channels;
    d.residual_row_stride = d.residual_batch_stride = d.destination_row_stride;
  }
  hasPairs = d.source_type == CK_F32;
  hasColumns = !hasPairs && prefersColumns(d);
  gathers = !hasPairs && d.input_channels % 32 != 0;
  pixelValues = hasPairs ? ceilDivide(d.input_channels, 32) * 64 : d.input_channels;
  ck_convolution filled = d;
  if (hasPairs) filled.input_channels = pixelValues / 2;
  phases = convolutionPhases(filled, hasColumns);
  blockOutputs();
  cutIntoParts();
  // Allocates at least one element, because every run needs an address.
  ownBytes = rounded(size_t(std::max<int64_t>(1, 2 * lines * patchStride)) * sizeof(BFloat16))
      + rounded(size_t(2 * lines * stripStride) * sizeof(BFloat16))
      + rounded(size_t(2 * lineStride) * sizeof(float));
  threadBytes = ownBytes;
  if (d.has_norm) {
    int64_t most = 0;
    for (const Part &part : parts) {
      const SeenRows seen(*part.phase, part.firstRow, part.endRow);
      most = std::max(most, seen.end - seen.first);
    }
    threadBytes += PreparedRows::bytes(d, CK_BF16, most);
  }
  if (hasPairs) {
    weightCount *= 2;
    sharedBytes = rounded(
        size_t(d.batch * d.input_height * d.input_width * pixelValues) * sizeof(BFloat16));
  }
  title = std::string(hasPairs ? "tiles with pairs " : "tiles ")
      + (hasColumns ? "columns" : phases.size() > 1 ? "phases" : gathers ? "gathered" : "direct")
      + ":" + table.name;
  order = nameOfPhases(phases);
}

void TileConvolution::blockOutputs() {
  const ck_convolution &d = description;
  for (auto &phase : phases) {
    const auto rows = int64_t(phase.tapsY.size());
    const int64_t groups = phase.groups();
    const int64_t stored = ceilDivide(phase.length, 32) * 32;
    phase.blocks = outputBlocks(d.output_channels * (hasColumns ? d.kernel_width : 1), 2);
    for (auto &block : phase.blocks) {
      block.weights = int64_t(weightCount);
      block.tapSize = stored * block.vectors * 16;
      weightCount += size_t(block.tapSize * groups * rows);
    }
    lines = std::max(lines, rows);
    const int64_t span = (15 * phase.stepX + phase.span()) * pixelValues;
    patchStride = std::max(patchStride, ceilDivide(span, 32) * 32);
    if (gathers) stripStride = std::max(stripStride, groups * stored * 16);
  }
  weightCount = std::max<size_t>(weightCount, 1);
  // A line ends with extra memory, because storing the few outputs of a pixel writes whole vectors.
  if (hasColumns) lineStride = d.output_width * d.output_channels + 32;
}

/// Divides the work into parts. All parts of one group of outputs follow each other, so that all threads read the same
/// weights. Within a group, rows run from top to bottom. Rows of different phases that read the same input rows also
/// follow each other.
void TileConvolution::cutIntoParts() {
  const ck_convolution &d = description;
  const auto blocks = int64_t(phases[0].blocks.size());
  const int64_t bytes = int64_t(weightCount * sizeof(BFloat16)) * (hasPairs ? 2 : 1) / int64_t(phases.size());
  int64_t rows = 0, columns = 0, steps = 1;
  for (const auto &phase : phases) {
    rows = std::max(rows, phase.rows);
    columns = std::max(columns, phase.columns);
    steps = std::max(steps, int64_t(phase.tapsY.size() * phase.tapsX.size()) / phase.merged
            * ceilDivide(phase.length, 32) * (hasPairs ? 3 : 1));
  }
  const bool isLine = rows == 1 && !hasColumns;
  int64_t groups = hasColumns ? 1 : std::min(blocks, ceilDivide(bytes, kWeightBytes));
  // Work is divided in units of two rows, or of 32 pixels if there is only one row.
  const int64_t units = isLine ? ceilDivide(columns, 32) : ceilDivide(rows, 2);
  const int64_t all = units * d.batch * int64_t(phases.size());
  if (!hasColumns && all * groups < kLeastParts)
    groups = std::min(blocks, ceilDivide(kLeastParts, all));
  const int64_t blocksPerPart = ceilDivide(blocks, groups);
  const int64_t products = (isLine ? 4 : 4 * ceilDivide(columns, 16)) * steps * blocksPerPart;
  const int64_t wanted = std::max<int64_t>(1, kProductsPerPart / products);
  const int64_t unitsPerPart = std::max<int64_t>(
      1, std::min(wanted, units * d.batch * groups * int64_t(phases.size()) / kLeastParts));
  for (int64_t block = 0; block < blocks; block += blocksPerPart)
    for (int64_t unit = 0; unit < units; unit += unitsPerPart)
      for (const auto &phase : phases) {
        Part part{&phase, 0, phase.rows, 0, phase.columns, int(block),
            int(std::min(blocks, block + blocksPerPart))};
        if (isLine) {
          part.firstColumn = unit * 32;
          part.endColumn = std::min(phase.columns, (unit + unitsPerPart) * 32);
        } else {
          part.firstRow = unit * 2;
          part.endRow = std::min(phase.rows, (unit + unitsPerPart) * 2);
        }
        if (part.firstRow < part.endRow && part.firstColumn < part.endColumn)
          parts.push_back(part);
      }
}

void TileConvolution::pack(const float *weights, void *packed) const {
  if (!hasColumns) return packSteps(weights, static_cast<BFloat16 *>(packed));
  packConvolution(description, phases, ColumnOrder::falling, weights, packed);
}

/// Packs the weights of each step: 32 inputs of one tap, and the outputs of one block.
void TileConvolution::packSteps(const float *weights, BFloat16 *packed) const {
  const ck_convolution &d = description;
  const int64_t area = d.kernel_height * d.kernel_width, parts = hasPairs ? 2 : 1;
  const int64_t inputs = hasPairs ? pixelValues / 2 : d.input_channels;
  const int64_t alongInputs = d.deconvolution ? d.output_channels * area : area;
  const int64_t alongOutputs = d.deconvolution ? area : d.input_channels * area;
  TileWeights step{};
  for (const auto &phase : phases) {
    const int64_t groups = phase.groups();
    for (const auto &block : phase.blocks) {
      BFloat16 *to = packed + block.weights * parts;
      step.vectors = block.vectors;
      const int64_t lanes = std::min<int64_t>(block.vectors * 16, d.output_channels - block.channel);
      for (const Tap &tapY : phase.tapsY)
        for (int64_t group = 0; group < groups; ++group)
          for (int64_t chunk = 0; chunk < phase.length; chunk += 32) {
            std::memset(step.weights, 0, sizeof step.weights);
            for (int64_t k = chunk; k < std::min(chunk + 32, phase.length);) {
              // The inputs from `input` on belong to one tap.
              const int64_t input = k % inputs, left = std::min(inputs - input, chunk + 32 - k);
              const int64_t count = std::min(left, d.input_channels - input);
              const Tap &tapX = phase.tapsX[size_t(group * phase.merged + k / inputs)];
              for (int64_t lane = 0; lane < lanes && count > 0; ++lane) {
                const float *from =
                    weights + (block.channel + lane) * alongOutputs + input * alongInputs;
                copyTap(from, alongInputs, count, d.kernel_width, tapY, tapX,
                    step.weights[lane] + (k - chunk));
              }
              k += left;
            }
            step.high = to;
            step.low = hasPairs ? to + block.vectors * 512 : nullptr;
            table.packWeights(step);
            to += block.vectors * 512 * parts;
          }
    }
  }
}

/// Reports the pixels that a part has finished.
void TileConvolution::reportFinished(
    const FinishedBlocks &finished, int64_t picture, const Part &part) const {
  const ck_convolution &d = description;
  const ConvolutionPhase &phase = *part.phase;
  const auto &blocks = phase.blocks;
  int64_t channels = d.output_channels;
  if (!hasColumns)
    channels = (part.endBlock < int(blocks.size()) ? blocks[size_t(part.endBlock)].channel : channels)
        - blocks[size_t(part.firstBlock)].channel;
  for (int64_t row = part.firstRow; row < part.endRow; ++row) {
    const int64_t y = phase.originY + row * phase.everyY;
    const int64_t x = phase.originX + part.firstColumn * phase.everyX;
    finished.add((picture * d.output_height + y) * d.output_width + x,
        part.endColumn - part.firstColumn, phase.everyX, channels);
  }
}

/// Writes the values of all images as pairs of bfloat16, as dense rows.
void TileConvolution::writePairs(const void *source, BFloat16 *pairs, int threads) const {
  const ck_convolution &d = description;
  const int64_t rowPairs = d.input_width * pixelValues;
  const int64_t strips = ceilDivide(d.input_width, kPixelsPerStrip);
  forParts(
      d.batch * d.input_height * strips,
      [&](int64_t part, int) {
        const int64_t row = part / strips, first = part % strips * kPixelsPerStrip;
        const int64_t picture = row / d.input_height, y = row % d.input_height;
        PixelPairs pixels{};
        pixels.source = static_cast<const float *>(source) + picture * d.source_batch_stride
            + y * d.source_row_stride + first * d.input_channels;
        pixels.destination = pairs + row * rowPairs + first * pixelValues;
        pixels.pixels = std::min(kPixelsPerStrip, d.input_width - first);
        pixels.channels = d.input_channels;
        table.pairs(pixels);
      },
      threads);
}

void TileConvolution::run(const ConvolutionRun &run) const {
  const ck_convolution &d = description;
  const ck_convolution_arguments &a = run.arguments;
  const int64_t size = int64_t(sizeOf(d.destination_type));
  const auto count = int64_t(parts.size());
  // Gets the table here, on the calling thread, because the thread may limit its instruction set.
  const Table &vectors = ck::table();
  const int threads = a.threads < 1 ? 1 : a.threads;
  auto *const pairs = static_cast<BFloat16 *>(a.scratch);
  if (hasPairs) writePairs(a.source, pairs, threads);
  forParts(
      count * d.batch,
      [&](int64_t index, int thread) {
        const Part &part = parts[size_t(index % count)];
        const int64_t picture = index / count;
        const ConvolutionPhase &phase = *part.phase;
        char *scratch = static_cast<char *>(a.scratch) + sharedBytes + threadBytes * size_t(thread);
        TileRows rows{};
        rows.phase = &phase;
        rows.finish = &run.finish;
        rows.destinationType = d.destination_type;
        rows.source = hasPairs
            ? pairs + picture * d.input_height * d.input_width * pixelValues
            : static_cast<const BFloat16 *>(a.source) + picture * d.source_batch_stride;
        rows.weights = static_cast<const BFloat16 *>(a.weights);
        const int64_t x = phase.originX * d.output_channels;
        rows.destination = static_cast<char *>(a.destination)
            + (picture * d.destination_batch_stride + phase.originY * d.destination_row_stride + x)
                * size;
        if (d.has_residual)
          rows.residual = static_cast<const char *>(a.residual)
              + (picture * d.residual_batch_stride + phase.originY * d.residual_row_stride + x) * size;
        rows.destinationRowStep = phase.everyY * d.destination_row_stride;
        rows.residualRowStep = phase.everyY * d.residual_row_stride;
        rows.pixelStep = phase.everyX * d.output_channels;
        rows.firstRow = part.firstRow;
        rows.endRow = part.endRow;
        rows.firstColumn = part.firstColumn;
        rows.endColumn = part.endColumn;
        rows.firstBlock = part.firstBlock;
        rows.endBlock = part.endBlock;
        rows.inputHeight = d.input_height;
        rows.inputWidth = d.input_width;
        rows.inputChannels = pixelValues;
        rows.sourceRowStride = hasPairs ? d.input_width * pixelValues : d.source_row_stride;
        rows.hasPairs = hasPairs;
        if (run.reading.factors) {
          const PreparedRows normed(d, CK_BF16, vectors, scratch + ownBytes);
          const SeenRows seen(phase, part.firstRow, part.endRow);
          rows.source = static_cast<const BFloat16 *>(normed.read(
              rows.source, run.reading.of(picture, d.input_channels), seen.first, seen.end));
          rows.sourceRowStride = d.input_width * d.input_channels;
        }
        rows.gathers = gathers;
        rows.hasColumns = hasColumns;
        rows.kernelWidth = d.kernel_width;
        rows.padLeft = d.pad_left;
        rows.patch = reinterpret_cast<BFloat16 *>(scratch);
        rows.patchStride = patchStride;
        scratch += rounded(size_t(std::max<int64_t>(1, 2 * lines * patchStride)) * sizeof(BFloat16));
        rows.strips = reinterpret_cast<BFloat16 *>(scratch);
        rows.stripStride = stripStride;
        scratch += rounded(size_t(2 * lines * stripStride) * sizeof(BFloat16));
        rows.line = reinterpret_cast<float *>(scratch);
        rows.lineStride = lineStride;
        table.rows(rows);
        if (run.finish.blocks) reportFinished(*run.finish.blocks, picture, part);
      },
      threads);
}

}  // namespace ck
