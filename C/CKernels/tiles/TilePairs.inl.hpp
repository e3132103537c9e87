// Included once per kind of tile, after Vector.hpp.

/// Writes 16 values as pairs of bfloat16: the rounded value (high) and the rounded rest (low). Their sum is the value, up
/// to 2⁻¹⁷ of it, and exactly for a float16 value. Of infinity and not-a-number, the high part is zero and the low part has
/// the value: a product with the high part of a number is then infinite, and not infinity times its low part, which may be
/// zero.
CK_INLINE void storePairs(Vector value, BFloat16 *high, BFloat16 *low) {
  const Vector rounded = widenBFloat16(narrowToBFloat16(value));
  const Integers isFinite = (asBits(rounded) & 0x7f800000u) != 0x7f800000u;
  const Vector upper = choose(isFinite, rounded, splat(0.0f));
  store(high, upper);
  store(low, value - upper);
}

[[maybe_unused]] static void writePairs(const PixelPairs &p) {
  const float *from = p.source;
  BFloat16 *to = p.destination;
  for (int64_t pixel = 0; pixel < p.pixels; ++pixel, from += p.channels)
    for (int64_t channel = 0; channel < p.channels; channel += 32, to += 64) {
      const int64_t count = p.channels - channel;
      storePairs(loadSome(from + channel, count), to, to + 32);
      if (count > 16)
        storePairs(loadSome(from + channel + 16, count - 16), to + 16, to + 48);
      else
        storePairs(splat(0.0f), to + 16, to + 48);
    }
}

/// Writes 16 × 32 weights as the operand of a tile: two neighbouring weights of one output form a pair, for all outputs.
/// `stride` is the number of values from one pair to the next.
CK_INLINE void storeTransposed(const BFloat16 (&values)[16][32], BFloat16 *to, int64_t stride) {
  Bits rows[16], other[16];
  for (int i = 0; i < 16; ++i) rows[i] = *(const LooseBits *)values[i];
  // Four steps exchange blocks of 8, 4, 2 and 1 rows and columns.
#define CK_EXCHANGE(FROM, TO, WIDTH, LOW, HIGH)                                 \
  for (int i = 0; i < 16; ++i) {                                                \
    if (i & WIDTH) continue;                                                    \
    TO[i] = __builtin_shufflevector(FROM[i], FROM[i + WIDTH], LOW);             \
    TO[i + WIDTH] = __builtin_shufflevector(FROM[i], FROM[i + WIDTH], HIGH);    \
  }
#define CK_LIST(...) __VA_ARGS__
  CK_EXCHANGE(rows, other, 8, CK_LIST(0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23),
      CK_LIST(8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31))
  CK_EXCHANGE(other, rows, 4, CK_LIST(0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27),
      CK_LIST(4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31))
  CK_EXCHANGE(rows, other, 2, CK_LIST(0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29),
      CK_LIST(2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31))
  CK_EXCHANGE(other, rows, 1, CK_LIST(0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30),
      CK_LIST(1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31))
#undef CK_LIST
#undef CK_EXCHANGE
  for (int i = 0; i < 16; ++i) *(LooseBits *)(to + i * stride) = rows[i];
}

[[maybe_unused]] static void packTileWeights(const TileWeights &w) {
  const int64_t stride = w.vectors * 32;
  for (int n = 0; n < w.vectors; ++n) {
    BFloat16 high[16][32], low[16][32];
    for (int lane = 0; lane < 16; ++lane) {
      const float *from = w.weights[n * 16 + lane];
      if (!w.low) {
        store(high[lane], load(from));
        store(high[lane] + 16, load(from + 16));
        continue;
      }
      storePairs(load(from), high[lane], low[lane]);
      storePairs(load(from + 16), high[lane] + 16, low[lane] + 16);
    }
    storeTransposed(high, w.high + n * 32, stride);
    if (w.low) storeTransposed(low, w.low + n * 32, stride);
  }
}
