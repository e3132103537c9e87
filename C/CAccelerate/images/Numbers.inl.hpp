// Conversions of rows between number formats.

inline void bytesToFloats(const uint8_t *from, float *to, long count, float scale, float offset) {
  for (long i = 0; i < count; i++) to[i] = float(from[i]) * scale + offset;
}

/// Clips before it rounds, and NaN becomes 0.
inline void floatsToBytes(const float *from, uint8_t *to, long count, float scale, float offset) {
  for (long i = 0; i < count; i++) {
    const float value = from[i] * scale + offset;
    const float raised = value > 0 ? value : 0;
    to[i] = uint8_t(int((raised < 255 ? raised : 255) + 0.5f));
  }
}

inline void clipRow(const float *from, float *to, long count, float least, float most) {
  CA_VECTOR_LOOP for (long i = 0; i < count; i++) to[i] = clipped(from[i], least, most);
}

inline void widen(const uint16_t *from, float *to, long count) {
  long i = 0;
#if CA_LEVEL >= 1
  for (; i + 8 <= count; i += 8) {
    const __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i *>(from + i));
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(half));
  }
#endif
  for (; i < count; i++) to[i] = fromHalf(from[i]);
}

inline void narrow(const float *from, uint16_t *to, long count) {
  long i = 0;
#if CA_LEVEL >= 1
  for (; i + 8 <= count; i += 8) {
    const __m128i half = _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i *>(to + i), half);
  }
#endif
  for (; i < count; i++) to[i] = toHalf(from[i]);
}

/// Splits pixels of four bytes into four planes.
inline void split(const uint8_t *from, uint8_t *const (&to)[4], long count) {
  long i = 0;
#if CA_LEVEL >= 1
  // Four pixels become four bytes of each channel; four such vectors make 16 bytes of each channel.
  const __m128i order = _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  for (; i + 16 <= count; i += 16) {
    __m128i v[4];
    for (int part = 0; part < 4; part++) {
      const __m128i pixels = _mm_loadu_si128(reinterpret_cast<const __m128i *>(from + 4 * i) + part);
      v[part] = _mm_shuffle_epi8(pixels, order);
    }
    const __m128i low01 = _mm_unpacklo_epi32(v[0], v[1]), low23 = _mm_unpacklo_epi32(v[2], v[3]);
    const __m128i high01 = _mm_unpackhi_epi32(v[0], v[1]), high23 = _mm_unpackhi_epi32(v[2], v[3]);
    const __m128i planes[4] = {
        _mm_unpacklo_epi64(low01, low23), _mm_unpackhi_epi64(low01, low23), _mm_unpacklo_epi64(high01, high23),
        _mm_unpackhi_epi64(high01, high23)};
    for (int channel = 0; channel < 4; channel++)
      _mm_storeu_si128(reinterpret_cast<__m128i *>(to[channel] + i), planes[channel]);
  }
#endif
  for (; i < count; i++)
    for (int channel = 0; channel < 4; channel++) to[channel][i] = from[4 * i + channel];
}

/// Copies bytes in reverse order.
inline void reverseBytes(const uint8_t *from, uint8_t *to, long count) {
  long i = 0;
#if CA_LEVEL >= 1
  const __m256i order = _mm256_setr_epi8(
      15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  for (; i + 32 <= count; i += 32) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(from + count - 32 - i));
    const __m256i halves = _mm256_shuffle_epi8(v, order);
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(to + i), _mm256_permute4x64_epi64(halves, 0x4E));
  }
#endif
  for (; i < count; i++) to[i] = from[count - 1 - i];
}

/// Adds weight × row to sums.
inline void addRow(float *sums, const float *values, float weight, long count) {
  CA_VECTOR_LOOP for (long i = 0; i < count; i++) sums[i] += weight * values[i];
}

/// Computes, for each pixel x of a row, the weighted sum of `taps` pixels from `first[x]`. `weights` has `taps` numbers
/// for each pixel.
template <int channels>
inline void filterRow(
    const float *from, float *to, const int *first, const float *weights, long taps, long count) {
  for (long x = 0; x < count; x++) {
    const float *source = from + long(first[x]) * channels, *weight = weights + x * taps;
    float sums[channels] = {};
    for (long tap = 0; tap < taps; tap++)
      for (int channel = 0; channel < channels; channel++)
        sums[channel] += weight[tap] * source[tap * channels + channel];
    for (int channel = 0; channel < channels; channel++) to[x * channels + channel] = sums[channel];
  }
}
