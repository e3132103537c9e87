// Included once per instruction set, after Vector.hpp and Functions.hpp.

typedef int8_t Weights __attribute__((ext_vector_type(64)));

/// The weights of 16 outputs for four inputs, in the layout that this instruction set multiplies.
struct Quads {
#if CK_VNNI
  Weights all;
  CK_INLINE Quads from(const int8_t *weights) { return {*(const Weights *)weights}; }
#else
  /// `even` holds the weights of the first and third input, `odd` those of the second and fourth, each in 16 bits.
  Integers even, odd;
  CK_INLINE Quads from(const int8_t *weights) {
    typedef int16_t Shorts __attribute__((ext_vector_type(32)));
    const Shorts pairs = __builtin_bit_cast(Shorts, *(const Weights *)weights);
    return {__builtin_bit_cast(Integers, (pairs << 8) >> 8), __builtin_bit_cast(Integers, pairs >> 8)};
  }
#endif
};

#if !CK_VNNI
/// Adds two products to each lane of `sums`: the products of the lower and of the upper 16 bits of that lane in `a` and
/// `b`.
CK_INLINE Integers addPairs(Integers sums, Integers a, Integers b) {
#if CK_LEVEL >= 2
  return sums
      + __builtin_bit_cast(Integers,
          _mm512_madd_epi16(__builtin_bit_cast(__m512i, a), __builtin_bit_cast(__m512i, b)));
#elif CK_LEVEL == 1
  struct Parts {
    __m256i low, high;
  };
  const Parts x = __builtin_bit_cast(Parts, a), y = __builtin_bit_cast(Parts, b);
  return sums
      + __builtin_bit_cast(
          Integers, (Parts{_mm256_madd_epi16(x.low, y.low), _mm256_madd_epi16(x.high, y.high)}));
#elif defined(__SSE2__)
  struct Parts {
    __m128i quarters[4];
  };
  Parts x = __builtin_bit_cast(Parts, a);
  const Parts y = __builtin_bit_cast(Parts, b);
  for (int i = 0; i < 4; ++i) x.quarters[i] = _mm_madd_epi16(x.quarters[i], y.quarters[i]);
  return sums + __builtin_bit_cast(Integers, x);
#else
  // Sign-extends both 16-bit halves of each lane and multiplies them.
  return sums + ((a << 16) >> 16) * ((b << 16) >> 16) + (a >> 16) * (b >> 16);
#endif
}
#endif

/// Multiplies four bytes by four weights in each lane, and adds the four products to that lane of `sums`, exactly.
CK_INLINE Integers addProducts(Integers sums, Bits bytes, const Quads &weights) {
#if CK_VNNI && CK_LEVEL >= 2
  return __builtin_bit_cast(Integers,
      _mm512_dpbusd_epi32(__builtin_bit_cast(__m512i, sums), __builtin_bit_cast(__m512i, bytes),
          __builtin_bit_cast(__m512i, weights.all)));
#elif CK_VNNI
  struct Parts {
    __m256i low, high;
  };
  const Parts s = __builtin_bit_cast(Parts, sums), x = __builtin_bit_cast(Parts, bytes),
              w = __builtin_bit_cast(Parts, weights.all);
  return __builtin_bit_cast(
      Integers, (Parts{_mm256_dpbusd_avx_epi32(s.low, x.low, w.low),
                    _mm256_dpbusd_avx_epi32(s.high, x.high, w.high)}));
#else
  const Integers even = __builtin_bit_cast(Integers, bytes & 0x00ff00ffu);
  const Integers odd = __builtin_bit_cast(Integers, (bytes >> 8) & 0x00ff00ffu);
  return addPairs(addPairs(sums, even, weights.even), odd, weights.odd);
#endif
}

/// The operations that convert the sums of 16 outputs to results, for one block.
struct QuantizedFinish {
  /// The bounds of a real result, or of a scaled result if results are quantised.
  Vector lower, upper, scale, first;

  __attribute__((always_inline)) explicit QuantizedFinish(const ck_quantized_convolution &layer) {
    const float endless = __builtin_inff();
    const bool clips = layer.activation == CK_CLIP;
    float low = clips ? layer.alpha : layer.activation == CK_RELU ? 0.0f : -endless;
    float high = clips ? layer.beta : endless;
    first = splat(static_cast<float>(layer.least));
    scale = splat(layer.scale);
    if (layer.quantizes_result) {
      // Scaling and rounding keep the order of numbers, so the bounds can be applied after the scaling.
      low = low * layer.scale;
      high = high * layer.scale;
      const float least = static_cast<float>(layer.least);
      const float greatest = static_cast<float>(layer.greatest);
      // The range of quantised results is applied after the activation, so each bound is clamped to that range.
      low = low > greatest ? greatest : low > least ? low : least;
      high = high < least ? least : high < greatest ? high : greatest;
    }
    lower = splat(low);
    upper = splat(high);
  }

  /// Whether an activation is fully described by a lower and an upper bound.
  static bool isStraight(ck_function activation) {
    return activation == CK_IDENTITY || activation == CK_RELU || activation == CK_CLIP;
  }

  /// Stores the first `some` of the real numbers, either unchanged or quantised. In quantised results, not-a-number
  /// becomes the least value.
  __attribute__((always_inline)) void storeResults(
      const QuantizedBlock &block, Vector real, int64_t offset, int64_t some) const {
    if (!block.layer->quantizes_result) {
      const Vector value = choose(real < lower, lower, real);
      float *to = static_cast<float *>(block.destination) + offset;
      return storeSome(to, choose(value > upper, upper, value), some);
    }
    const Vector value = roundedToEven(least(greatest(real * scale, lower), upper)) - first;
    const Octets bytes = __builtin_convertvector(__builtin_convertvector(value, Integers), Octets);
    uint8_t *to = static_cast<uint8_t *>(block.destination) + offset;
    if (some == 16)
      *(LooseOctets *)to = bytes;
    else
      __builtin_memcpy(to, &bytes, static_cast<size_t>(some));
  }
};

