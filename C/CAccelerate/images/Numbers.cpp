#include "images/Numbers.hpp"

#include "kernels/Common.hpp"

/// float16 to float32, exactly.
static float fromHalf(uint16_t half) {
  const uint32_t sign = uint32_t(half & 0x8000) << 16, exponent = (half >> 10) & 31, fraction = half & 1023;
  if (exponent == 0) return (sign ? -1.0f : 1.0f) * float(fraction) * 0x1p-24f;
  const uint32_t bits = sign | (exponent == 31 ? 0x7f800000u : (exponent + 112) << 23) | (fraction << 13)
      | (exponent == 31 && fraction ? 0x00400000u : 0);
  float result;
  memcpy(&result, &bits, sizeof result);
  return result;
}

/// float32 to the nearest float16, halves to even.
static uint16_t toHalf(float number) {
  uint32_t bits;
  memcpy(&bits, &number, sizeof bits);
  const uint16_t sign = uint16_t((bits >> 16) & 0x8000);
  const float size = std::abs(number);
  if (number != number) return uint16_t(sign | 0x7e00 | ((bits >> 13) & 0x1ff));
  if (size >= 65520) return uint16_t(sign | 0x7c00);
  // Below the smallest normal number, the steps are 2^-24.
  if (size < 0x1p-14f) return uint16_t(sign | uint16_t(std::nearbyint(size * 0x1p24f)));
  const uint32_t rounded = (bits & 0x7fffffff) + 0xfff + ((bits >> 13) & 1);
  return uint16_t(sign | ((rounded - (112u << 23)) >> 13));
}

#define CA_KERNELS "images/Numbers.inl.hpp"
#include "kernels/Instances.hpp"

namespace rows {

void bytesToFloats(const uint8_t *from, float *to, long count, float scale, float offset) {
  CA_CALL(bytesToFloats(from, to, count, scale, offset))
}

void floatsToBytes(const float *from, uint8_t *to, long count, float scale, float offset) {
  CA_CALL(floatsToBytes(from, to, count, scale, offset))
}

void clip(const float *from, float *to, long count, float least, float most) {
  CA_CALL(clipRow(from, to, count, least, most))
}

void widen(const uint16_t *from, float *to, long count) { CA_CALL(widen(from, to, count)) }
void narrow(const float *from, uint16_t *to, long count) { CA_CALL(narrow(from, to, count)) }

void split(const uint8_t *from, uint8_t *const (&to)[4], long count) { CA_CALL(split(from, to, count)) }
void reverse(const uint8_t *from, uint8_t *to, long count) { CA_CALL(reverseBytes(from, to, count)) }

void addRow(float *sums, const float *values, float weight, long count) {
  CA_CALL(addRow(sums, values, weight, count))
}

void filterRow(
    const float *from, float *to, const int *first, const float *weights, long taps, long count, int channels) {
  if (channels == 1) { CA_CALL(filterRow<1>(from, to, first, weights, taps, count)) }
  CA_CALL(filterRow<4>(from, to, first, weights, taps, count))
}

}  // namespace rows
