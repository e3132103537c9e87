#include <algorithm>

#include "common/Table.hpp"

using namespace ck;

namespace {

inline uint32_t orderOf(float value) {
  const uint32_t bits = value == 0 ? 0u : __builtin_bit_cast(uint32_t, value);
  if (value != value) return 0xffffffffu;
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

inline uint32_t orderOf(BFloat16 value) { return orderOf(toFloat(value)); }

inline uint32_t orderOf(int32_t value) { return static_cast<uint32_t>(value) ^ 0x80000000u; }

/// Returns a key for sorting. The upper half of the key sorts like the value, and the lower half is the value's index,
/// so sorting by keys is stable.
template <typename Element>
inline uint64_t keyOf(Element value, bool descending, int64_t index) {
  const uint32_t order = orderOf(value);
  return static_cast<uint64_t>(descending ? ~order : order) << 32 | static_cast<uint64_t>(index);
}

constexpr int kDigits = 3;
constexpr int kDigitBits = 11;
constexpr int kBuckets = 1 << kDigitBits;

/// Sorts keys by their upper halves (radix sort). The indices in the lower halves must be in order already. Returns the
/// buffer, `keys` or `other`, that holds the result.
uint64_t *sortByBits(uint64_t *keys, uint64_t *other, int64_t count) {
  uint32_t counts[kDigits][kBuckets] = {};
  for (int64_t i = 0; i < count; ++i)
    for (int digit = 0; digit < kDigits; ++digit)
      ++counts[digit][keys[i] >> (32 + digit * kDigitBits) & (kBuckets - 1)];
  for (int digit = 0; digit < kDigits; ++digit) {
    const int shift = 32 + digit * kDigitBits;
    uint32_t *starts = counts[digit];
    if (starts[keys[0] >> shift & (kBuckets - 1)] == count) continue;
    uint32_t start = 0;
    for (int bucket = 0; bucket < kBuckets; ++bucket) {
      const uint32_t some = starts[bucket];
      starts[bucket] = start;
      start += some;
    }
    for (int64_t i = 0; i < count; ++i)
      other[starts[keys[i] >> shift & (kBuckets - 1)]++] = keys[i];
    std::swap(keys, other);
  }
  return keys;
}

constexpr int64_t kFew = 16, kShort = 4096;

/// Selects the first few keys of a short vector, by insertion sort.
template <typename Element>
const uint64_t *selectFew(
    const Element *vector, int64_t extent, int64_t step, bool descending, int64_t wanted,
    uint64_t *first) {
  int64_t held = 0;
  for (int64_t i = 0; i < extent; ++i) {
    const uint64_t key = keyOf(vector[i * step], descending, i);
    if (held == wanted && key > first[wanted - 1]) continue;
    int64_t at = held < wanted ? held++ : wanted - 1;
    for (; at > 0 && first[at - 1] > key; --at) first[at] = first[at - 1];
    first[at] = key;
  }
  return first;
}

/// Selects the first `wanted` keys of a vector, in order. `first` and `second` have space for all keys of the vector.
template <typename Element>
const uint64_t *select(
    const Element *vector, int64_t extent, int64_t step, bool descending, int64_t wanted,
    uint64_t *first, uint64_t *second) {
  if (wanted <= kFew && extent <= kShort) return selectFew(vector, extent, step, descending, wanted, first);
  const int64_t capacity = 2 * wanted + 512;
  if (capacity >= extent) {
    for (int64_t i = 0; i < extent; ++i) first[i] = keyOf(vector[i * step], descending, i);
    if (extent >= 512 && 4 * wanted >= extent) return sortByBits(first, second, extent);
    if (wanted < extent) std::nth_element(first, first + wanted, first + extent);
    std::sort(first, first + wanted);
    return first;
  }
  // Collects candidates in `first`. Whenever the buffer is full, keeps only the best `wanted` keys. `limit` is the
  // greatest of these, and greater keys are skipped.
  uint64_t limit = ~0ull;
  int64_t held = 0;
  for (int64_t i = 0; i < extent; ++i) {
    const uint64_t key = keyOf(vector[i * step], descending, i);
    if (key > limit) continue;
    first[held++] = key;
    if (held < capacity) continue;
    std::nth_element(first, first + wanted - 1, first + held);
    limit = first[wanted - 1];
    held = wanted;
  }
  if (held > wanted) std::nth_element(first, first + wanted, first + held);
  std::sort(first, first + wanted);
  return first;
}

/// Returns the number of neighbouring vectors that are read together. If the elements of neighbouring vectors are
/// interleaved, and the vectors are not too long, this is the number of elements in a cache line. Otherwise, it is 1.
int64_t blockWidth(const ck_vectors &vectors) {
  return vectors.inner > 1 && vectors.extent <= 65536 ? 16 : 1;
}

size_t threadShare(const ck_vectors &vectors) {
  const size_t blockBytes =
      blockWidth(vectors) > 1 ? static_cast<size_t>(blockWidth(vectors)) * sizeof(float) : 0;
  return rounded(static_cast<size_t>(vectors.extent) * (2 * sizeof(uint64_t) + blockBytes));
}

template <typename Element, typename Index>
void topKOf(
    const ck_vectors &vectors, int64_t wanted, bool smallest, const Element *source, Element *values,
    Index *indices, char *scratch, size_t share, int32_t threads) {
  const int64_t extent = vectors.extent, inner = vectors.inner;
  const int64_t width = blockWidth(vectors), blocks = ceilDivide(inner, width);
  const int64_t units = vectors.outer * blocks;
  const int64_t together = std::max<int64_t>(1, 4096 / (extent * width));
  forParts(
      ceilDivide(units, together),
      [&](int64_t part, int thread) {
        uint64_t *first = reinterpret_cast<uint64_t *>(scratch + static_cast<size_t>(thread) * share);
        Element *block = reinterpret_cast<Element *>(first + 2 * extent);
        const int64_t end = std::min(units, (part + 1) * together);
        for (int64_t unit = part * together; unit < end; ++unit) {
          const int64_t column = unit % blocks * width, some = std::min(width, inner - column);
          const Element *vector = source + unit / blocks * extent * inner + column;
          int64_t step = inner;
          if (width > 1) {
            for (int64_t i = 0; i < extent; ++i)
              std::copy(vector + i * inner, vector + i * inner + some, block + i * width);
            vector = block;
            step = width;
          }
          for (int64_t c = 0; c < some; ++c, ++vector) {
            const uint64_t *keys =
                select(vector, extent, step, !smallest, wanted, first, first + extent);
            const int64_t to = unit / blocks * wanted * inner + column + c;
            for (int64_t i = 0; i < wanted; ++i) {
              const int64_t index = static_cast<int64_t>(keys[i] & 0xffffffffu);
              if (values) values[to + i * inner] = vector[index * step];
              indices[to + i * inner] = static_cast<Index>(index);
            }
          }
        }
      },
      threads);
}

}  // namespace

extern "C" {

size_t ck_top_k_scratch_bytes(const ck_vectors *vectors, int32_t threads) {
  return threadShare(*vectors) * static_cast<size_t>(std::max(threads, 1));
}

int32_t ck_top_k(
    const ck_vectors *vectors, ck_type type, int64_t count, int32_t smallest, const void *source,
    void *values, void *indices, void *scratch, int32_t threads) {
  if (count < 0 || count > vectors->extent || vectors->extent > INT32_MAX) return -1;
  if (count == 0 || vectors->outer <= 0 || vectors->inner <= 0) return 0;
  char *memory = static_cast<char *>(scratch);
  const size_t share = threadShare(*vectors);
  const int32_t most = std::max(threads, 1);
  switch (type) {
    case CK_F32:
      topKOf(*vectors, count, smallest, static_cast<const float *>(source),
          static_cast<float *>(values), static_cast<float *>(indices), memory, share, most);
      return 0;
    case CK_BF16:
      topKOf(*vectors, count, smallest, static_cast<const BFloat16 *>(source),
          static_cast<BFloat16 *>(values), static_cast<float *>(indices), memory, share, most);
      return 0;
    case CK_S32:
      topKOf(*vectors, count, smallest, static_cast<const int32_t *>(source),
          static_cast<int32_t *>(values), static_cast<int32_t *>(indices), memory, share, most);
      return 0;
    default: return -1;
  }
}

}  // extern "C"
