// Included once per instruction set, after Vector.hpp.

/// Matrix tiles that vectors emulate, with the same bits as the processor's tiles (see Tiles.hpp).
class EmulatedTiles {
 public:
  template <int T>
  void zero() {
    __builtin_memset(tiles[T], 0, sizeof tiles[T]);
  }

  template <int T>
  void load(const void *from, int64_t stride) {
    for (int row = 0; row < 16; ++row)
      __builtin_memcpy(tiles[T][row], static_cast<const char *>(from) + row * stride, 64);
  }

  template <int T>
  void store(void *to, int64_t stride) {
    for (int row = 0; row < 16; ++row)
      __builtin_memcpy(static_cast<char *>(to) + row * stride, tiles[T][row], 64);
  }

  template <int C, int A, int B>
  void multiply() {
    multiply(tiles[C], tiles[A], tiles[B]);
  }

 private:
  typedef uint32_t Tile[16][16];
  alignas(64) Tile tiles[8];

  /// Flushes subnormal numbers to zero.
  CK_INLINE Vector flush(Vector x) {
    const Bits bits = asBits(x);
    return asFloat((bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
  }

  static float flushed(uint32_t bits) {
    return __builtin_bit_cast(float, (bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
  }

  /// Computes a · b + c with one rounding, whatever the instruction set.
  CK_INLINE Vector fused(Vector a, Vector b, Vector c) { return __builtin_elementwise_fma(a, b, c); }

  __attribute__((noinline)) static void multiply(Tile &c, const Tile &a, const Tile &b) {
    Vector evens[16], odds[16];
    for (int k = 0; k < 16; ++k) {
      const Bits pairs = *reinterpret_cast<const LooseBits *>(b[k]);
      evens[k] = flush(asFloat(pairs << 16));
      odds[k] = flush(asFloat(pairs & 0xffff0000u));
    }
    for (int row = 0; row < 16; ++row) {
      Vector even = splat(0.0f), odd = splat(0.0f);
      for (int k = 0; k < 16; ++k) {
        const uint32_t pair = a[row][k];
        even = flush(fused(splat(flushed(pair << 16)), evens[k], even));
        odd = flush(fused(splat(flushed(pair & 0xffff0000u)), odds[k], odd));
      }
      float *sums = reinterpret_cast<float *>(c[row]);
      store16(sums, flush(flush(load16(sums)) + flush(even + odd)));
    }
  }

  CK_INLINE Vector load16(const float *from) { return *(const LooseVector *)from; }
  CK_INLINE void store16(float *to, Vector value) { *(LooseVector *)to = value; }
};
