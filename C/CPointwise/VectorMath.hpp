#ifndef ATELIER_CPOINTWISE_VECTOR_MATH_HPP
#define ATELIER_CPOINTWISE_VECTOR_MATH_HPP

#include <cstdint>
#include <cstring>

#include "Parallel.hpp"

// Elementary functions without branches or calls, so that loops over them become vector code.
// Errors are a few units in the last place; infinities and NaN come out as in the C library.

namespace atelier {

CPW_INLINE uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}

CPW_INLINE float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

CPW_INLINE float fromBFloat16(uint16_t bits) { return floatOf(uint32_t(bits) << 16); }

// Rounds to nearest, ties to even; NaN stays NaN.
CPW_INLINE uint16_t toBFloat16(float value) {
  const uint32_t bits = bitsOf(value);
  const uint32_t rounded = (bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16;
  const uint32_t quiet = (bits >> 16) | 0x40u;
  return uint16_t((bits & 0x7FFFFFFFu) > 0x7F800000u ? quiet : rounded);
}

// 2^n · e^r with n the whole number nearest to x / log 2, and the Taylor polynomial of e^r for
// |r| ≤ 0.35. The factor is applied in two steps so that results beyond the normal range come out.
CPW_INLINE float exponential(float x) {
  float y = x < -104.0f ? -104.0f : x;
  y = y > 89.0f ? 89.0f : y;
  const float shifter = 12582912.0f;
  const float shifted = y * 1.44269504f + shifter;
  const float n = shifted - shifter;
  const float r = (y - n * 0.693359375f) + n * 2.12194440e-4f;
  float p = 1.0f / 5040.0f;
  p = p * r + 1.0f / 720.0f;
  p = p * r + 1.0f / 120.0f;
  p = p * r + 1.0f / 24.0f;
  p = p * r + 1.0f / 6.0f;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  const int32_t whole = int32_t(bitsOf(shifted) - 0x4B400000u);
  const int32_t half = whole >> 1;
  const float first = floatOf(uint32_t(half + 127) << 23);
  const float second = floatOf(uint32_t(whole - half + 127) << 23);
  return p * first * second;
}

// 2 · artanh(s) for |s| ≤ 1/3.
CPW_INLINE float doubleArtanh(float s) {
  const float z = s * s;
  float p = 2.0f / 17.0f;
  p = p * z + 2.0f / 15.0f;
  p = p * z + 2.0f / 13.0f;
  p = p * z + 2.0f / 11.0f;
  p = p * z + 2.0f / 9.0f;
  p = p * z + 2.0f / 7.0f;
  p = p * z + 2.0f / 5.0f;
  p = p * z + 2.0f / 3.0f;
  return 2.0f * s + s * z * p;
}

// n · log 2 + log m with m in √½ … √2; log m = 2 artanh((m − 1) / (m + 1)).
CPW_INLINE float logarithm(float x) {
  const bool tiny = x < 1.17549435e-38f;
  const float scaled = tiny ? x * 8388608.0f : x;
  const uint32_t offset = bitsOf(scaled) - 0x3F3504F3u;
  const float n = float(int32_t(offset) >> 23) - (tiny ? 23.0f : 0.0f);
  const float m = floatOf((offset & 0x007FFFFFu) + 0x3F3504F3u);
  const float f = m - 1.0f;
  float result = n * 0.693359375f + (doubleArtanh(f / (2.0f + f)) - n * 2.12194440e-4f);
  result = x > 3.4028234e38f ? x : result;
  result = x == 0.0f ? -__builtin_inff() : result;
  return x < 0.0f || x != x ? __builtin_nanf("") : result;
}

CPW_INLINE float sigmoid(float x) { return 1.0f / (1.0f + exponential(-x)); }

CPW_INLINE float hyperbolicTangent(float x) {
  const float z = x * x;
  float p = 21844.0f / 6081075.0f;
  p = p * z - 1382.0f / 155925.0f;
  p = p * z + 62.0f / 2835.0f;
  p = p * z - 17.0f / 315.0f;
  p = p * z + 2.0f / 15.0f;
  p = p * z - 1.0f / 3.0f;
  const float near = x + x * z * p;
  const float far = 1.0f - 2.0f / (exponential(2.0f * x) + 1.0f);
  return z < 0.1225f ? near : far;
}

// e^x − 1 without loss near zero.
CPW_INLINE float exponentialMinusOne(float x) {
  float p = 1.0f / 362880.0f;
  p = p * x + 1.0f / 40320.0f;
  p = p * x + 1.0f / 5040.0f;
  p = p * x + 1.0f / 720.0f;
  p = p * x + 1.0f / 120.0f;
  p = p * x + 1.0f / 24.0f;
  p = p * x + 1.0f / 6.0f;
  p = p * x + 0.5f;
  p = p * x + 1.0f;
  return x > -0.5f && x < 0.5f ? p * x : exponential(x) - 1.0f;
}

// max(x, 0) + log(1 + e^−|x|)
CPW_INLINE float softplus(float x) {
  const float y = exponential(x < 0.0f ? x : -x);
  const float tail = doubleArtanh(y / (2.0f + y));
  return (x > 0.0f ? x : 0.0f) + tail;
}

}  // namespace atelier

#endif
