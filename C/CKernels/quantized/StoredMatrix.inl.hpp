// Included once per instruction set, after Vector.hpp: products with matrices that stay compressed.

/// Reads sixteen elements of `bits` bits each from bit 0 of `from` on, without sign extension. Reads no byte after
/// the last element.
template <int bits>
CK_INLINE Bits storedElements(const uint8_t *from) {
  if constexpr (bits == 8) {
    typedef uint8_t Bytes __attribute__((ext_vector_type(16), aligned(1)));
    return __builtin_convertvector(*(const Bytes *)from, Bits);
  } else if constexpr (bits == 4) {
    uint32_t parts[2];
    std::memcpy(parts, from, 8);
    const Bits shifts = {0, 4, 8, 12, 16, 20, 24, 28, 0, 4, 8, 12, 16, 20, 24, 28};
    const Bits words = __builtin_shufflevector(
        (Bits)(parts[0]), (Bits)(parts[1]), 0, 0, 0, 0, 0, 0, 0, 0, 16, 16, 16, 16, 16, 16, 16, 16);
    return (words >> shifts) & 15u;
  } else if constexpr (bits == 2) {
    uint32_t part;
    std::memcpy(&part, from, 4);
    const Bits shifts = {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30};
    return ((Bits)(part) >> shifts) & 3u;
  } else if constexpr (bits == 1) {
    uint16_t part;
    std::memcpy(&part, from, 2);
    const Bits shifts = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return ((Bits)(static_cast<uint32_t>(part)) >> shifts) & 1u;
  } else if constexpr (bits == 3) {
    // Eight elements fill 24 bits.
    uint32_t low;
    uint16_t high;
    std::memcpy(&low, from, 4);
    std::memcpy(&high, from + 4, 2);
    const Bits shifts = {0, 3, 6, 9, 12, 15, 18, 21, 0, 3, 6, 9, 12, 15, 18, 21};
    const uint32_t second = (low >> 24) | (static_cast<uint32_t>(high) << 8);
    const Bits words = __builtin_shufflevector(
        (Bits)(low), (Bits)(second), 0, 0, 0, 0, 0, 0, 0, 0, 16, 16, 16, 16, 16, 16, 16, 16);
    return (words >> shifts) & 7u;
  } else {
    // Four elements fill 24 bits.
    uint32_t parts[3];
    std::memcpy(parts, from, 12);
    const Bits shifts = {0, 6, 12, 18, 0, 6, 12, 18, 0, 6, 12, 18, 0, 6, 12, 18};
    const Bits low = __builtin_shufflevector(
        (Bits)(parts[0]), (Bits)((parts[0] >> 24) | (parts[1] << 8)), 0, 0, 0, 0, 16, 16, 16, 16, 0,
        0, 0, 0, 0, 0, 0, 0);
    const Bits high = __builtin_shufflevector(
        (Bits)((parts[1] >> 16) | (parts[2] << 16)), (Bits)(parts[2] >> 8), 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 16, 16, 16, 16);
    const Bits words = __builtin_shufflevector(
        low, high, 0, 1, 2, 3, 4, 5, 6, 7, 24, 25, 26, 27, 28, 29, 30, 31);
    return (words >> shifts) & 63u;
  }
}

template <int bits>
CK_INLINE Vector storedLookup(const float *table, Bits elements) {
#if CK_LEVEL >= 2
  const __m512i indices = __builtin_bit_cast(__m512i, elements);
  if constexpr (bits <= 4) {
    const __m512 all = _mm512_maskz_loadu_ps(
        static_cast<__mmask16>((1u << (1 << bits)) - 1u), table);
    return __builtin_bit_cast(Vector, _mm512_permutexvar_ps(indices, all));
  } else if constexpr (bits == 6) {
    const __m512 low = _mm512_permutex2var_ps(
        _mm512_loadu_ps(table), indices, _mm512_loadu_ps(table + 16));
    const __m512 high = _mm512_permutex2var_ps(
        _mm512_loadu_ps(table + 32), indices, _mm512_loadu_ps(table + 48));
    const __mmask16 isHigh = _mm512_test_epi32_mask(indices, _mm512_set1_epi32(32));
    return __builtin_bit_cast(Vector, _mm512_mask_blend_ps(isHigh, low, high));
  } else {
    return __builtin_bit_cast(Vector, _mm512_i32gather_ps(indices, table, 4));
  }
#else
  Vector result;
  for (int i = 0; i < 16; ++i) result[i] = table[elements[i]];
  return result;
#endif
}

