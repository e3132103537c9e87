// Sorts 32-bit numbers with AVX-512.

#if CA_LEVEL == 2

/// Exchanges the lanes of `v` by `order`. The lanes in `upper` keep the greater number, and the others the smaller one.
CA_INLINE __m512i exchanged(__m512i v, __m512i order, __mmask16 upper) {
  const __m512i other = _mm512_permutexvar_epi32(order, v);
  return _mm512_mask_max_epi32(_mm512_min_epi32(v, other), upper, v, other);
}

CA_INLINE __m512i mirrored(__m512i v) {
  return _mm512_permutexvar_epi32(
      _mm512_set_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), v);
}

/// Sorts a bitonic sequence of 16 numbers.
CA_INLINE __m512i merged(__m512i v) {
  v = exchanged(v, _mm512_set_epi32(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8), 0xFF00);
  v = exchanged(v, _mm512_set_epi32(11, 10, 9, 8, 15, 14, 13, 12, 3, 2, 1, 0, 7, 6, 5, 4), 0xF0F0);
  v = exchanged(v, _mm512_set_epi32(13, 12, 15, 14, 9, 8, 11, 10, 5, 4, 7, 6, 1, 0, 3, 2), 0xCCCC);
  return exchanged(v, _mm512_set_epi32(14, 15, 12, 13, 10, 11, 8, 9, 6, 7, 4, 5, 2, 3, 0, 1), 0xAAAA);
}

