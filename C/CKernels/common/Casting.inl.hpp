// Included once per instruction set, after Vector.hpp.

/// Truncates towards zero and clamps to the range of int32. Not-a-number becomes 0.
CK_INLINE Integers truncateToInt32(Vector x) {
  // The bounds are the least int32 and the largest float32 below 2³¹.
  const Vector clamped = least(greatest(x, splat(-0x1p31f)), splat(0x1.fffffep30f));
  Integers result = __builtin_convertvector(clamped, Integers);
  result = x >= splat(0x1p31f) ? (Integers)(INT32_MAX) : result;
  return x != x ? (Integers)(0) : result;
}

CK_INLINE Vector roundToHalf(Vector x) { return widenHalf(narrowToHalf(x)); }

/// Rounds to bfloat16 with integer arithmetic only, because the processor's instruction would flush subnormal numbers
/// to zero.
CK_INLINE Vector roundToBFloat16(Vector x) {
  const Bits bits = asBits(x);
  Bits rounded = bits + 0x7fffu + ((bits >> 16) & 1u);
  rounded = (x != x) ? (bits | 0x400000u) : rounded;
  return asFloat(rounded & 0xffff0000u);
}

/// Computes `to[i] = change(from[i])`, 16 elements at a time. Source and destination may be the same memory.
template <typename From, typename To, typename Change>
CK_INLINE void changeRun(const void *source, void *destination, int64_t count, Change change) {
  const char *from = static_cast<const char *>(source);
  char *to = static_cast<char *>(destination);
  for (int64_t i = 0; i < count; i += 16) {
    const size_t bytes = static_cast<size_t>(count - i < 16 ? count - i : 16) * 4;
    From values = {};
    if (bytes == 64) {
      __builtin_memcpy(&values, from + i * 4, 64);
    } else {
      __builtin_memcpy(&values, from + i * 4, bytes);
    }
    const To changed = change(values);
    if (bytes == 64) {
      __builtin_memcpy(to + i * 4, &changed, 64);
    } else {
      __builtin_memcpy(to + i * 4, &changed, bytes);
    }
  }
}

[[maybe_unused]] static void truncateRun(const float *source, int32_t *destination, int64_t count) {
  changeRun<Vector, Integers>(source, destination, count, [](Vector x) { return truncateToInt32(x); });
}

[[maybe_unused]] static void widenRun(const int32_t *source, float *destination, int64_t count) {
  changeRun<Integers, Vector>(
      source, destination, count, [](Integers x) { return __builtin_convertvector(x, Vector); });
}
