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
