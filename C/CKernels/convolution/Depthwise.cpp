#include <algorithm>

#include "common/Table.hpp"

using namespace ck;

extern "C" {

int32_t ck_depthwise_suits(const ck_depthwise *description) {
  const ck_depthwise &d = *description;
  return d.batch > 0 && d.channels >= 16 && d.input_height > 0 && d.input_width > 0
      && d.output_height > 0 && d.output_width >= 4 && d.kernel_height > 0
      && d.kernel_height <= kMaxDepthwiseRows && (d.kernel_width == 3 || d.kernel_width == 5)
      && d.stride_height > 0 && (d.stride_width == 1 || d.stride_width == 2)
      && d.dilation_height > 0 && (d.type == CK_F32 || d.type == CK_BF16);
}

size_t ck_depthwise_weights_bytes(const ck_depthwise *description) {
  const ck_depthwise &d = *description;
  return rounded(size_t(d.channels * d.kernel_height * d.kernel_width) * sizeof(float));
}

void ck_depthwise_pack(const ck_depthwise *description, const float *weights, float *packed) {
  const int64_t channels = description->channels;
  const int64_t area = description->kernel_height * description->kernel_width;
  for (int64_t tap = 0; tap < area; ++tap)
    for (int64_t c = 0; c < channels; ++c) packed[tap * channels + c] = weights[c * area + tap];
}

int32_t ck_depthwise_run(
    const ck_depthwise *description, const void *source, const float *weights, const float *bias,
    void *destination) {
  const ck_depthwise &d = *description;
  if (!ck_depthwise_suits(description) || !source || !weights || !destination) return -1;
  const int64_t size = static_cast<int64_t>(sizeOf(d.type));
  const int64_t inputRow = d.input_width * d.channels * size;
  const int64_t outputRow = d.output_width * d.channels * size;
  // Neighbouring output rows share input rows. Small images are also divided by channels.
  const int64_t rowsPerPart = d.output_height >= 56 ? 4 : d.output_height >= 28 ? 2 : 1;
  const bool splits = d.output_height < 28 && d.channels % 16 == 0;
  const int64_t channelsPerPart = splits ? std::min<int64_t>(d.channels, 192) : d.channels;
  const int64_t columnParts = ceilDivide(d.channels, channelsPerPart);
  const int64_t rowParts = ceilDivide(d.output_height, rowsPerPart);
  const Table &kernels = table();
  forParts(d.batch * rowParts * columnParts, [&](int64_t part, int) {
    const int64_t picture = part / (rowParts * columnParts);
    const int64_t rowPart = part / columnParts % rowParts;
    DepthwiseRow row{};
    row.layer = &d;
    row.bias = bias;
    row.firstChannel = part % columnParts * channelsPerPart;
    row.endChannel = std::min(row.firstChannel + channelsPerPart, d.channels);
    const char *pixels = static_cast<const char *>(source) + picture * d.input_height * inputRow;
    const int64_t end = std::min((rowPart + 1) * rowsPerPart, d.output_height);
    for (int64_t y = rowPart * rowsPerPart; y < end; ++y) {
      row.rowCount = 0;
      for (int64_t ky = 0; ky < d.kernel_height; ++ky) {
        const int64_t inputY = y * d.stride_height + ky * d.dilation_height - d.pad_top;
        if (inputY < 0 || inputY >= d.input_height) continue;
        row.rows[row.rowCount] = pixels + inputY * inputRow;
        row.weights[row.rowCount++] = weights + ky * d.kernel_width * d.channels;
      }
      row.destination =
          static_cast<char *>(destination) + (picture * d.output_height + y) * outputRow;
      kernels.depthwiseRow(row);
    }
  });
  return 0;
}

}  // extern "C"
