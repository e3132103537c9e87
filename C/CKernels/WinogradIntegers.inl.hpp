// Included once per instruction set, after Convolution.inl.hpp and before Winograd.inl.hpp.

// MARK: Winograd's method in 16-bit integers
//
// An instruction multiplies twice as many 16-bit integers as float32, and their sums are exact. Integers are multiples
// of a quantum: one for the windows of some neighbouring tiles, by the largest value that they see, and one for each
// output's kernels of each position. Quanta are as small as sums of 32 bits allow: `Σ |window · kernel|` stays below
// 2³¹ for `kSummedInputs` channels.

/// How many input channels are summed up before the sum becomes float32.
constexpr int64_t kSummedInputs = 128;

/// How many neighbouring tiles of a row have one quantum.
constexpr int64_t kQuantumTiles = 8;

typedef int16_t Shorts __attribute__((ext_vector_type(16)));
typedef Shorts LooseShorts __attribute__((aligned(2)));

#if CK_LEVEL == 1
struct IntegerParts {
  __m256i low, high;
};
#endif

/// To the nearest, halves to the even one, of what 16 bits hold. Not-a-number is some number.
CK_INLINE Integers roundedIntegers(Vector value) {
#if CK_LEVEL >= 2
  return __builtin_bit_cast(Integers, _mm512_cvtps_epi32(__builtin_bit_cast(__m512, value)));
#elif CK_LEVEL == 1
  const VectorParts parts = __builtin_bit_cast(VectorParts, value);
  return __builtin_bit_cast(
      Integers, (IntegerParts{_mm256_cvtps_epi32(parts.low), _mm256_cvtps_epi32(parts.high)}));
#else
  const Vector lower = choose(value > splat(-32768.0f), value, splat(-32768.0f));
  return __builtin_convertvector(roundedToEven(least(lower, splat(32767.0f))), Integers);
#endif
}

/// To the nearest, halves to the even one. Not-a-number is some number.
CK_INLINE Shorts roundedShorts(Vector value) {
#if CK_LEVEL >= 2
  return __builtin_bit_cast(
      Shorts, _mm512_cvtsepi32_epi16(_mm512_cvtps_epi32(__builtin_bit_cast(__m512, value))));
#elif CK_LEVEL == 1
  const VectorParts parts = __builtin_bit_cast(VectorParts, value);
  const __m256i mixed =
      _mm256_packs_epi32(_mm256_cvtps_epi32(parts.low), _mm256_cvtps_epi32(parts.high));
  return __builtin_bit_cast(Shorts, _mm256_permute4x64_epi64(mixed, 0xd8));
#else
  return __builtin_convertvector(roundedIntegers(value), Shorts);
#endif
}

/// `sum + a.low · b.low + a.high · b.high`
CK_INLINE Integers addProducts(Integers sum, Bits a, Bits b) {
#if CK_LEVEL >= 2
  return sum
      + __builtin_bit_cast(Integers,
          _mm512_madd_epi16(__builtin_bit_cast(__m512i, a), __builtin_bit_cast(__m512i, b)));
#elif CK_LEVEL == 1
  const IntegerParts x = __builtin_bit_cast(IntegerParts, a);
  const IntegerParts y = __builtin_bit_cast(IntegerParts, b);
  return sum
      + __builtin_bit_cast(Integers,
          (IntegerParts{_mm256_madd_epi16(x.low, y.low), _mm256_madd_epi16(x.high, y.high)}));
#else
  const Integers x = __builtin_bit_cast(Integers, a), y = __builtin_bit_cast(Integers, b);
  const Integers lowX = __builtin_bit_cast(Integers, a << 16) >> 16;
  const Integers lowY = __builtin_bit_cast(Integers, b << 16) >> 16;
  return sum + lowX * lowY + (x >> 16) * (y >> 16);
#endif
}

// MARK: Windows

template <typename Window>
CK_INLINE float windowScale(const Window *, const float *) {
  return 1.0f;
}
CK_INLINE float windowScale(const int16_t *, const float *quantum) { return 1.0f / *quantum; }

template <typename Window>
CK_INLINE void storeWindow(Window *to, Vector value, Vector) {
  store(to, value);
}
CK_INLINE void storeWindow(int16_t *to, Vector value, Vector scale) {
  *reinterpret_cast<LooseShorts *>(to) = roundedShorts(value * scale);
}

/// A bfloat16's bits as a number of the same order, and back; not-a-number stands at either end.
CK_INLINE Shorts ordered(Shorts bits) { return bits ^ ((bits >> 15) & (Shorts)(0x7fff)); }