/// Converts sixteen elements of a row to float32.
template <ck_stored_kind kind, int bits>
CK_INLINE Vector storedNumbers(const uint8_t *from, const float *table) {
  if constexpr (kind == CK_STORED_FLOAT16) {
    return load(reinterpret_cast<const Half *>(from));
  } else if constexpr (kind == CK_STORED_BFLOAT16) {
    return load(reinterpret_cast<const BFloat16 *>(from));
  } else {
    const Bits elements = storedElements<bits>(from);
    if constexpr (kind == CK_STORED_PALETTE) return storedLookup<bits>(table, elements);
    Integers integers = __builtin_bit_cast(Integers, elements);
    if constexpr (kind == CK_STORED_SIGNED) integers = (integers << (32 - bits)) >> (32 - bits);
    return __builtin_convertvector(integers, Vector);
  }
}

/// Widens elements `first ..< first + count` of a row to float32, and fills up the last vector with zeros. `first` is a
/// multiple of 16.
template <ck_stored_kind kind, int bits>
CK_INLINE void widenStoredAs(
    const ck_stored_matrix &matrix, int64_t column, int64_t first, int64_t count, float *to) {
  const uint8_t *row =
      static_cast<const uint8_t *>(matrix.elements) + column * (matrix.inner * bits / 8);
  const float *table = matrix.table == nullptr
      ? nullptr
      : matrix.table + column / matrix.table_columns * (int64_t{1} << (bits & 15));
  const int64_t blocks = matrix.scale == nullptr ? 1 : matrix.inner / matrix.scale_inner;
  const int64_t scales = matrix.scale == nullptr ? 0 : column / matrix.scale_columns * blocks;
  int64_t i = first;
  while (i < first + count) {
    // A run of elements shares one scale. It ends at `first + count` or at the end of the scale's block.
    int64_t end = first + count;
    Vector scale = splat(1.0f), shift = splat(0.0f);
    if (matrix.scale != nullptr) {
      const int64_t block = i / matrix.scale_inner;
      const int64_t next = (block + 1) * matrix.scale_inner;
      if (next < end) end = next;
      scale = splat(matrix.scale[scales + block]);
      if (matrix.shift != nullptr) shift = splat(matrix.shift[scales + block]);
    }
    const bool scales16 = matrix.scale != nullptr, rounds = matrix.rounds_to_float16 != 0;
    auto finished = [&](Vector value) {
      if (scales16) value = value * scale + shift;
      return rounds ? widenHalf(narrowToHalf(value)) : value;
    };
    for (; i + 16 <= end; i += 16)
      store(to + (i - first), finished(storedNumbers<kind, bits>(row + i * bits / 8, table)));
    if (i < end) {
      uint8_t bytes[32] = {};
      std::memcpy(bytes, row + i * bits / 8, static_cast<size_t>(((end - i) * bits + 7) / 8));
      const Vector value = finished(storedNumbers<kind, bits>(bytes, table));
      for (int64_t lane = 0; lane < 16; ++lane)
        to[i - first + lane] = lane < end - i ? value[lane] : 0.0f;
      i = end;
    }
  }
}

static void widenStored(
    const ck_stored_matrix &matrix, int64_t column, int64_t first, int64_t count, float *to) {
  switch (matrix.kind) {
    case CK_STORED_FLOAT16:
      return widenStoredAs<CK_STORED_FLOAT16, 16>(matrix, column, first, count, to);
    case CK_STORED_BFLOAT16:
      return widenStoredAs<CK_STORED_BFLOAT16, 16>(matrix, column, first, count, to);
    case CK_STORED_SIGNED:
      if (matrix.bits == 8)
        return widenStoredAs<CK_STORED_SIGNED, 8>(matrix, column, first, count, to);
      return widenStoredAs<CK_STORED_SIGNED, 4>(matrix, column, first, count, to);
    case CK_STORED_UNSIGNED:
      if (matrix.bits == 8)
        return widenStoredAs<CK_STORED_UNSIGNED, 8>(matrix, column, first, count, to);
      return widenStoredAs<CK_STORED_UNSIGNED, 4>(matrix, column, first, count, to);
    case CK_STORED_PALETTE:
      switch (matrix.bits) {
        case 1: return widenStoredAs<CK_STORED_PALETTE, 1>(matrix, column, first, count, to);
        case 2: return widenStoredAs<CK_STORED_PALETTE, 2>(matrix, column, first, count, to);
        case 3: return widenStoredAs<CK_STORED_PALETTE, 3>(matrix, column, first, count, to);
        case 4: return widenStoredAs<CK_STORED_PALETTE, 4>(matrix, column, first, count, to);
        case 6: return widenStoredAs<CK_STORED_PALETTE, 6>(matrix, column, first, count, to);
        default: return widenStoredAs<CK_STORED_PALETTE, 8>(matrix, column, first, count, to);
      }
  }
}

