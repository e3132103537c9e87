// Conversions of rows between number formats, for the instruction set in use.

#pragma once

#include <cstdint>

namespace rows {

/// to = from · scale + offset.
void bytesToFloats(const uint8_t *from, float *to, long count, float scale, float offset);
/// to = from · scale + offset, clipped to 0 ... 255 and rounded. NaN becomes 0.
void floatsToBytes(const float *from, uint8_t *to, long count, float scale, float offset);
void clip(const float *from, float *to, long count, float least, float most);
/// float16 to float32, and back, rounded to the nearest value.
void widen(const uint16_t *from, float *to, long count);
void narrow(const float *from, uint16_t *to, long count);
/// Splits pixels of four bytes into four planes.
void split(const uint8_t *from, uint8_t *const (&to)[4], long count);
/// Copies bytes in reverse order. `to` must not overlap `from`.
void reverse(const uint8_t *from, uint8_t *to, long count);
/// sums += weight · values.
void addRow(float *sums, const float *values, float weight, long count);
/// to[x] = the sum of weights[x][tap] · from[first[x] + tap], for pixels of 1 or 4 channels.
void filterRow(
    const float *from, float *to, const int *first, const float *weights, long taps, long count, int channels);

}  // namespace rows
