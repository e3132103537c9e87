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
  } else if constexpr (kind == CK_STORED_FLOAT32) {
    return load(reinterpret_cast<const float *>(from));
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
      uint8_t bytes[64] = {};
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
    case CK_STORED_FLOAT32:
      return widenStoredAs<CK_STORED_FLOAT32, 32>(matrix, column, first, count, to);
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

// One row is multiplied by one column after the other, because the processor reads one stream of memory faster than
// several.

/// Returns the products of one row and a column of floating-point numbers, which are not widened first.
template <typename Element>
CK_INLINE float storedFloatDot(const StoredBlock &block, int64_t column) {
  const Element *numbers =
      static_cast<const Element *>(block.matrix->elements) + column * block.matrix->inner + block.first;
  const float *source = block.source + block.first;
  Vector totals[4] = {splat(0.0f), splat(0.0f), splat(0.0f), splat(0.0f)};
  int64_t k = 0;
  for (; k + 64 <= block.count; k += 64)
    for (int i = 0; i < 4; ++i)
      totals[i] = multiplyAdd(load(source + k + 16 * i), load(numbers + k + 16 * i), totals[i]);
  for (; k < block.count; k += 16)
    totals[0] = multiplyAdd(load(source + k), load(numbers + k), totals[0]);
  return foldLanes((totals[0] + totals[1]) + (totals[2] + totals[3]));
}

/// Returns the index of the first scale of a column.
CK_INLINE int64_t firstScale(const ck_stored_matrix &matrix, int64_t column) {
  return matrix.scale == nullptr
      ? 0 : column / matrix.scale_columns * (matrix.inner / matrix.scale_inner);
}

/// Returns the products of 32 numbers and 32 8-bit integers, in 16 sums.
template <ck_stored_kind kind>
CK_INLINE Vector storedBytes(const float *source, const uint8_t *numbers) {
  return multiplyAdd(load(source + 16), storedNumbers<kind, 8>(numbers + 16, nullptr),
      load(source) * storedNumbers<kind, 8>(numbers, nullptr));
}

/// Returns the products of one row and a column of 8-bit integers. Multiplies the sum of a block by its scale, so decoded
/// values are not rounded to float16.
template <ck_stored_kind kind>
CK_INLINE float storedByteDot(const StoredBlock &block, int64_t column) {
  const ck_stored_matrix &matrix = *block.matrix;
  const uint8_t *numbers = static_cast<const uint8_t *>(matrix.elements) + column * matrix.inner;
  const int64_t scales = firstScale(matrix, column), end = block.first + block.count;
  const bool scaled = matrix.scale != nullptr, shifted = matrix.shift != nullptr;
  const int64_t length = scaled ? matrix.scale_inner : matrix.inner;
  Vector total = splat(0.0f);
  int64_t index = block.first / length, next;
  if (length == 32 && !shifted) {
    // The usual blocks, without branches.
    const float *scale = matrix.scale + scales + index;
    for (int64_t k = block.first; k < end; k += 32, ++scale)
      total = multiplyAdd(storedBytes<kind>(block.source + k, numbers + k), splat(*scale), total);
    return foldLanes(total);
  }
  for (int64_t start = block.first; start < end; start = next, ++index) {
    next = (index + 1) * length < end ? (index + 1) * length : end;
    Vector even = splat(0.0f), odd = splat(0.0f);
    int64_t k = start;
    for (; k + 32 <= next; k += 32) {
      even = multiplyAdd(load(block.source + k), storedNumbers<kind, 8>(numbers + k, nullptr), even);
      odd = multiplyAdd(
          load(block.source + k + 16), storedNumbers<kind, 8>(numbers + k + 16, nullptr), odd);
    }
    if (k < next)
      even = multiplyAdd(load(block.source + k), storedNumbers<kind, 8>(numbers + k, nullptr), even);
    total = multiplyAdd(even + odd, splat(scaled ? matrix.scale[scales + index] : 1.0f), total);
    if (!shifted) continue;
    Vector all = splat(0.0f);
    for (k = start; k < next; k += 16) all += load(block.source + k);
    total = multiplyAdd(all, splat(matrix.shift[scales + index]), total);
  }
  return foldLanes(total);
}

/// The number of 4-bit elements that fill a vector.
constexpr int64_t kStoredNibbles = 128;

/// Stores 128 numbers in the order in which `storedNibbleDots` reads them: those with indices 8 i + s, for s from 0 to 7.
CK_INLINE void spreadNibbleOrder(const float *from, float *to) {
  Vector v[8];
  for (int i = 0; i < 8; ++i) v[i] = load(from + 16 * i);
  // Three times, moves the numbers with even indices before those with odd indices.
  for (int parts = 1; parts < 8; parts *= 2) {
    Vector moved[8];
    const int length = 8 / parts;
    for (int part = 0; part < parts; ++part)
      for (int i = 0; i < length / 2; ++i) {
        const Vector a = v[part * length + 2 * i], b = v[part * length + 2 * i + 1];
        moved[part * length + i] = __builtin_shufflevector(
            a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
        moved[part * length + length / 2 + i] = __builtin_shufflevector(
            a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
      }
    for (int i = 0; i < 8; ++i) v[i] = moved[i];
  }
  // Part 0 … 7 now has the indices whose lowest bits, from the lowest on, are the bits of the part from the highest on.
  constexpr int reversed[8] = {0, 4, 2, 6, 1, 5, 3, 7};
  for (int i = 0; i < 8; ++i) store(to + 16 * reversed[i], v[i]);
}

/// Returns one number of a column's blocks for each lane. Lane i belongs to elements `first + 8 i ..< first + 8 i + 8`.
CK_INLINE Vector blockLanes(const float *numbers, int64_t first, int64_t blockLength) {
  typedef float Four __attribute__((ext_vector_type(4), aligned(4)));
  if (blockLength == 32) {
    const Four four = *(const Four *)(numbers + first / 32);
    return __builtin_shufflevector(four, four, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
  }
  if (blockLength == 64) {
    const Vector low = splat(numbers[first / 64]), high = splat(numbers[first / 64 + 1]);
    return __builtin_shufflevector(
        low, high, 0, 1, 2, 3, 4, 5, 6, 7, 24, 25, 26, 27, 28, 29, 30, 31);
  }
  if (blockLength % kStoredNibbles == 0) return splat(numbers[first / blockLength]);
  Vector result;
  for (int i = 0; i < 16; ++i) result[i] = numbers[(first + 8 * i) / blockLength];
  return result;
}

/// Returns the products of one row and a column of 4-bit elements. `source` holds the row in the order of
/// `spreadNibbleOrder`, and `sums` holds, for each 128 elements, the sums of those that share a lane. Multiplies the sum
/// of a block by its scale, so decoded values are not rounded to float16.
template <ck_stored_kind kind>
CK_INLINE float storedNibbleDot(
    const StoredBlock &block, int64_t column, const float *source, const float *sums) {
  const ck_stored_matrix &matrix = *block.matrix;
  const uint8_t *numbers = static_cast<const uint8_t *>(matrix.elements)
      + (column * matrix.inner + block.first) / 2;
  const int64_t scales = firstScale(matrix, column), length = matrix.scale_inner;
#if CK_LEVEL >= 2
  __m512 table;
  if constexpr (kind == CK_STORED_PALETTE)
    table = _mm512_loadu_ps(matrix.table + column / matrix.table_columns * 16);
  else if constexpr (kind == CK_STORED_SIGNED)
    table = _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1);
  else
    table = _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#endif
  Vector total = splat(0.0f);
  for (int64_t k = 0; k < block.count; k += kStoredNibbles) {
    const Bits words = *(const LooseBits *)(numbers + k / 2);
    Vector parts[2] = {splat(0.0f), splat(0.0f)};
#pragma clang loop unroll(full)
    for (int s = 0; s < 8; ++s) {
#if CK_LEVEL >= 2
      // The instruction reads the lowest four bits of an index.
      const Vector right = __builtin_bit_cast(
          Vector, _mm512_permutexvar_ps(__builtin_bit_cast(__m512i, words >> (4 * s)), table));
#else
      const Bits high = words << (28 - 4 * s);
      const Integers element = kind == CK_STORED_SIGNED
          ? __builtin_bit_cast(Integers, high) >> 28 : __builtin_bit_cast(Integers, high >> 28);
      const Vector right = __builtin_convertvector(element, Vector);
#endif
      parts[s % 2] = multiplyAdd(load(source + k + 16 * s), right, parts[s % 2]);
    }
    const Vector part = parts[0] + parts[1];
    if (matrix.scale == nullptr) {
      total += part;
      continue;
    }
    const int64_t first = block.first + k;
    total = multiplyAdd(part, blockLanes(matrix.scale + scales, first, length), total);
    if (matrix.shift != nullptr)
      total = multiplyAdd(
          load(sums + k / 8), blockLanes(matrix.shift + scales, first, length), total);
  }
  return foldLanes(total);
}

/// Adds the products of one row of 4-bit elements to the sums.
template <ck_stored_kind kind>
CK_INLINE void storedNibbleRow(StoredBlock block) {
  constexpr int64_t most = 5120;
  alignas(64) float source[most], sums[most / 8];
  const int64_t end = block.first + block.count;
  for (; block.first < end; block.first += most) {
    block.count = end - block.first < most ? end - block.first : most;
    for (int64_t k = 0; k < block.count; k += kStoredNibbles) {
      spreadNibbleOrder(block.source + block.first + k, source + k);
      if (block.matrix->shift == nullptr) continue;
      Vector sum = load(source + k);
      for (int s = 1; s < 8; ++s) sum += load(source + k + 16 * s);
      store(sums + k / 8, sum);
    }
    for (int64_t j = 0; j < block.columns; ++j)
      block.sums[j] += storedNibbleDot<kind>(block, block.column + j, source, sums);
  }
}

template <typename Element>
CK_INLINE void storedFloatRow(const StoredBlock &block) {
  for (int64_t j = 0; j < block.columns; ++j)
    block.sums[j] += storedFloatDot<Element>(block, block.column + j);
}

template <ck_stored_kind kind>
CK_INLINE void storedByteRow(const StoredBlock &block) {
  for (int64_t j = 0; j < block.columns; ++j)
    block.sums[j] += storedByteDot<kind>(block, block.column + j);
}

/// Adds the products of a block with one row to the sums, if there is a kernel that reads elements of this form without
/// widening them first. Returns whether there is.
static bool storedRow(const StoredBlock &block) {
#if CK_LEVEL >= 1
  const ck_stored_matrix &matrix = *block.matrix;
  if (block.count % 16 != 0) return false;
  if (matrix.bits == 4) {
    if (block.count % kStoredNibbles != 0) return false;
    if (matrix.kind == CK_STORED_SIGNED) return storedNibbleRow<CK_STORED_SIGNED>(block), true;
    if (matrix.kind == CK_STORED_UNSIGNED) return storedNibbleRow<CK_STORED_UNSIGNED>(block), true;
#if CK_LEVEL >= 2
    if (matrix.scale == nullptr) return storedNibbleRow<CK_STORED_PALETTE>(block), true;
#endif
    return false;
  }
  if (matrix.kind == CK_STORED_FLOAT16 && matrix.scale == nullptr)
    return storedFloatRow<Half>(block), true;
  if (matrix.kind == CK_STORED_BFLOAT16 && matrix.scale == nullptr)
    return storedFloatRow<BFloat16>(block), true;
  if (matrix.kind == CK_STORED_FLOAT32 && matrix.scale == nullptr)
    return storedFloatRow<float>(block), true;
  if (matrix.kind == CK_STORED_SIGNED) return storedByteRow<CK_STORED_SIGNED>(block), true;
  if (matrix.kind == CK_STORED_UNSIGNED) return storedByteRow<CK_STORED_UNSIGNED>(block), true;
#endif
  return false;
}

/// Adds the products of a block to the sums of all rows of the source. Widens few columns at a time, so that the
/// widened columns stay in the first-level cache for all rows.
static void storedRows(const StoredBlock &block) {
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
}

/// Computes the products of all rows and a panel of columns, and what follows them.
static void storedPanel(const StoredBlock &block) {
  constexpr int64_t deep = 128, stride = deep + 16;
#if CK_LEVEL >= 2
  alignas(64) float widened[64 * stride];
#else
  alignas(64) float widened[16 * stride];
#endif
  const int64_t inner = block.count, vectors = (block.columns + 15) / 16, lanes = vectors * 16;
  for (int64_t first = 0; first < inner; first += deep) {
    const int64_t some = inner - first < deep ? inner - first : deep;
    for (int64_t j = 0; j < block.columns; ++j)
      widenStored(*block.matrix, block.column + j, first, some, widened + j * stride);
    packTransposed(
        widened, stride, block.columns, some, static_cast<int>(vectors), block.panel + first * lanes);
  }
  const int64_t tile = block.pixels[vectors];
  const float *panel = block.panel;
  const int64_t step = block.sumsStride;
  alignas(64) float products[kMaxSums];
  for (int64_t row = 0; row < block.rows; row += tile) {
    // The last tile overlaps the tile before it, and stores only rows that no other tile stores.
    const int64_t start = row + tile > block.rows ? block.rows - tile : row;
    const float *source = block.source + start * inner;
    multiplyTileOf<float>(static_cast<int>(vectors), &source, &panel, 1, inner, inner, StoredSums{products});
    finishTile<float>(
        *block.finish, products, static_cast<int>(vectors), row - start, tile, block.column,
        block.sums - block.column + start * step,
        block.residual == nullptr ? nullptr : block.residual + start * step, step);
  }
}

/// Adds the products of all rows of the source to the sums, then applies the activation.
static void storedBlock(const StoredBlock &block) {
  if (block.panel != nullptr) return storedPanel(block);
  if (block.rows != 1 || !storedRow(block)) {
    StoredBlock part = block;
    for (part.first = 0; part.first < block.count; part.first += kStoredInner) {
      part.count = block.count - part.first < kStoredInner ? block.count - part.first : kStoredInner;
      storedRows(part);
    }
  }
  if (block.activation == CK_IDENTITY) return;
  const Vector alpha = splat(block.alpha), beta = splat(block.beta);
  for (int64_t row = 0; row < block.rows; ++row)
    for (int64_t column = 0; column < block.columns; column += 16) {
      float *sums = block.sums + row * block.sumsStride + column;
      const int64_t some = block.columns - column < 16 ? block.columns - column : 16;
      storeSome(sums, activate(block.activation, loadSome(sums, some), alpha, beta), some);
    }
}
