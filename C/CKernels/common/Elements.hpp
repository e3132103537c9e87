#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "ck_types.h"

namespace ck {

/// A bfloat16 and a float16, as their bits.
struct BFloat16 {
  uint16_t bits;
};
struct Half {
  uint16_t bits;
};

inline float toFloat(float value) { return value; }
inline float toFloat(BFloat16 value) {
  return __builtin_bit_cast(float, static_cast<uint32_t>(value.bits) << 16);
}
float toFloat(Half value);
inline void fromFloat(float value, float &to) { to = value; }
/// The value must be 0 to 255.
inline void fromFloat(float value, uint8_t &to) { to = static_cast<uint8_t>(value); }
inline void fromFloat(float value, BFloat16 &to) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, value);
  to.bits = static_cast<uint16_t>(
      value != value ? (bits >> 16) | 0x40u : (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
void fromFloat(float value, Half &to);

inline int64_t ceilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Rounds a number of bytes up to a multiple of 128, the size of two cache lines.
inline size_t rounded(size_t bytes) { return (bytes + 127) / 128 * 128; }

inline size_t sizeOf(ck_type type) {
  switch (type) {
    case CK_F32: case CK_S32: return 4;
    case CK_BF16: case CK_F16: return 2;
    case CK_S8: case CK_U8: return 1;
    case CK_F64: case CK_S64: return 8;
  }
  return 0;
}

}  // namespace ck