/// The largest magnitude of what is read of some columns; not a number where one of them is none. Through a norm,
/// channels fill whole vectors.
template <Read R>
static float largestOf(
    const Reading &reading, const Brain *const *rows, int height, int64_t first, int64_t end,
    int64_t channels) {
  if constexpr (R == Read::plain) {
    // Magnitudes are in the order of their bits.
    Shorts most = (Shorts)(0);
    int16_t other = 0;
    for (int i = 0; i < height; ++i) {
      if (!rows[i]) continue;
      const Brain *at = rows[i] + first * channels, *last = rows[i] + end * channels;
      for (; at + 16 <= last; at += 16)
        most = __builtin_elementwise_max(
            most, *reinterpret_cast<const LooseShorts *>(at) & (Shorts)(0x7fff));
      for (; at < last; ++at) {
        const int16_t bits = static_cast<int16_t>(at->bits & 0x7fff);
        if (bits > other) other = bits;
      }
    }
    const int16_t largest = __builtin_reduce_max(most);
    return toFloat(Brain{static_cast<uint16_t>(largest > other ? largest : other)});
  }
  // Beside the picture there is nothing to read.
  bool isEmpty = true;
  for (int i = 0; i < height; ++i) isEmpty = isEmpty && !rows[i];
  if (isEmpty) return 0.0f;
  // A norm leaves the order as it is, or turns it round.
  Vector most = splat(0.0f);
  for (int64_t c = 0; c < channels; c += 16) {
    const ChannelNorm norm = channelNorm<R>(reading, channels, c);
    Shorts low = (Shorts)(0x7fff), high = (Shorts)(-0x8000);
    for (int i = 0; i < height; ++i) {
      if (!rows[i]) continue;
      for (const Brain *at = rows[i] + first * channels + c; at < rows[i] + end * channels;
           at += channels) {
        const Shorts value = ordered(*reinterpret_cast<const LooseShorts *>(at));
        low = __builtin_elementwise_min(low, value);
        high = __builtin_elementwise_max(high, value);
      }
    }
    for (const Shorts bits : {ordered(low), ordered(high)}) {
      const Vector value =
          absolute(readThrough<R>(norm, widenBrain(__builtin_bit_cast(Halves, bits))));
      most = choose((value > most) | (value != value), value, most);
    }
  }
  float largest = 0;
  for (int lane = 0; lane < 16; ++lane)
    if (most[lane] > largest || most[lane] != most[lane]) largest = most[lane];
  return largest;
}

/// What the windows of some tiles of one row are multiples of. It depends on the picture alone, not on which tiles
/// stand in one block.
template <typename Square, Read R>
static void windowQuanta(
    const WinogradBlock &block, const Reading &reading, const Brain *const *rows, int64_t tileX,
    int64_t tiles, float *quanta) {
  constexpr int64_t step = Square::step;
  for (int64_t tile = tileX, end = tileX + tiles; tile < end;) {
    const int64_t begins = tile / kQuantumTiles * kQuantumTiles;
    const int64_t ends =
        begins + kQuantumTiles < block.tilesX ? begins + kQuantumTiles : block.tilesX;
    const int64_t left = begins * step - block.padLeft;
    const int64_t right = (ends - 1) * step + Square::seen - block.padLeft;
    const int64_t from = left < 0 ? 0 : left;
    const int64_t to = right < block.inputWidth ? right : block.inputWidth;
    float largest = 0;
    if (from < to)
      largest = largestOf<R>(reading, rows, Square::seen, from, to, block.inputChannels);
    if (largest < kLeastLargest) largest = kLeastLargest;
    for (; tile < (ends < end ? ends : end); ++tile)
      quanta[tile - tileX] = largest * (Square::growth * Square::growth / kMostWindow);
  }
}

// MARK: Kernels

/// Sums of kernels' magnitudes for 16 outputs, by position, from which their quanta follow.
template <int Count>
struct KernelSums {
  Vector sum[Count], largestSum[Count], largest[Count];
};

template <int Count>
CK_INLINE void endSums(KernelSums<Count> &sums) {
  for (int i = 0; i < Count; ++i) {
    const Vector sum = sums.sum[i], largest = sums.largestSum[i];
    sums.largestSum[i] = choose((sum > largest) | (sum != sum), sum, largest);
    sums.sum[i] = splat(0.0f);
  }
}

