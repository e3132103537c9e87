#include "Bytes.hpp"

#include <algorithm>
#include <cstdlib>

using namespace ck;

namespace {

/// How a window is cut into runs of neighbouring bytes, and outputs into vectors.
struct ByteShape {
  bool isDepthwise;
  int64_t rows, runs, bytes, length;
  /// Groups that have vectors of their own, and the outputs and vectors of each.
  int64_t groups, outputs, vectors;
  /// Rows and columns of the picture that windows see, with what stands around it.
  int64_t height, width;

  explicit ByteShape(const ck_byte_convolution &d) {
    const int64_t channels = d.input_channels / d.groups;
    isDepthwise = d.groups > 1 && channels == 1 && d.groups == d.output_channels;
    // The columns of a window lie side by side.
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

  /// Whether windows read the picture where it is, and nothing beyond.
  bool isDirect(const ck_byte_convolution &d) const {
    const bool readsOut = isDepthwise ? d.output_channels % 16 != 0 : bytes % 4 != 0;
    return d.pad_top == 0 && d.pad_left == 0 && height <= d.input_height
        && width <= d.input_width && !readsOut;
  }
};

/// Bytes that a window may read after the picture's last.
constexpr int64_t kBytesBeyond = 64;

const ByteTable &byteTable() {
#if defined(__x86_64__)
  static const bool has512 = __builtin_cpu_supports("avx512vnni");
  // AVX2 alone where the environment asks for it.
  static const bool has256 =
      __builtin_cpu_supports("avxvnni") && ck_allowed_instructions() != 1;
  switch (ck_instructions()) {
    case 0: return plainBytes;
    case 1: return has256 ? avxVNNIBytes : avx2Bytes;
    default: return has512 ? avx512VNNIBytes : avx512Bytes;
  }
#else
  return plainBytes;
#endif
}

/// Copies the rows that windows see, with the byte for 0 around them.
void surround(
    const ck_byte_convolution &d, const ByteShape &shape, const uint8_t *source, uint8_t *to) {
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

extern "C" {

int32_t ck_multiplies_bytes(void) {
  const ByteTable *table = &byteTable();
  return table == &avxVNNIBytes || table == &avx512VNNIBytes;
}

int32_t ck_byte_convolution_suits(const ck_byte_convolution *description) {
  const ck_byte_convolution &d = *description;
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
      && d.zero <= 255 && (!d.makes_codes || (d.least <= d.greatest && d.greatest - d.least <= 255));
}

size_t ck_byte_convolution_weights_bytes(const ck_byte_convolution *description) {
  const ByteShape shape(*description);
  return rounded(
      size_t(shape.sumsBytes() + shape.groups * shape.vectors * shape.vectorBytes()));
}

void ck_byte_convolution_pack(
    const ck_byte_convolution *description, const float *weights, void *packed) {
  const ck_byte_convolution &d = *description;
  const ByteShape shape(d);
  std::memset(packed, 0, ck_byte_convolution_weights_bytes(description));
  int32_t *sums = static_cast<int32_t *>(packed);
  int8_t *codes = static_cast<int8_t *>(packed) + shape.sumsBytes();
  const int64_t channels = d.input_channels / d.groups;
  for (int64_t output = 0; output < d.output_channels; ++output) {
    const int64_t group = output / shape.outputs, place = output % shape.outputs;
    const int64_t vector = group * shape.vectors + place / 16;
    int8_t *to = codes + vector * shape.vectorBytes() + place % 16 * 4;
    int32_t sum = 0;
    for (int64_t channel = 0; channel < channels; ++channel)
      for (int64_t y = 0; y < d.kernel_height; ++y)
        for (int64_t x = 0; x < d.kernel_width; ++x) {
          const int64_t run = shape.runs == 1 ? 0 : x;
          const int64_t byte = shape.runs == 1 ? x * channels + channel : channel;
          const int32_t code = static_cast<int32_t>(
              weights[((output * channels + channel) * d.kernel_height + y) * d.kernel_width + x]);
          sum += code;
          to[((y * shape.runs + run) * shape.length + byte / 4) * 64 + byte % 4] =
              static_cast<int8_t>(code);
        }
    sums[vector * 16 + place % 16] = sum;
  }
}

size_t ck_byte_convolution_scratch_bytes(const ck_byte_convolution *description) {
  const ck_byte_convolution &d = *description;
  const ByteShape shape(d);
  if (shape.isDirect(d)) return 0;
  return rounded(size_t(shape.height * shape.width * d.input_channels + kBytesBeyond));
}

int32_t ck_byte_convolution_run(
    const ck_byte_convolution *description, const uint8_t *source, const void *packed,
    const float *factors, const float *bias, void *destination, void *scratch) {
  const ck_byte_convolution &d = *description;
  if (!ck_byte_convolution_suits(description) || !source || !packed || !factors || !bias
      || !destination)
    return -1;
  const ByteShape shape(d);
  const bool isDirect = shape.isDirect(d);
  if (!isDirect && !scratch) return -1;
  const ByteTable &kernels = byteTable();
  const int32_t *sums = static_cast<const int32_t *>(packed);
  const int8_t *weights = static_cast<const int8_t *>(packed) + shape.sumsBytes();
  const int64_t pixels = d.output_height * d.output_width;
  const int64_t together =
      shape.isDepthwise ? 1 : std::min<int64_t>(kernels.mostVectors, shape.vectors);
  const int64_t blocks = shape.groups * ceilDivide(shape.vectors, together);
  // Weights of a block stay in a core's second cache while pixels pass; where each channel is alone, pixels in
  // the first while channels pass.
  const int64_t fitting = shape.isDepthwise ? 16384 / d.input_channels
                                            : 24576 / (shape.rows * shape.runs * shape.length);
  const int64_t pixelsPerPart = std::clamp<int64_t>(fitting / 24 * 24, 24, 1536);
  const int64_t pixelParts = ceilDivide(pixels, pixelsPerPart);
  for (int64_t picture = 0; picture < d.batch; ++picture) {
    const uint8_t *from = source + picture * d.input_height * d.input_width * d.input_channels;
    if (!isDirect) surround(d, shape, from, static_cast<uint8_t *>(scratch));
    const int64_t size = d.makes_codes ? 1 : 4;
    void *to = static_cast<char *>(destination) + picture * pixels * d.output_channels * size;
    const auto compute = [&](int64_t number, int64_t pixelPart) {
      const int64_t perGroup = blocks / shape.groups;
      const int64_t group = number / perGroup, vector = number % perGroup * together;
      const int64_t place = group * shape.vectors + vector;
      ByteBlock block{};
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
      block.weights = weights + place * shape.vectorBytes();
      block.vectorStride = shape.vectorBytes();
      block.sums = sums + place * 16;
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
