// Included once per instruction set, after QuantizedConvolution.inl.hpp: products of rows that are quantised when they
// are read.

/// The number of bytes of a quantised value of a row. Instruction sets without VNNI multiply 16-bit integers.
#if CK_VNNI
typedef int8_t RowValue;
#else
typedef int16_t RowValue;
#endif

/// Quantises a row. Values are in groups of four. Without VNNI, the order in a group is 0, 2, 1, 3, so that the halves
/// of a group face the even and the odd bytes of the weights.
static void quantizeRow(const DynamicRow &row) {
  typedef RowValue Values __attribute__((ext_vector_type(16), aligned(2)));
  Vector most = splat(0.0f), poison = splat(0.0f);
  for (int64_t i = 0; i < row.count; i += 16) {
    const Vector x = loadSome(row.source + i, row.count - i);
    most = greatest(absolute(x), most);
    // NaN if x is NaN or infinite.
    poison = poison + (x - x);
  }
  float largest = 0, sum = 0;
  for (int lane = 0; lane < 16; ++lane) {
    largest = most[lane] > largest ? most[lane] : largest;
    sum += poison[lane];
  }
  const float factor = 127.0f / largest;
  const bool isFinite = sum == sum, isZero = !(factor < __builtin_inff());
  *row.scale = isFinite ? isZero ? 0.0f : largest / 127.0f : __builtin_nanf("");
  RowValue *to = static_cast<RowValue *>(row.values);
  if (!isFinite || isZero) {
    __builtin_memset(to, 0, static_cast<size_t>(row.padded) * sizeof(RowValue));
    for (int64_t first = 0, block = 0; first < row.count; first += row.block) row.sums[block++] = 0;
    return;
  }
  for (int64_t first = 0, block = 0; first < row.count; first += row.block, ++block) {
    const int64_t end = first + row.block;
    Integers sums = (Integers)(0);
    for (int64_t i = first; i < end; i += 16) {
      const Vector x = loadSome(row.source + i, end - i);
      Integers values = __builtin_convertvector(roundedToEven(x * splat(factor)), Integers);
      sums += values;
#if !CK_VNNI
      values = __builtin_shufflevector(values, values, 0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15);
#endif
      *reinterpret_cast<Values *>(to + i) = __builtin_convertvector(values, Values);
    }
    int32_t all = 0;
    for (int lane = 0; lane < 16; ++lane) all += sums[lane];
    row.sums[block] = all;
  }
}

/// The weights of 16 columns for four elements of the rows: unsigned bytes.
struct DynamicQuads {
#if CK_VNNI
  Bits all;
  CK_INLINE DynamicQuads from(Bits bytes) { return {bytes}; }
#else
  /// `even` holds the first and third byte of each column, `odd` the second and fourth, each in 16 bits.
  Integers even, odd;
  CK_INLINE DynamicQuads from(Bits bytes) {
    return {__builtin_bit_cast(Integers, bytes & 0x00ff00ffu),
        __builtin_bit_cast(Integers, (bytes >> 8) & 0x00ff00ffu)};
  }
#endif
};

/// Four values of a row, repeated for each column.
struct RowQuad {
#if CK_VNNI
  Integers all;
  CK_INLINE RowQuad from(const int8_t *values) {
    int32_t four;
    __builtin_memcpy(&four, values, 4);
    return {(Integers)(four)};
  }
#else
  Integers even, odd;
  CK_INLINE RowQuad from(const int16_t *values) {
    int32_t pairs[2];
    __builtin_memcpy(pairs, values, 8);
    return {(Integers)(pairs[0]), (Integers)(pairs[1])};
  }
#endif
};

