// Included once per instruction set, after Vector.hpp.

template <typename Element>
constexpr ck_type typeOf() {
  return __is_same(Element, float) ? CK_F32 : __is_same(Element, BFloat16) ? CK_BF16 : CK_F16;
}

/// Converts values to bytes: clamps to 0 to 255 and truncates. Not-a-number becomes 0.
CK_INLINE Octets narrowToOctets(Vector x) {
  const Vector clamped = least(greatest(x, splat(0.0f)), splat(255.0f));
  return __builtin_convertvector(__builtin_convertvector(clamped, Integers), Octets);
}

static void octetsToFloat(const uint8_t *from, float *to, int64_t count) {
  int64_t i = 0;
  for (; i + 16 <= count; i += 16)
    store(to + i,
        __builtin_convertvector(
            __builtin_convertvector(*(const LooseOctets *)(from + i), Integers), Vector));
  for (; i < count; ++i) to[i] = from[i];
}

static void floatToOctets(const float *from, uint8_t *to, int64_t count) {
  int64_t i = 0;
  for (; i + 16 <= count; i += 16) *(LooseOctets *)(to + i) = narrowToOctets(load(from + i));
  if (i == count) return;
  const Octets some = narrowToOctets(loadSome(from + i, count - i));
  __builtin_memcpy(to + i, &some, size_t(count - i));
}

/// Converts `count` values, from index `start` of `source` on, to float32. The type is F32, BF16, F16 or U8.
static void anyToFloat(
    const void *source, ck_type type, int64_t start, float *to, int64_t count) {
  int64_t i = 0;
  if (type == CK_F32) {
    __builtin_memcpy(to, static_cast<const float *>(source) + start, sizeof(float) * count);
  } else if (type == CK_BF16) {
    const BFloat16 *from = static_cast<const BFloat16 *>(source) + start;
    for (; i + 16 <= count; i += 16) store(to + i, load(from + i));
    if (i < count) storeSome(to + i, loadSome(from + i, count - i), count - i);
  } else if (type == CK_U8) {
    octetsToFloat(static_cast<const uint8_t *>(source) + start, to, count);
  } else {
    const Half *from = static_cast<const Half *>(source) + start;
    for (; i + 16 <= count; i += 16) store(to + i, load(from + i));
    if (i < count) storeSome(to + i, loadSome(from + i, count - i), count - i);
  }
}

static void floatToAny(
    const float *from, void *destination, ck_type type, int64_t start, int64_t count) {
  int64_t i = 0;
  if (type == CK_F32) {
    __builtin_memcpy(static_cast<float *>(destination) + start, from, sizeof(float) * count);
  } else if (type == CK_BF16) {
    BFloat16 *to = static_cast<BFloat16 *>(destination) + start;
    for (; i + 16 <= count; i += 16) store(to + i, load(from + i));
    if (i < count) storeSome(to + i, loadSome(from + i, count - i), count - i);
  } else if (type == CK_U8) {
    floatToOctets(from, static_cast<uint8_t *>(destination) + start, count);
  } else {
    Half *to = static_cast<Half *>(destination) + start;
    for (; i + 16 <= count; i += 16) store(to + i, load(from + i));
    if (i < count) storeSome(to + i, loadSome(from + i, count - i), count - i);
  }
}

/// Converts contiguous values between float types.
static void convertRun(
    const void *source, ck_type from, void *destination, ck_type to, int64_t count) {
  alignas(64) float values[512];
  for (int64_t i = 0; i < count; i += 512) {
    const int64_t some = count - i < 512 ? count - i : 512;
    anyToFloat(source, from, i, values, some);
    floatToAny(values, destination, to, i, some);
  }
}
