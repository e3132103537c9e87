// Included once per instruction set, after Functions.hpp.

/// Normalises rows of floats one after another. Uses four accumulators, which are added in order. A row stays in the
/// cache during its three passes.
static void layerNormRows(const LayerNormBlock &block) {
  const int64_t length = block.length, full = length / 16 * 16;
  const float count = static_cast<float>(length);
  for (int64_t row = 0; row < block.rows; ++row) {
    const float *source = block.source + row * length;
    float *destination = block.destination + row * length;
    Vector sums[4] = {splat(0.0f), splat(0.0f), splat(0.0f), splat(0.0f)};
    for (int64_t i = 0; i < full; i += 16) sums[i >> 4 & 3] += load(source + i);
    if (full < length) sums[0] += loadSome(source + full, length - full);
    const float mean = sumOfLanes((sums[0] + sums[1]) + (sums[2] + sums[3])) / count;
    const Vector means = splat(mean);
    for (Vector &sum : sums) sum = splat(0.0f);
    for (int64_t i = 0; i < full; i += 16) {
      const Vector distance = load(source + i) - means;
      sums[i >> 4 & 3] = multiplyAdd(distance, distance, sums[i >> 4 & 3]);
    }
    float rest = 0.0f;
    for (int64_t i = full; i < length; ++i) rest += (source[i] - mean) * (source[i] - mean);
    const float squares = sumOfLanes((sums[0] + sums[1]) + (sums[2] + sums[3])) + rest;
    const Vector factor = splat(1.0f / __builtin_sqrtf(squares / count + block.epsilon));
    for (int64_t i = 0; i < length; i += 16) {
      const int64_t some = length - i;
      // Subtracts the mean first, so that a large mean cancels exactly.
      Vector value = (loadSome(source + i, some) - means) * factor;
      if (block.gamma) value *= loadSome(block.gamma + i, some);
      if (block.beta) value += loadSome(block.beta + i, some);
      if (block.rounds) value = roundToHalf(value);
      storeSome(destination + i, value, some);
    }
  }
}