/// Sorts 16 numbers.
CA_INLINE __m512i sorted16(__m512i v) {
  const __m512i pairs = _mm512_set_epi32(14, 15, 12, 13, 10, 11, 8, 9, 6, 7, 4, 5, 2, 3, 0, 1);
  const __m512i fours = _mm512_set_epi32(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
  const __m512i twos = _mm512_set_epi32(13, 12, 15, 14, 9, 8, 11, 10, 5, 4, 7, 6, 1, 0, 3, 2);
  const __m512i eights = _mm512_set_epi32(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
  v = exchanged(v, pairs, 0xAAAA);
  v = exchanged(v, fours, 0xCCCC);
  v = exchanged(v, pairs, 0xAAAA);
  v = exchanged(v, eights, 0xF0F0);
  v = exchanged(v, twos, 0xCCCC);
  v = exchanged(v, pairs, 0xAAAA);
  const __m512i other = mirrored(v);
  v = _mm512_mask_max_epi32(_mm512_min_epi32(v, other), 0xFF00, v, other);
  v = exchanged(v, _mm512_set_epi32(11, 10, 9, 8, 15, 14, 13, 12, 3, 2, 1, 0, 7, 6, 5, 4), 0xF0F0);
  v = exchanged(v, twos, 0xCCCC);
  return exchanged(v, pairs, 0xAAAA);
}

/// Sorts at most 16 × `vectors` numbers with a bitonic network.
///
/// **Source:** Batcher, “Sorting networks and their applications”, AFIPS 1968.
template <int vectors>
void sortNetwork(int32_t *numbers, long count) {
  __m512i v[vectors];
  const __m512i most = _mm512_set1_epi32(INT32_MAX);
  auto mask = [&](int index) {
    const long left = count - 16 * index;
    return __mmask16(left >= 16 ? 0xFFFF : left > 0 ? (1 << left) - 1 : 0);
  };
#pragma clang loop unroll(full)
  for (int i = 0; i < vectors; i++)
    v[i] = sorted16(_mm512_mask_loadu_epi32(most, mask(i), numbers + 16 * i));
#pragma clang loop unroll(full)
  for (int block = 2; block <= vectors; block *= 2) {
#pragma clang loop unroll(full)
    for (int i = 0; i < vectors; i++) {
      // The first half of a block meets the mirrored second half.
      const int place = i % block;
      if (place >= block / 2) continue;
      const int partner = i - place + block - 1 - place;
      const __m512i other = mirrored(v[partner]), mine = v[i];
      v[i] = _mm512_min_epi32(mine, other);
      v[partner] = mirrored(_mm512_max_epi32(mine, other));
    }
#pragma clang loop unroll(full)
    for (int distance = block / 4; distance >= 1; distance /= 2)
#pragma clang loop unroll(full)
      for (int i = 0; i < vectors; i++) {
        if (i & distance) continue;
        const __m512i mine = v[i], other = v[i + distance];
        v[i] = _mm512_min_epi32(mine, other);
        v[i + distance] = _mm512_max_epi32(mine, other);
      }
#pragma clang loop unroll(full)
    for (int i = 0; i < vectors; i++) v[i] = merged(v[i]);
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < vectors; i++) _mm512_mask_storeu_epi32(numbers + 16 * i, mask(i), v[i]);
}

/// Moves the numbers below `pivot`, or those up to `pivot`, before the others. Returns how many they are.
///
/// - scratch: Memory for `count` + 16 numbers.
template <bool includesPivot>
long parted(int32_t *numbers, long count, int32_t pivot, int32_t *scratch) {
  const __m512i limit = _mm512_set1_epi32(pivot);
  long below = 0, above = 0, i = 0;
  auto compare = [&](__m512i v) {
    return includesPivot ? _mm512_cmple_epi32_mask(v, limit) : _mm512_cmplt_epi32_mask(v, limit);
  };
  for (; i + 16 <= count; i += 16) {
    const __m512i v = _mm512_loadu_si512(numbers + i);
    const __mmask16 isBelow = compare(v);
    const int number = __builtin_popcount(isBelow);
    // Safe: below <= i, so the 16 numbers that are written have been read.
    _mm512_storeu_si512(numbers + below, _mm512_maskz_compress_epi32(isBelow, v));
    _mm512_storeu_si512(scratch + above, _mm512_maskz_compress_epi32(__mmask16(~isBelow), v));
    below += number;
    above += 16 - number;
  }
  if (i < count) {
    const __mmask16 rest = __mmask16((1 << (count - i)) - 1);
    const __m512i v = _mm512_maskz_loadu_epi32(rest, numbers + i);
    const __mmask16 isBelow = compare(v) & rest;
    const int number = __builtin_popcount(isBelow);
    _mm512_mask_storeu_epi32(
        numbers + below, __mmask16((1 << number) - 1), _mm512_maskz_compress_epi32(isBelow, v));
    _mm512_storeu_si512(scratch + above, _mm512_maskz_compress_epi32(__mmask16(~isBelow & rest), v));
    below += number;
    above += (count - i) - number;
  }
  memcpy(numbers + below, scratch, size_t(above) * sizeof(int32_t));
  return below;
}

/// Sorts numbers: quicksort with vectors, and networks for few numbers.
///
/// **Source:** Bramas, “A novel hybrid quicksort algorithm vectorized using AVX-512 on Intel Skylake”, 2017.
///
/// - scratch: Memory for `count` + 16 numbers.
/// - depth: The number of further divisions. If there are more, pivots are bad, and a heap sorts the numbers.
inline void sortParts(int32_t *numbers, long count, int32_t *scratch, int depth) {
  while (count > 128) {
    if (depth-- == 0) {
      std::make_heap(numbers, numbers + count);
      return std::sort_heap(numbers, numbers + count);
    }
    // The pivot is the eighth of 16 numbers from all parts.
    const __m512i places = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i step = _mm512_set1_epi32(int(count / 16));
    int32_t sample[16];
    _mm512_storeu_si512(
        sample, sorted16(_mm512_i32gather_epi32(_mm512_mullo_epi32(places, step), numbers, 4)));
    const int32_t pivot = sample[8];
    const long below = parted<false>(numbers, count, pivot, scratch);
    if (below == 0) {
      // The pivot is the smallest number: the numbers that equal it are done.
      const long equal = parted<true>(numbers, count, pivot, scratch);
      numbers += equal;
      count -= equal;
      continue;
    }
    sortParts(numbers, below, scratch, depth);
    numbers += below;
    count -= below;
  }
  if (count <= 16) return sortNetwork<1>(numbers, count);
  if (count <= 32) return sortNetwork<2>(numbers, count);
  if (count <= 64) return sortNetwork<4>(numbers, count);
  sortNetwork<8>(numbers, count);
}

/// Sorts floats that are not NaN. Returns false if the instructions or the memory are missing.
inline bool sortFloats(float *numbers, long count, bool isAscending) {
  if (count > INT32_MAX / 2) return false;
  int32_t few[512 + 16];
  int32_t *many = nullptr;
  if (count > 512 && !(many = static_cast<int32_t *>(malloc(size_t(count + 16) * sizeof(int32_t))))) return false;
  int32_t *const bits = reinterpret_cast<int32_t *>(numbers);
  const __m512i flip = _mm512_set1_epi32(isAscending ? 0 : -1);
  // Integers with the order of the numbers: complements the bits below the sign of negative numbers.
  auto ordered = [](__m512i v) { return _mm512_xor_si512(v, _mm512_srli_epi32(_mm512_srai_epi32(v, 31), 1)); };
  auto change = [&](auto step) {
    for (long i = 0; i < count; i += 16) {
      const __mmask16 mask = __mmask16(count - i >= 16 ? 0xFFFF : (1 << (count - i)) - 1);
      _mm512_mask_storeu_epi32(bits + i, mask, step(_mm512_maskz_loadu_epi32(mask, bits + i)));
    }
  };
  change([&](__m512i v) { return _mm512_xor_si512(ordered(v), flip); });
  int depth = 8;
  for (long left = count; left > 0; left /= 2) depth += 2;
  sortParts(bits, count, many ? many : few, depth);
  change([&](__m512i v) { return ordered(_mm512_xor_si512(v, flip)); });
  free(many);
  return true;
}

#else

inline bool sortFloats(float *, long, bool) { return false; }

#endif
