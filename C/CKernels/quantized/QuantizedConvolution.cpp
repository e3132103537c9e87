#include "quantized/QuantizedConvolution.hpp"

#include <algorithm>
#include <cstdlib>

using namespace ck;

namespace {

/// How a kernel is divided into runs of neighbouring bytes, and how outputs are divided into vectors. A kernel has
/// `rows` · `runs` runs of `bytes` bytes each, which are packed as `length` · 4 bytes.
struct QuantizedShape {
  bool isDepthwise;
  int64_t rows, runs, bytes, length;
  /// groups: the number of groups. Each group fills vectors of outputs of its own. outputs, vectors: the numbers of
  /// outputs and of vectors in each group.
  int64_t groups, outputs, vectors;
  /// The numbers of rows and columns of the padded image that the kernels read.
  int64_t height, width;

  explicit QuantizedShape(const ck_quantized_convolution &d) {
    const int64_t channels = d.input_channels / d.groups;
    isDepthwise = d.groups > 1 && channels == 1 && d.groups == d.output_channels;
    // If the columns of a kernel row are contiguous in the image, one run reads them all.
    const bool joins = d.groups == 1 && d.dilation_width == 1;
    rows = d.kernel_height;
    runs = joins ? 1 : d.kernel_width;
    bytes = joins ? channels * d.kernel_width : channels;
    length = ceilDivide(bytes, 4);
    groups = isDepthwise ? 1 : d.groups;
    outputs = d.output_channels / groups;
    vectors = ceilDivide(outputs, 16);
    height = (d.output_height - 1) * d.stride_height + (d.kernel_height - 1) * d.dilation_height + 1;
    width = (d.output_width - 1) * d.stride_width + (d.kernel_width - 1) * d.dilation_width + 1;
  }

  int64_t vectorBytes() const { return rows * runs * length * 64; }
  int64_t sumsBytes() const { return groups * vectors * 64; }

  /// Whether the kernels read the image itself instead of a padded copy.
  bool isDirect(const ck_quantized_convolution &d) const {
    const bool readsOut = isDepthwise ? d.output_channels % 16 != 0 : bytes % 4 != 0;
    return d.pad_top == 0 && d.pad_left == 0 && height <= d.input_height
        && width <= d.input_width && !readsOut;
  }
};

/// The number of bytes after the end of the padded copy that kernels may read.
constexpr int64_t kBytesBeyond = 64;

/// Copies the part of the image that the kernels read, with the zero point as padding.
void surround(
    const ck_quantized_convolution &d, const QuantizedShape &shape, const uint8_t *source, uint8_t *to) {
  const int64_t rowBytes = shape.width * d.input_channels;
  const int64_t first = std::clamp<int64_t>(d.pad_left, 0, shape.width);
  const int64_t end = std::clamp<int64_t>(d.pad_left + d.input_width, first, shape.width);
  forParts(ceilDivide(shape.height, 8), [&](int64_t part, int) {
    const int64_t last = std::min(shape.height, part * 8 + 8);
    for (int64_t y = part * 8; y < last; ++y) {
      uint8_t *row = to + y * rowBytes;
      const int64_t from = y - d.pad_top;
      if (from < 0 || from >= d.input_height) {
        std::memset(row, d.zero, size_t(rowBytes));
        continue;
      }
      std::memset(row, d.zero, size_t(first * d.input_channels));
      std::memcpy(row + first * d.input_channels,
          source + (from * d.input_width + first - d.pad_left) * d.input_channels,
          size_t((end - first) * d.input_channels));
      std::memset(row + end * d.input_channels, d.zero, size_t((shape.width - end) * d.input_channels));
    }
  });
  std::memset(to + shape.height * rowBytes, 0, size_t(kBytesBeyond));
}

}  // namespace

namespace ck {

const QuantizedTable &quantizedTable() {
#if defined(__x86_64__)
  static const bool has512 = __builtin_cpu_supports("avx512vnni");
  // Uses AVX2 without VNNI if ATELIER_MAX_ISA names AVX2.
  static const bool has256 =
      __builtin_cpu_supports("avxvnni") && ck_allowed_instructions() != 1;
  switch (ck_instructions()) {
    case 0: return plainQuantized;
    case 1: return has256 ? avxVNNIQuantized : avx2Quantized;
    default: return has512 ? avx512VNNIQuantized : avx512Quantized;
  }
#else
  return plainQuantized;
#endif
}

}  // namespace ck