/// Adds the four products of each column to that column's lane of `sums`, exactly.
CK_INLINE Integers addDynamicProducts(Integers sums, const DynamicQuads &weights, const RowQuad &row) {
#if CK_VNNI && CK_LEVEL >= 2
  return __builtin_bit_cast(Integers,
      _mm512_dpbusd_epi32(__builtin_bit_cast(__m512i, sums), __builtin_bit_cast(__m512i, weights.all),
          __builtin_bit_cast(__m512i, row.all)));
#elif CK_VNNI
  struct Parts {
    __m256i low, high;
  };
  const Parts s = __builtin_bit_cast(Parts, sums), w = __builtin_bit_cast(Parts, weights.all),
              x = __builtin_bit_cast(Parts, row.all);
  return __builtin_bit_cast(
      Integers, (Parts{_mm256_dpbusd_avx_epi32(s.low, w.low, x.low),
                    _mm256_dpbusd_avx_epi32(s.high, w.high, x.high)}));
#else
  return addPairs(addPairs(sums, weights.even, row.even), weights.odd, row.odd);
#endif
}

/// Computes sum + factor · product with a rounding after each step, whatever the instruction set.
CK_INLINE Vector addScaled(Vector sum, Integers product, Vector factor) {
#pragma clang fp contract(off)
  const Vector scaled = __builtin_convertvector(product, Vector) * factor;
  return sum + scaled;
}

/// Computes total · scale + bias with a rounding after each step, whatever the instruction set.
CK_INLINE Vector dynamicResult(Vector total, float scale, Vector bias) {
#pragma clang fp contract(off)
  const Vector scaled = total * splat(scale);
  return scaled + bias;
}

/// Applies an activation to rows of results in place.
__attribute__((noinline)) static void activateDynamic(
    const DynamicBlock &block, float *results, int64_t rows, int64_t columns) {
  const ck_dynamic_product &product = *block.product;
  const Vector alpha = splat(product.alpha), beta = splat(product.beta);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t c = 0; c < columns; c += 16) {
      float *to = results + row * product.columns + c;
      Vector value = activate(product.activation, loadSome(to, columns - c), alpha, beta);
      if (product.rounds) value = roundToHalf(value);
      storeSome(to, value, columns - c);
    }
}

