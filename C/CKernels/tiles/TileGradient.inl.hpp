// Included once per kind of tile, after TileSteps.inl.hpp.

/// Merges two vectors by one bit of the lane index, as one step of a transposition.
#define CK_EXCHANGE_1(f)                                                                          \
  f(0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30),                                   \
      f(1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31)
#define CK_EXCHANGE_2(f)                                                                          \
  f(0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29),                                    \
      f(2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#define CK_EXCHANGE_4(f)                                                                          \
  f(0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27),                                    \
      f(4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31)
#define CK_EXCHANGE_8(f)                                                                          \
  f(0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23),                                      \
      f(8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31)

/// Transposes a matrix of 16 × 16 words.
CK_INLINE void transposeWords(Bits (&m)[16]) {
#define CK_SHUFFLED(...) __builtin_shufflevector(a, b, __VA_ARGS__)
#define CK_STAGE(step, pairs)                                    \
  for (int i = 0; i < 16; ++i) {                                 \
    if (i & step) continue;                                      \
    const Bits a = m[i], b = m[i + step];                        \
    const Bits both[2] = {pairs(CK_SHUFFLED)};                   \
    m[i] = both[0];                                              \
    m[i + step] = both[1];                                       \
  }
  CK_STAGE(1, CK_EXCHANGE_1)
  CK_STAGE(2, CK_EXCHANGE_2)
  CK_STAGE(4, CK_EXCHANGE_4)
  CK_STAGE(8, CK_EXCHANGE_8)
#undef CK_STAGE
#undef CK_SHUFFLED
}

#undef CK_EXCHANGE_1
#undef CK_EXCHANGE_2
#undef CK_EXCHANGE_4
#undef CK_EXCHANGE_8

/// Computes one part's share of the gradient of a convolution's weights.
///
/// The inner dimension of the matrix products runs along neighbouring pixels. Rows of `small` are stored as pairs of
/// pixels, each pair with all channels. Rows of `large` are stored channel by channel, with contiguous pixels, so that
/// moving the kernel by one pixel moves the address by one element.
template <typename Unit>
class TileGradientRun {
 public:
  explicit TileGradientRun(const TileGradientRows &rows) : r(rows), d(*rows.gradient) {}

  void run() {
    __builtin_memset(r.sums, 0, size_t(r.taps() * r.inputBlocks * r.outputBlocks) * 1024);
    for (int64_t row = r.firstRow; row < r.endRow;) {
      const int64_t y = row % d.output_height;
      int64_t count = d.output_height - y;
      if (count > r.endRow - row) count = r.endRow - row;
      if (count > r.bandRows) count = r.bandRows;
      readSmall(row, count);
      readLarge(row / d.output_height, y, count);
      multiply(y, count);
      row += count;
    }
  }

 private:
  /// Returns the values of two pixels in 16 channels, as pairs. Null pixels count as zeros, and so do channels from
  /// index `channels` on.
  CK_INLINE Bits pairs(const BFloat16 *even, const BFloat16 *odd, int64_t channels) {
    return wide(even, channels) | wide(odd, channels) << 16;
  }

  CK_INLINE Bits wide(const BFloat16 *from, int64_t channels) {
    if (!from) return (Bits)(0u);
    if (channels >= 16)
      return __builtin_convertvector(*reinterpret_cast<const LooseHalves *>(from), Bits);
    Halves some = (Halves)(uint16_t(0));
    __builtin_memcpy(&some, from, size_t(channels) * sizeof(BFloat16));
    return __builtin_convertvector(some, Bits);
  }

  /// Packs rows of `small` in the layout of tiles, `[row][32 pixels][16 channels]`. Each tile fills 1 kB.
  void readSmall(int64_t row, int64_t count) {
    const int64_t width = d.output_width, channels = d.output_channels;
    for (int64_t i = 0; i < count; ++i) {
      const BFloat16 *from = r.small + (row + i) * width * channels;
      BFloat16 *to = r.packed + i * r.packedStride;
      for (int64_t chunk = 0; chunk < r.chunks; ++chunk)
        for (int64_t block = 0; block < r.outputBlocks; ++block, to += 512)
          for (int64_t k = 0; k < 16; ++k) {
            const int64_t x = chunk * 32 + k * 2;
            const BFloat16 *even = from + x * channels + block * 16;
            const Bits both = pairs(x < width ? even : nullptr,
                x + 1 < width ? even + channels : nullptr, channels - block * 16);
            *reinterpret_cast<LooseBits *>(to + k * 32) = both;
          }
    }
  }

  /// Packs the rows of `large` that the kernels of a band read, as `[row][column in a step][channel][step]`. A step is
  /// `stride_width` neighbouring columns.
  void readLarge(int64_t picture, int64_t y, int64_t count) {
    const int64_t rows = (count - 1) * d.stride_height + (d.kernel_height - 1) * d.dilation_height + 1;
    const int64_t channels = d.input_channels;
    for (int64_t i = 0; i < rows; ++i) {
      const int64_t row = y * d.stride_height - d.pad_top + i;
      if (row < 0 || row >= d.input_height) continue;
      const BFloat16 *from = r.large + (picture * d.input_height + row) * d.input_width * channels;
      for (int64_t column = 0; column < d.stride_width; ++column)
        for (int64_t block = 0; block < r.inputBlocks; ++block) {
          BFloat16 *to = r.strips + i * r.stripRow
              + (column * r.inputBlocks + block) * 16 * r.stripStride;
          for (int64_t step = 0; step < r.stripStride; step += 32)
            transpose(from, (step + r.firstStep) * d.stride_width + column, block, to + step);
        }
    }
  }

  /// Transposes 32 pixels of 16 channels. The pixels are `stride_width` columns apart.
  void transpose(const BFloat16 *from, int64_t x, int64_t block, BFloat16 *to) {
    const int64_t channels = d.input_channels, stride = d.stride_width;
    Bits words[16];
    for (int64_t k = 0; k < 16; ++k, x += 2 * stride) {
      const BFloat16 *even = from + x * channels + block * 16;
      words[k] = pairs(x >= 0 && x < d.input_width ? even : nullptr,
          x + stride >= 0 && x + stride < d.input_width ? even + stride * channels : nullptr,
          channels - block * 16);
    }
    transposeWords(words);
    for (int64_t channel = 0; channel < 16; ++channel)
      *reinterpret_cast<LooseBits *>(to + channel * r.stripStride) = words[channel];
  }

  void multiply(int64_t y, int64_t count) {
    for (int64_t input = 0; input < r.inputBlocks; input += 2)
      for (int64_t output = 0; output < r.outputBlocks; output += 2) {
        const bool isTall = input + 1 < r.inputBlocks, isWide = output + 1 < r.outputBlocks;
        for (int64_t ky = 0; ky < d.kernel_height; ++ky)
          for (int64_t kx = 0; kx < d.kernel_width; ++kx) {
            if (isTall)
              isWide ? add<2, 2>(input, output, ky, kx, y, count)
                     : add<2, 1>(input, output, ky, kx, y, count);
            else
              isWide ? add<1, 2>(input, output, ky, kx, y, count)
                     : add<1, 1>(input, output, ky, kx, y, count);
          }
      }
  }

  /// Adds a band's products for one position of the kernel, for R times 16 inputs and V times 16 outputs.
  template <int R, int V>
  void add(
      int64_t input, int64_t output, int64_t ky, int64_t kx, int64_t y, int64_t count) {
    const int64_t column = kx * d.dilation_width - d.pad_left;
    const int64_t step = floorDivided(column, d.stride_width);
    const int64_t within = column - step * d.stride_width;
    float *sums = r.sums
        + (((ky * d.kernel_width + kx) * r.inputBlocks + input) * r.outputBlocks + output) * 256;
    float *lower = sums + r.outputBlocks * 256;
    unit.template load<0>(sums, 64);
    if constexpr (V > 1) unit.template load<1>(sums + 256, 64);
    if constexpr (R > 1) unit.template load<2>(lower, 64);
    if constexpr (R > 1 && V > 1) unit.template load<3>(lower + 256, 64);
    const int64_t pixelStep = r.stripStride * int64_t(sizeof(BFloat16));
    for (int64_t i = 0; i < count; ++i) {
      const int64_t strip = i * d.stride_height + ky * d.dilation_height;
      const int64_t row = y * d.stride_height - d.pad_top + strip;
      if (row < 0 || row >= d.input_height) continue;
      const BFloat16 *a = r.strips + strip * r.stripRow
          + (within * r.inputBlocks + input) * 16 * r.stripStride + step - r.firstStep;
      const BFloat16 *b = r.packed + i * r.packedStride + output * 512;
      for (int64_t chunk = 0; chunk < r.chunks; ++chunk) {
        unit.template load<4>(a, pixelStep);
        unit.template load<6>(b, 64);
        unit.template multiply<0, 4, 6>();
        if constexpr (V > 1) {
          unit.template load<7>(b + 512, 64);
          unit.template multiply<1, 4, 7>();
        }
        if constexpr (R > 1) {
          unit.template load<5>(a + 16 * r.stripStride, pixelStep);
          unit.template multiply<2, 5, 6>();
          if constexpr (V > 1) unit.template multiply<3, 5, 7>();
        }
        a += 32;
        b += r.outputBlocks * 512;
      }
    }
    unit.template store<0>(sums, 64);
    if constexpr (V > 1) unit.template store<1>(sums + 256, 64);
    if constexpr (R > 1) unit.template store<2>(lower, 64);
    if constexpr (R > 1 && V > 1) unit.template store<3>(lower + 256, 64);
  }

  const TileGradientRows &r;
  const ck_tile_weights_gradient &d;
  Unit unit;
};

template <typename Unit>
static void tileGradientRows(const TileGradientRows &rows) {
  TileGradientRun<Unit>(rows).run();
}