/// Adds the kernels of one input channel.
template <int Count>
CK_INLINE void addKernels(KernelSums<Count> &sums, const Vector *kernels, int64_t input) {
  if (input % kSummedInputs == 0) endSums(sums);
  for (int i = 0; i < Count; ++i) {
    const Vector magnitude = absolute(kernels[i]);
    sums.sum[i] += magnitude;
    sums.largest[i] = greatest(magnitude, sums.largest[i]);
  }
}

template <int Count>
CK_INLINE Vector kernelQuantum(const KernelSums<Count> &sums, int position) {
  const Vector bySum = sums.largestSum[position] * splat(1 / kMostKernelSum);
  const Vector byLargest = sums.largest[position] * splat(1 / kMostKernel);
  // Not a number where the sum is none.
  return greatest(splat(kLeastLargest), greatest(byLargest, bySum));
}

/// Rounds the kernels `[input, 16]` of one position, and stores pairs of inputs `[pair, 16, 2]`.
CK_INLINE void storeKernels(
    const float *from, int64_t inputs, Vector scale, int16_t *to, int64_t pairStride) {
  for (int64_t input = 0; input < inputs; input += 2) {
    const Shorts even = roundedShorts(load(from + input * 16) * scale);
    const Shorts odd = roundedShorts(load(from + (input + 1) * 16) * scale);
    const Bits low = __builtin_convertvector(__builtin_bit_cast(Halves, even), Bits);
    const Bits high = __builtin_convertvector(__builtin_bit_cast(Halves, odd), Bits);
    *reinterpret_cast<LooseBits *>(to + input / 2 * pairStride) = low | high << 16;
  }
}

// MARK: Products

/// P tiles times NB · 16 outputs, as `multiplyTile`; results are sums times both quanta.
template <int P, int NB>
static void multiplyIntegers(
    const int16_t *windows, const int16_t *kernels, int64_t channels, const float *windowQuanta,
    const float *kernelQuanta, float *result) {
  constexpr int bases = (P + 2) / 3;
  for (int64_t first = 0; first < channels; first += kSummedInputs) {
    const int64_t end = first + kSummedInputs < channels ? first + kSummedInputs : channels;
    Integers sums[P][NB];
    for (int p = 0; p < P; ++p)
      for (int n = 0; n < NB; ++n) sums[p][n] = (Integers)(0);
    const int16_t *base[bases];
    for (int i = 0; i < bases; ++i) base[i] = windows + first + 3 * i * channels;
    const int16_t *w = kernels + first * NB * 16;
#pragma clang loop unroll(disable)
    for (int64_t k = first; k < end; k += 2) {
      Bits b[NB];
#pragma clang loop unroll(full)
      for (int n = 0; n < NB; ++n) b[n] = *reinterpret_cast<const LooseBits *>(w + n * 32);
#pragma clang loop unroll(full)
      for (int p = 0; p < P; ++p) {
        uint32_t pair;
        __builtin_memcpy(&pair, base[p / 3] + (p % 3) * channels, 4);
#pragma clang loop unroll(full)
        for (int n = 0; n < NB; ++n) sums[p][n] = addProducts(sums[p][n], (Bits)(pair), b[n]);
      }
      w += NB * 32;
#pragma clang loop unroll(full)
      for (int i = 0; i < bases; ++i) {
        base[i] += 2;
        // As in `multiplyTile`.
        __asm__("" : "+r"(base[i]));
      }
    }
    for (int n = 0; n < NB; ++n) {
      const Vector quantum = load(kernelQuanta + n * 16);
      for (int p = 0; p < P; ++p) {
        float *to = result + (p * NB + n) * 16;
        const Vector sum =
            __builtin_convertvector(sums[p][n], Vector) * (quantum * splat(windowQuanta[p]));
        store(to, first ? load(to) + sum : sum);
      }
    }
  }
}

static void multiplyIntegersOf(
    int vectors, const int16_t *windows, const int16_t *kernels, int64_t channels,
    const float *windowQuanta, const float *kernelQuanta, float *result) {
  const auto multiply =
#if CK_LEVEL >= 2
      vectors == 1       ? multiplyIntegers<18, 1>
          : vectors == 2 ? multiplyIntegers<12, 2>
          : vectors == 3 ? multiplyIntegers<8, 3>
                         : multiplyIntegers<6, 4>;
#else
      multiplyIntegers<CK_LEVEL == 1 ? 6 : 2, 1>;
  (void)vectors;
#endif
  multiply(windows, kernels, channels, windowQuanta, kernelQuanta, result);
}