extern "C" {

int32_t ck_has_int8_dot_product(void) {
  const QuantizedTable *table = &quantizedTable();
  return table == &avxVNNIQuantized || table == &avx512VNNIQuantized;
}

int32_t ck_quantized_convolution_suits(const ck_quantized_convolution *description) {
  const ck_quantized_convolution &d = *description;
  for (int64_t size : {d.batch, d.groups, d.input_channels, d.input_height, d.input_width,
           d.output_channels, d.output_height, d.output_width, d.kernel_height, d.kernel_width,
           d.stride_height, d.stride_width, d.dilation_height, d.dilation_width})
    if (size <= 0 || size > INT32_MAX) return 0;
  const int64_t most = INT32_MAX / (255 * 128);
  return d.input_channels % d.groups == 0 && d.output_channels % d.groups == 0
      && std::abs(d.pad_top) <= INT32_MAX && std::abs(d.pad_left) <= INT32_MAX
      && d.kernel_height <= most && d.kernel_width <= most
      && d.kernel_height * d.kernel_width <= most
      && d.input_channels / d.groups * d.kernel_height * d.kernel_width <= most && d.zero >= 0
      && d.zero <= 255 && (!d.quantizes_result || (d.least <= d.greatest && d.greatest - d.least <= 255));
}

size_t ck_quantized_convolution_weights_bytes(const ck_quantized_convolution *description) {
  const QuantizedShape shape(*description);
  return rounded(
      size_t(shape.sumsBytes() + shape.groups * shape.vectors * shape.vectorBytes()));
}

void ck_quantized_convolution_pack(
    const ck_quantized_convolution *description, const float *weights, void *packed) {
  const ck_quantized_convolution &d = *description;
  const QuantizedShape shape(d);
  std::memset(packed, 0, ck_quantized_convolution_weights_bytes(description));
  int32_t *sums = static_cast<int32_t *>(packed);
  int8_t *values = static_cast<int8_t *>(packed) + shape.sumsBytes();
  const int64_t channels = d.input_channels / d.groups;
  for (int64_t output = 0; output < d.output_channels; ++output) {
    const int64_t group = output / shape.outputs, index = output % shape.outputs;
    const int64_t vector = group * shape.vectors + index / 16;
    int8_t *to = values + vector * shape.vectorBytes() + index % 16 * 4;
    int32_t sum = 0;
    for (int64_t channel = 0; channel < channels; ++channel)
      for (int64_t y = 0; y < d.kernel_height; ++y)
        for (int64_t x = 0; x < d.kernel_width; ++x) {
          const int64_t run = shape.runs == 1 ? 0 : x;
          const int64_t byte = shape.runs == 1 ? x * channels + channel : channel;
          const int32_t value = static_cast<int32_t>(
              weights[((output * channels + channel) * d.kernel_height + y) * d.kernel_width + x]);
          sum += value;
          to[((y * shape.runs + run) * shape.length + byte / 4) * 64 + byte % 4] =
              static_cast<int8_t>(value);
        }
    sums[vector * 16 + index % 16] = sum;
  }
}

size_t ck_quantized_convolution_scratch_bytes(const ck_quantized_convolution *description) {
  const ck_quantized_convolution &d = *description;
  const QuantizedShape shape(d);
  if (shape.isDirect(d)) return 0;
  return rounded(size_t(shape.height * shape.width * d.input_channels + kBytesBeyond));
}

int32_t ck_quantized_convolution_run(
    const ck_quantized_convolution *description, const uint8_t *source, const void *packed,
    const float *factors, const float *bias, void *destination, void *scratch) {
  const ck_quantized_convolution &d = *description;
  if (!ck_quantized_convolution_suits(description) || !source || !packed || !factors || !bias
      || !destination)
    return -1;
  const QuantizedShape shape(d);
  const bool isDirect = shape.isDirect(d);
  if (!isDirect && !scratch) return -1;
  const QuantizedTable &kernels = quantizedTable();
  const int32_t *sums = static_cast<const int32_t *>(packed);
  const int8_t *weights = static_cast<const int8_t *>(packed) + shape.sumsBytes();
  const int64_t pixels = d.output_height * d.output_width;
  const int64_t together =
      shape.isDepthwise ? 1 : std::min<int64_t>(kernels.maxVectors, shape.vectors);
  const int64_t blocks = shape.groups * ceilDivide(shape.vectors, together);
  // Chooses the pixels of a part so that the weights of a block stay in a core's second-level cache for all pixels. In
  // a depthwise convolution, the pixels stay in the first-level cache for all channels.
  const int64_t fitting = shape.isDepthwise ? 16384 / d.input_channels
                                            : 24576 / (shape.rows * shape.runs * shape.length);
  const int64_t pixelsPerPart = std::clamp<int64_t>(fitting / 24 * 24, 24, 1536);
  const int64_t pixelParts = ceilDivide(pixels, pixelsPerPart);
  for (int64_t picture = 0; picture < d.batch; ++picture) {
    const uint8_t *from = source + picture * d.input_height * d.input_width * d.input_channels;
    if (!isDirect) surround(d, shape, from, static_cast<uint8_t *>(scratch));
    const int64_t size = d.quantizes_result ? 1 : 4;
    void *to = static_cast<char *>(destination) + picture * pixels * d.output_channels * size;
    const auto compute = [&](int64_t number, int64_t pixelPart) {
      const int64_t perGroup = blocks / shape.groups;
      const int64_t group = number / perGroup, vector = number % perGroup * together;
      const int64_t index = group * shape.vectors + vector;
      QuantizedBlock block{};
      block.layer = &d;
      block.source = isDirect ? from : static_cast<const uint8_t *>(scratch);
      block.rowStride = (isDirect ? d.input_width : shape.width) * d.input_channels;
      block.rows = shape.rows;
      block.runs = shape.runs;
      block.length = shape.length;
      block.isDepthwise = shape.isDepthwise;
      block.firstPixel = pixelPart * pixelsPerPart;
      block.endPixel = std::min(pixels, block.firstPixel + pixelsPerPart);
      block.output = group * shape.outputs + vector * 16;
      block.outputs = std::min(shape.outputs - vector * 16, together * 16);
      block.input = shape.isDepthwise ? vector * 16 : group * (d.input_channels / d.groups);
      block.weights = weights + index * shape.vectorBytes();
      block.vectorStride = shape.vectorBytes();
      block.sums = sums + index * 16;
      block.factors = factors;
      block.bias = bias;
      block.destination = to;
      kernels.block(block);
    };
    if (shape.isDepthwise) {
      forParts(pixelParts, [&](int64_t part, int) {
        for (int64_t number = 0; number < blocks; ++number) compute(number, part);
      });
    } else {
      forParts(blocks * pixelParts,
          [&](int64_t part, int) { compute(part / pixelParts, part % pixelParts); });
    }
  }
  return 0;
}

}  // extern "C"
