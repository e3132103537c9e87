#include "convolution/PreparedRows.hpp"

#include "normalization/PixelBlocks.hpp"

namespace ck {

size_t PreparedRows::bytes(const ck_convolution &d, ck_type type, int64_t rows) {
  return rounded(size_t(std::clamp<int64_t>(rows, 0, d.input_height) * d.input_width
                     * d.input_channels)
      * sizeOf(type));
}

PreparedRows::PreparedRows(
    const ck_convolution &description, ck_type type, const Table &table, void *memory)
    : description(description), type(type), table(table), memory(static_cast<char *>(memory)) {}

const void *PreparedRows::read(
    const void *picture, Reading reading, int64_t first, int64_t end) const {
  const ck_convolution &d = description;
  const int64_t from = int64_t(sizeOf(d.source_type)), to = int64_t(sizeOf(type));
  const int64_t row = d.input_width * d.input_channels;
  first = std::max<int64_t>(first, 0);
  end = std::min(end, d.input_height);
  NormBlock block{};
  block.channels = d.input_channels;
  block.sourceType = d.source_type;
  block.destinationType = type;
  // Safe: the factors are only read.
  block.first = const_cast<float *>(reading.factors);
  block.second = reading.factors ? block.first + d.input_channels : nullptr;
  block.third = reading.factors ? block.second + d.input_channels : nullptr;
  block.activation = reading.hasRelu ? CK_RELU : CK_IDENTITY;
  // Processes all channels of a few pixels at a time, so that these pixels stay in the cache.
  const int64_t step = PixelBlocks(d.input_width, d.input_channels).perBlock;
  for (int64_t y = first; y < end; ++y) {
    const char *source = static_cast<const char *>(picture) + y * d.source_row_stride * from;
    char *destination = memory + (y - first) * row * to;
    if (!reading.factors) {
      table.convertRun(source, d.source_type, destination, type, row);
      continue;
    }
    for (int64_t x = 0; x < d.input_width; x += step) {
      block.pixels = std::min(step, d.input_width - x);
      block.source = source + x * d.input_channels * from;
      block.destination = destination + x * d.input_channels * to;
      table.normApply(block);
    }
  }
  return memory - first * row * to;
}

}  // namespace ck
