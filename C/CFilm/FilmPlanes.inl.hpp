// Included once for each instruction set: conversion between red, green and blue bytes and planes of luma and chroma.

/// The weights of red, green and blue in the luma.
struct LumaWeights {
  double red, green, blue;

  explicit LumaWeights(const cf_color_matrix &matrix)
      : red(matrix.is_bt709 ? 0.2126 : 0.299), green(0), blue(matrix.is_bt709 ? 0.0722 : 0.114) {
    green = 1 - red - blue;
  }
};

/// One in fixed-point arithmetic.
constexpr double kFixed = 65536;

static inline int32_t fixed(double value) {
  return static_cast<int32_t>(value < 0 ? value - 0.5 : value + 0.5);
}

static inline int32_t asByte(int32_t value) { return std::min(255, std::max(0, value)); }

static void toPlanes(const uint8_t *pixels, int64_t width, int64_t height,
    const cf_color_matrix &matrix, uint8_t *planes) {
  const LumaWeights weights(matrix);
  const double range = (matrix.is_full_range ? 255.0 : 219.0) / 255 * kFixed;
  const int32_t red = fixed(weights.red * range), green = fixed(weights.green * range);
  const int32_t blue = fixed(weights.blue * range);
  const int32_t base = fixed((matrix.is_full_range ? 0.5 : 16.5) * kFixed);
  // Chroma is computed from sums with a weight of 512. With 22 bits, no sum overflows.
  constexpr double one = 1 << 22;
  const double spread = (matrix.is_full_range ? 255.0 : 224.0) / 255 * one / 512;
  const double blueGap = 0.5 * spread / (1 - weights.blue), redGap = 0.5 * spread / (1 - weights.red);
  const int32_t redU = fixed(-weights.red * blueGap), greenU = fixed(-weights.green * blueGap);
  const int32_t blueU = -redU - greenU;
  const int32_t greenV = fixed(-weights.green * redGap), blueV = fixed(-weights.blue * redGap);
  const int32_t redV = -greenV - blueV;
  const int32_t middle = fixed(128.5 * one);
  const int64_t columns = width / 2;
  uint8_t *chromaU = planes + width * height, *chromaV = chromaU + columns * (height / 2);
  // The sums of six rows: for each pixel its three channels; then for each channel, with columns repeated at the edges.
  std::vector<uint16_t> interleaved(static_cast<size_t>(3 * width));
  std::vector<int32_t> sums(static_cast<size_t>(3 * (width + 3)));
  int32_t *reds = sums.data(), *greens = reds + width + 3, *blues = greens + width + 3;
  for (int64_t y = 0; y < height; y += 2) {
    for (int64_t row = 0; row < 2; ++row) {
      const uint8_t *from = pixels + (y + row) * width * 3;
      uint8_t *luma = planes + (y + row) * width;
      for (int64_t x = 0; x < width; ++x) {
        const int32_t value =
            red * from[3 * x] + green * from[3 * x + 1] + blue * from[3 * x + 2] + base;
        luma[x] = static_cast<uint8_t>(value >> 16);
      }
    }
    // Chroma lies at the even columns, between two rows. Binomial filters remove what is finer than its planes: sampled,
    // that would become a coarse pattern that changes as the picture moves.
    auto row = [&](int64_t offset) {
      return pixels + std::min(height - 1, std::max<int64_t>(0, y + offset)) * width * 3;
    };
    const uint8_t *rows[6] = {row(-2), row(-1), row(0), row(1), row(2), row(3)};
    uint16_t *to = interleaved.data();
    for (int64_t index = 0; index < 3 * width; ++index) {
      to[index] = static_cast<uint16_t>(rows[0][index] + rows[5][index]
          + 5 * (rows[1][index] + rows[4][index]) + 10 * (rows[2][index] + rows[3][index]));
    }
    for (int64_t x = 0; x < width; ++x) {
      reds[x + 2] = to[3 * x];
      greens[x + 2] = to[3 * x + 1];
      blues[x + 2] = to[3 * x + 2];
    }
    for (int32_t *sum : {reds, greens, blues}) {
      sum[0] = sum[1] = sum[2];
      sum[width + 2] = sum[width + 1];
    }
    for (int64_t x = 0; x < columns; ++x) {
      auto around = [&](const int32_t *sum) __attribute__((always_inline)) {
        const int32_t *at = sum + 2 * x;
        return at[0] + 4 * (at[1] + at[3]) + 6 * at[2] + at[4];
      };
      const int32_t r = around(reds), g = around(greens), b = around(blues);
      chromaU[x] = static_cast<uint8_t>(asByte((redU * r + greenU * g + blueU * b + middle) >> 22));
      chromaV[x] = static_cast<uint8_t>(asByte((redV * r + greenV * g + blueV * b + middle) >> 22));
    }
    chromaU += columns;
    chromaV += columns;
  }
}