/// Computes factor · (sum + bias), with a rounding after each step, whatever the instruction set.
CK_INLINE Vector realNumbers(Bits sums, Vector factors, Vector bias) {
#pragma clang fp contract(off)
  const Vector shifted =
      __builtin_convertvector(__builtin_bit_cast(Integers, sums), Vector) + bias;
  return shifted * factors;
}

/// Applies an activation that bounds do not describe.
__attribute__((noinline)) static void activateSome(const ck_quantized_convolution &layer, float *real) {
  store(real, activate(layer.activation, load(real), splat(layer.alpha), splat(layer.beta)));
}

CK_INLINE Vector activated(const ck_quantized_convolution &layer, Vector real) {
  alignas(64) float numbers[16];
  store(numbers, real);
  activateSome(layer, numbers);
  return load(numbers);
}

/// Computes `P` neighbouring pixels of `V` vectors of 16 outputs. With `isDepthwise`, each output reads only its own
/// input channel.
template <int P, int V, bool isDepthwise>
static void quantizedTile(const QuantizedBlock &block, int64_t pixel) {
  const ck_quantized_convolution &layer = *block.layer;
  const int64_t step = layer.stride_width * layer.input_channels;
  const uint8_t *inputs[P];
  int64_t y = pixel / layer.output_width, x = pixel % layer.output_width;
  for (int p = 0; p < P; ++p) {
    inputs[p] = block.source + y * layer.stride_height * block.rowStride + x * step + block.input;
    if (++x == layer.output_width) x = 0, ++y;
  }
  Bits sums[V][P];
#pragma clang loop unroll(full)
  for (int v = 0; v < V; ++v) {
    // The packed sums are padded to whole blocks of 16.
    const Bits all = *reinterpret_cast<const LooseBits *>(block.sums + 16 * v);
    const Bits start = all * static_cast<uint32_t>(-layer.zero);
#pragma clang loop unroll(full)
    for (int p = 0; p < P; ++p) sums[v][p] = start;
  }
  const int8_t *weights = block.weights;
  for (int64_t row = 0; row < block.rows; ++row) {
    for (int64_t run = 0; run < block.runs; ++run) {
      const int64_t from = row * layer.dilation_height * block.rowStride
          + run * layer.dilation_width * layer.input_channels;
      for (int64_t k = 0; k < block.length; ++k, weights += 64) {
        Quads quads[V];
#pragma clang loop unroll(full)
        for (int v = 0; v < V; ++v) quads[v] = Quads::from(weights + v * block.vectorStride);
#pragma clang loop unroll(full)
        for (int p = 0; p < P; ++p) {
          Bits bytes;
          if (isDepthwise) {
            bytes = __builtin_convertvector(*(const LooseOctets *)(inputs[p] + from), Bits);
          } else {
            uint32_t four;
            __builtin_memcpy(&four, inputs[p] + from + 4 * k, 4);
            bytes = (Bits)(four);
          }
#pragma clang loop unroll(full)
          for (int v = 0; v < V; ++v)
            sums[v][p] = __builtin_bit_cast(
                Bits, addProducts(__builtin_bit_cast(Integers, sums[v][p]), bytes, quads[v]));
        }
      }
    }
  }
  const QuantizedFinish finish(layer);
  const bool isStraight = QuantizedFinish::isStraight(layer.activation);
#pragma clang loop unroll(full)
  for (int v = 0; v < V; ++v) {
    const int64_t left = block.outputs - 16 * v, some = left < 16 ? left : 16;
    const int64_t output = block.output + 16 * v;
    const Vector factors = loadSome(block.factors + output, some);
    const Vector bias = loadSome(block.bias + output, some);
#pragma clang loop unroll(full)
    for (int p = 0; p < P; ++p) {
      Vector real = realNumbers(sums[v][p], factors, bias);
      if (!isStraight) real = activated(layer, real);
      finish.storeResults(block, real, (pixel + p) * layer.output_channels + output, some);
    }
  }
}

/// Computes all pixels of the block in tiles. The last tile overlaps the tile before it, so that the last tile ends
/// with the last pixel.
template <int P, int V, bool isDepthwise = false>
static void quantizedTiles(const QuantizedBlock &block) {
  int64_t pixel = block.firstPixel;
  if (block.endPixel - pixel < P) {
    for (; pixel < block.endPixel; ++pixel) quantizedTile<1, V, isDepthwise>(block, pixel);
    return;
  }
  for (; pixel < block.endPixel; pixel += P)
    quantizedTile<P, V, isDepthwise>(block, pixel + P > block.endPixel ? block.endPixel - P : pixel);
}

static void quantizedBlock(const QuantizedBlock &block) {
#if CK_LEVEL >= 2
  if (block.isDepthwise) return quantizedTiles<8, 1, true>(block);
  switch ((block.outputs + 15) / 16) {
    case 1: return quantizedTiles<12, 1>(block);
    case 2: return quantizedTiles<8, 2>(block);
    case 3: return quantizedTiles<7, 3>(block);
    default: return quantizedTiles<6, 4>(block);
  }
#elif CK_LEVEL == 1
  block.isDepthwise ? quantizedTiles<6, 1, true>(block) : quantizedTiles<6, 1>(block);
#else
  block.isDepthwise ? quantizedTiles<2, 1, true>(block) : quantizedTiles<2, 1>(block);
#endif
}
