#include "NormedRows.hpp"

#include "PixelBlocks.hpp"

namespace ck {

size_t NormedRows::bytes(const ck_convolution &d, int64_t rows) {
  return rounded(size_t(std::clamp<int64_t>(rows, 0, d.input_height) * d.input_width
                     * d.input_channels)
      * sizeOf(d.source_type));
}

NormedRows::NormedRows(const ck_convolution &description, const Table &table, void *memory)
    : description(description), table(table), memory(static_cast<char *>(memory)) {}

const void *NormedRows::read(
    const void *picture, Reading reading, int64_t first, int64_t end) const {
  const ck_convolution &d = description;
  const int64_t size = int64_t(sizeOf(d.source_type)), row = d.input_width * d.input_channels;
  first = std::max<int64_t>(first, 0);
  end = std::min(end, d.input_height);
  NormBlock block{};
  block.channels = d.input_channels;
  block.sourceType = block.destinationType = d.source_type;
  // Safe: factors are read only.
  block.first = const_cast<float *>(reading.factors);
  block.second = block.first + d.input_channels;
  block.third = block.second + d.input_channels;
  block.activation = reading.hasRelu ? CK_RELU : CK_IDENTITY;
  // All channels of some pixels at a time, so that the cache keeps them.
  const int64_t step = PixelBlocks(d.input_width, d.input_channels).perBlock;
  for (int64_t y = first; y < end; ++y)
    for (int64_t x = 0; x < d.input_width; x += step) {
      block.pixels = std::min(step, d.input_width - x);
      block.source = static_cast<const char *>(picture)
          + (y * d.source_row_stride + x * d.input_channels) * size;
      block.destination = memory + ((y - first) * row + x * d.input_channels) * size;
      table.normApply(block);
    }
  return memory - first * row * size;
}

}  // namespace ck