/// Computes `rows` results, at most `P`, of each of `V` vectors of columns.
template <int P, int V, int bits>
static void dynamicTile(const DynamicBlock &block, int64_t first, int64_t rows) {
  const ck_dynamic_product &product = *block.product;
  const int64_t blocks = product.inner / product.block;
  const RowValue *values[P];
  const int32_t *rowSums[P];
#pragma clang loop unroll(full)
  for (int p = 0; p < P; ++p) {
    // Rows after the last one are computed from it again, and not stored.
    const int64_t row = first + (p < rows ? p : rows - 1);
    values[p] = static_cast<const RowValue *>(block.values) + row * block.rowStride;
    rowSums[p] = block.rowSums + row * blocks;
  }
  Vector totals[V][P];
#pragma clang loop unroll(full)
  for (int v = 0; v < V; ++v)
#pragma clang loop unroll(full)
    for (int p = 0; p < P; ++p) totals[v][p] = splat(0.0f);
  const uint8_t *weights = block.weights;
  for (int64_t index = 0; index < blocks; ++index) {
    Integers sums[V][P];
#pragma clang loop unroll(full)
    for (int v = 0; v < V; ++v) {
      const Integers zeros = __builtin_bit_cast(
          Integers, *reinterpret_cast<const LooseBits *>(block.zeros + index * block.scaleStride + 16 * v));
#pragma clang loop unroll(full)
      for (int p = 0; p < P; ++p) sums[v][p] = zeros * (Integers)(-rowSums[p][index]);
    }
    const int64_t begin = index * product.block, end = begin + product.block;
    for (int64_t k = begin; k < end; k += 32 / bits) {
      DynamicQuads quads[V];
#pragma clang loop unroll(full)
      for (int v = 0; v < V; ++v) {
        Bits bytes = *reinterpret_cast<const LooseBits *>(weights + 64 * v);
        if (bits == 4) bytes = bytes & 0x0f0f0f0fu;
        quads[v] = DynamicQuads::from(bytes);
      }
#pragma clang loop unroll(full)
      for (int p = 0; p < P; ++p) {
        const RowQuad row = RowQuad::from(values[p] + k);
#pragma clang loop unroll(full)
        for (int v = 0; v < V; ++v) sums[v][p] = addDynamicProducts(sums[v][p], quads[v], row);
      }
      if (bits == 4) {
#pragma clang loop unroll(full)
        for (int v = 0; v < V; ++v) {
          const Bits bytes = *reinterpret_cast<const LooseBits *>(weights + 64 * v);
          quads[v] = DynamicQuads::from((bytes >> 4) & 0x0f0f0f0fu);
        }
#pragma clang loop unroll(full)
        for (int p = 0; p < P; ++p) {
          const RowQuad row = RowQuad::from(values[p] + k + 4);
#pragma clang loop unroll(full)
          for (int v = 0; v < V; ++v) sums[v][p] = addDynamicProducts(sums[v][p], quads[v], row);
        }
      }
      weights += 64 * V;
    }
#pragma clang loop unroll(full)
    for (int v = 0; v < V; ++v) {
      const Vector scales = load(block.scales + index * block.scaleStride + 16 * v);
#pragma clang loop unroll(full)
      for (int p = 0; p < P; ++p) totals[v][p] = addScaled(totals[v][p], sums[v][p], scales);
    }
  }
  const bool isStraight = QuantizedFinish::isStraight(product.activation);
  const bool rounds = product.rounds != 0, clips = product.activation == CK_CLIP;
  Vector lower = splat(clips ? product.alpha : product.activation == CK_RELU ? 0.0f : -__builtin_inff());
  Vector upper = splat(clips ? product.beta : __builtin_inff());
  if (rounds) lower = roundToHalf(lower), upper = roundToHalf(upper);
#pragma clang loop unroll(full)
  for (int v = 0; v < V; ++v) {
    const int64_t column = block.column + 16 * v, left = product.columns - column;
    const int64_t some = left < 16 ? left : 16;
    const Vector bias = block.bias ? loadSome(block.bias + column, some) : splat(0.0f);
#pragma clang loop unroll(full)
    for (int p = 0; p < P; ++p) {
      if (p >= rows) break;
      const int64_t at = (first + p) * product.columns + column;
      Vector value = dynamicResult(totals[v][p], block.rowScales[first + p], bias);
      if (rounds) value = roundToHalf(value);
      if (block.residual) {
        value += loadSome(block.residual + at, some);
        if (rounds) value = roundToHalf(value);
      }
      value = choose(value < lower, lower, value);
      storeSome(block.destination + at, choose(value > upper, upper, value), some);
    }
  }
  if (isStraight) return;
  const int64_t left = product.columns - block.column;
  activateDynamic(block, block.destination + first * product.columns + block.column, rows,
      left < 16 * V ? left : 16 * V);
}

template <int P, int V, int bits>
static void dynamicTiles(const DynamicBlock &block) {
  int64_t row = block.firstRow;
  while (row < block.endRow) {
    const int64_t left = block.endRow - row;
    if (left == 1) {
      dynamicTile<1, V, bits>(block, row, 1);
      return;
    }
    const int64_t some = left < P ? left : P;
    dynamicTile<P, V, bits>(block, row, some);
    row += some;
  }
}

template <int bits>
static void dynamicBlockOf(const DynamicBlock &block) {
#if CK_LEVEL >= 2 && CK_VNNI
  switch (block.vectors) {
    case 1: return dynamicTiles<8, 1, bits>(block);
    case 2: return dynamicTiles<8, 2, bits>(block);
    case 3: return dynamicTiles<7, 3, bits>(block);
    default: return dynamicTiles<6, 4, bits>(block);
  }
#elif CK_LEVEL >= 2
  block.vectors == 1 ? dynamicTiles<8, 1, bits>(block) : dynamicTiles<8, 2, bits>(block);
#elif CK_LEVEL == 1
  dynamicTiles<CK_VNNI ? 6 : 4, 1, bits>(block);
#else
  dynamicTiles<2, 1, bits>(block);
#endif
}

static void dynamicBlock(const DynamicBlock &block) {
  block.product->bits == 4 ? dynamicBlockOf<4>(block) : dynamicBlockOf<8>(block);
}

/// The number of vectors of columns in a panel of weights.
constexpr int kDynamicVectors = CK_LEVEL < 2 ? 1 : CK_VNNI ? 4 : 2;