/// Adds up all lanes of a vector. Adds the upper half to the lower half until one lane is left.
CK_INLINE float foldLanes(Vector value) {
  typedef float Eight __attribute__((ext_vector_type(8)));
  typedef float Four __attribute__((ext_vector_type(4)));
  const Eight eight = value.lo + value.hi;
  const Four four = eight.lo + eight.hi;
  return (four.x + four.z) + (four.y + four.w);
}

/// Adds the products of `m` rows of the source and `n` widened columns to the sums.
template <int m, int n>
CK_INLINE void storedDots(
    const float *source, int64_t sourceStride, const float *panel, int64_t panelStride,
    int64_t count, float *sums, int64_t sumsStride) {
  Vector totals[m][n];
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) totals[i][j] = splat(0.0f);
  int64_t k = 0;
  for (; k + 16 <= count; k += 16) {
    Vector left[m];
    for (int i = 0; i < m; ++i) left[i] = load(source + i * sourceStride + k);
    for (int j = 0; j < n; ++j) {
      const Vector right = load(panel + j * panelStride + k);
      for (int i = 0; i < m; ++i) totals[i][j] = multiplyAdd(left[i], right, totals[i][j]);
    }
  }
  if (k < count) {
    for (int i = 0; i < m; ++i) {
      const Vector left = loadSome(source + i * sourceStride + k, count - k);
      for (int j = 0; j < n; ++j)
        totals[i][j] = multiplyAdd(left, load(panel + j * panelStride + k), totals[i][j]);
    }
  }
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) sums[i * sumsStride + j] += foldLanes(totals[i][j]);
}

/// The distance between widened columns, in floats. If this distance were a multiple of the page size, all columns
/// would map to one set of the cache.
constexpr int64_t kStoredStride = kStoredInner + 16;

#if CK_LEVEL >= 2
constexpr int kStoredRows = 4, kStoredTogether = 6;
#else
constexpr int kStoredRows = 2, kStoredTogether = 2;
#endif

/// Adds the products of all rows of the source and `n` widened columns to the sums.
template <int n>
CK_INLINE void storedStrip(const StoredBlock &block, int64_t column, const float *panel) {
  const int64_t inner = block.matrix->inner;
  const float *source = block.source + block.first;
  float *sums = block.sums + column;
  int64_t row = 0;
  for (; row + kStoredRows <= block.rows; row += kStoredRows)
    storedDots<kStoredRows, n>(
        source + row * inner, inner, panel, kStoredStride, block.count,
        sums + row * block.sumsStride, block.sumsStride);
  for (; row < block.rows; ++row)
    storedDots<1, n>(
        source + row * inner, inner, panel, kStoredStride, block.count,
        sums + row * block.sumsStride, block.sumsStride);
}

/// Adds the products of a block to the sums of all rows of the source. Widens few columns at a time, so that the
/// widened columns stay in the first-level cache for all rows.
static void storedBlock(const StoredBlock &block) {
  alignas(64) float panel[kStoredTogether * kStoredStride];
  for (int64_t column = 0; column < block.columns; column += kStoredTogether) {
    const int64_t left = block.columns - column;
    const int64_t some = left < kStoredTogether ? left : kStoredTogether;
    for (int64_t j = 0; j < some; ++j)
      widenStored(
          *block.matrix, block.column + column + j, block.first, block.count,
          panel + j * kStoredStride);
    if (some == kStoredTogether) {
      storedStrip<kStoredTogether>(block, column, panel);
    } else {
      for (int64_t j = 0; j < some; ++j)
        storedStrip<1>(block, column + j, panel + j * kStoredStride);
    }
  }
  if (block.activation == CK_IDENTITY || block.first + block.count < block.matrix->inner) return;
  const Vector alpha = splat(block.alpha), beta = splat(block.beta);
  for (int64_t row = 0; row < block.rows; ++row)
    for (int64_t column = 0; column < block.columns; column += 16) {
      float *sums = block.sums + row * block.sumsStride + column;
      const int64_t some = block.columns - column < 16 ? block.columns - column : 16;
      storeSome(sums, activate(block.activation, loadSome(sums, some), alpha, beta), some);
    }
}