static void fromPlanes(const uint8_t *planes, int64_t width, int64_t height,
    const cf_color_matrix &matrix, uint8_t *pixels) {
  const LumaWeights weights(matrix);
  const int32_t scale = fixed(255.0 / (matrix.is_full_range ? 255.0 : 219.0) * kFixed);
  const int32_t black = matrix.is_full_range ? 0 : 16;
  // Chroma is interpolated with a weight of 8.
  const double spread = 255.0 / (matrix.is_full_range ? 255.0 : 224.0) * kFixed / 8;
  const int32_t redV = fixed(2 * (1 - weights.red) * spread);
  const int32_t blueU = fixed(2 * (1 - weights.blue) * spread);
  const int32_t greenU = fixed(-2 * (1 - weights.blue) * weights.blue / weights.green * spread);
  const int32_t greenV = fixed(-2 * (1 - weights.red) * weights.red / weights.green * spread);
  const int64_t columns = width / 2, rows = height / 2;
  const uint8_t *chromaU = planes + width * height, *chromaV = chromaU + columns * rows;
  // A row of chroma between the rows of samples, with the last column repeated, and the same for each pixel.
  std::vector<int32_t> lines(static_cast<size_t>(2 * (columns + 1 + width)));
  int32_t *lineU = lines.data(), *lineV = lineU + columns + 1;
  int32_t *allU = lineV + columns + 1, *allV = allU + width;
  for (int64_t y = 0; y < height; ++y) {
    const int64_t near = y / 2, far = std::min(rows - 1, std::max<int64_t>(0, y % 2 ? near + 1 : near - 1));
    for (int64_t x = 0; x < columns; ++x) {
      lineU[x] = 3 * chromaU[near * columns + x] + chromaU[far * columns + x] - 512;
      lineV[x] = 3 * chromaV[near * columns + x] + chromaV[far * columns + x] - 512;
    }
    lineU[columns] = lineU[columns - 1];
    lineV[columns] = lineV[columns - 1];
    for (int64_t x = 0; x < columns; ++x) {
      allU[2 * x] = 2 * lineU[x];
      allU[2 * x + 1] = lineU[x] + lineU[x + 1];
      allV[2 * x] = 2 * lineV[x];
      allV[2 * x + 1] = lineV[x] + lineV[x + 1];
    }
    const uint8_t *luma = planes + y * width;
    uint8_t *to = pixels + y * width * 3;
    for (int64_t x = 0; x < width; ++x) {
      const int32_t grey = scale * (luma[x] - black) + 32768;
      const int32_t red = (grey + redV * allV[x]) >> 16;
      const int32_t green = (grey + greenU * allU[x] + greenV * allV[x]) >> 16;
      const int32_t blue = (grey + blueU * allU[x]) >> 16;
      to[3 * x] = static_cast<uint8_t>(asByte(red));
      to[3 * x + 1] = static_cast<uint8_t>(asByte(green));
      to[3 * x + 2] = static_cast<uint8_t>(asByte(blue));
    }
  }
}
