#include <algorithm>

#include "Internal.hpp"

using namespace ck;

namespace {

inline uint32_t orderOf(float value) {
  const uint32_t bits = value == 0 ? 0u : __builtin_bit_cast(uint32_t, value);
  if (value != value) return 0xffffffffu;
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

inline uint32_t orderOf(Brain value) { return orderOf(toFloat(value)); }

inline uint32_t orderOf(int32_t value) { return static_cast<uint32_t>(value) ^ 0x80000000u; }

/// A value's order in the upper half and its place in the lower one: comparing keys sorts stably.
template <typename Element>
inline uint64_t keyOf(Element value, bool descending, int64_t place) {
  const uint32_t order = orderOf(value);
  return static_cast<uint64_t>(descending ? ~order : order) << 32 | static_cast<uint64_t>(place);
}

constexpr int kDigits = 3;
constexpr int kDigitBits = 11;
constexpr int kBuckets = 1 << kDigitBits;

/// Sorts keys by their upper halves, which are in the order of their places already; returns which of the
/// two memories holds them.
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

/// The first few keys of a short line, each put where it belongs among those before.
template <typename Element>
const uint64_t *selectFew(
    const Element *line, int64_t extent, int64_t step, bool descending, int64_t wanted,
    uint64_t *first) {
  int64_t held = 0;
  for (int64_t i = 0; i < extent; ++i) {
    const uint64_t key = keyOf(line[i * step], descending, i);
    if (held == wanted && key > first[wanted - 1]) continue;
    int64_t at = held < wanted ? held++ : wanted - 1;
    for (; at > 0 && first[at - 1] > key; --at) first[at] = first[at - 1];
    first[at] = key;
  }
  return first;
}

/// The first `wanted` keys of a line in order; `first` and `second` have room for all of its keys.
template <typename Element>
const uint64_t *select(
    const Element *line, int64_t extent, int64_t step, bool descending, int64_t wanted,
    uint64_t *first, uint64_t *second) {
  if (wanted <= kFew && extent <= kShort) return selectFew(line, extent, step, descending, wanted, first);
  const int64_t room = 2 * wanted + 512;
  if (room >= extent) {
    for (int64_t i = 0; i < extent; ++i) first[i] = keyOf(line[i * step], descending, i);
    if (extent >= 512 && 4 * wanted >= extent) return sortByBits(first, second, extent);
    if (wanted < extent) std::nth_element(first, first + wanted, first + extent);
    std::sort(first, first + wanted);
    return first;
  }
  // Keeps the best so far and some more; whatever comes after the worst of the best is passed over.
  uint64_t limit = ~0ull;
  int64_t held = 0;
  for (int64_t i = 0; i < extent; ++i) {
    const uint64_t key = keyOf(line[i * step], descending, i);
    if (key > limit) continue;
    first[held++] = key;
    if (held < room) continue;
    std::nth_element(first, first + wanted - 1, first + held);
    limit = first[wanted - 1];
    held = wanted;
  }
  if (held > wanted) std::nth_element(first, first + wanted, first + held);
  std::sort(first, first + wanted);
  return first;
}

/// How many neighbouring lines are read together: those of a cache line, where they lie column by column.
int64_t blockWidth(const ck_lines &lines) {
  return lines.inner > 1 && lines.extent <= 65536 ? 16 : 1;
}

size_t threadShare(const ck_lines &lines) {
  const size_t blockBytes =
      blockWidth(lines) > 1 ? static_cast<size_t>(blockWidth(lines)) * sizeof(float) : 0;
  return rounded(static_cast<size_t>(lines.extent) * (2 * sizeof(uint64_t) + blockBytes));
}

template <typename Element, typename Place>
void topOf(
    const ck_lines &lines, int64_t wanted, bool smallest, const Element *source, Element *values,
    Place *indices, char *scratch, size_t share, int32_t threads) {
  const int64_t extent = lines.extent, inner = lines.inner;
  const int64_t width = blockWidth(lines), blocks = ceilDivide(inner, width);
  const int64_t units = lines.outer * blocks;
  const int64_t together = std::max<int64_t>(1, 4096 / (extent * width));
  forParts(
      ceilDivide(units, together),
      [&](int64_t part, int thread) {
        uint64_t *first = reinterpret_cast<uint64_t *>(scratch + static_cast<size_t>(thread) * share);
        Element *block = reinterpret_cast<Element *>(first + 2 * extent);
        const int64_t end = std::min(units, (part + 1) * together);
        for (int64_t unit = part * together; unit < end; ++unit) {
          const int64_t column = unit % blocks * width, some = std::min(width, inner - column);
          const Element *line = source + unit / blocks * extent * inner + column;
          int64_t step = inner;
          if (width > 1) {
            for (int64_t i = 0; i < extent; ++i)
              std::copy(line + i * inner, line + i * inner + some, block + i * width);
            line = block;
            step = width;
          }
          for (int64_t c = 0; c < some; ++c, ++line) {
            const uint64_t *keys =
                select(line, extent, step, !smallest, wanted, first, first + extent);
            const int64_t to = unit / blocks * wanted * inner + column + c;
            for (int64_t i = 0; i < wanted; ++i) {
              const int64_t place = static_cast<int64_t>(keys[i] & 0xffffffffu);
              if (values) values[to + i * inner] = line[place * step];
              indices[to + i * inner] = static_cast<Place>(place);
            }
          }
        }
      },
      threads);
}

}  // namespace

extern "C" {

size_t ck_top_scratch_bytes(const ck_lines *lines, int32_t threads) {
  return threadShare(*lines) * static_cast<size_t>(std::max(threads, 1));
}

int32_t ck_top(
    const ck_lines *lines, ck_type type, int64_t count, int32_t smallest, const void *source,
    void *values, void *indices, void *scratch, int32_t threads) {
  if (count < 0 || count > lines->extent || lines->extent > INT32_MAX) return -1;
  if (count == 0 || lines->outer <= 0 || lines->inner <= 0) return 0;
  char *memory = static_cast<char *>(scratch);
  const size_t share = threadShare(*lines);
  const int32_t most = std::max(threads, 1);
  switch (type) {
    case CK_F32:
      topOf(*lines, count, smallest, static_cast<const float *>(source),
          static_cast<float *>(values), static_cast<float *>(indices), memory, share, most);
      return 0;
    case CK_BF16:
      topOf(*lines, count, smallest, static_cast<const Brain *>(source),
          static_cast<Brain *>(values), static_cast<float *>(indices), memory, share, most);
      return 0;
    case CK_S32:
      topOf(*lines, count, smallest, static_cast<const int32_t *>(source),
          static_cast<int32_t *>(values), static_cast<int32_t *>(indices), memory, share, most);
      return 0;
    default: return -1;
  }
}

int32_t ck_cumulative_sum(
    const ck_lines *lines, int32_t exclusive, int32_t reverse, const float *source,
    float *destination) {
  const int64_t extent = lines->extent, inner = lines->inner;
  if (lines->outer <= 0 || extent <= 0 || inner <= 0) return 0;
  constexpr int64_t most = 256;
  const int64_t pieces = ceilDivide(inner, most), units = lines->outer * pieces;
  const int64_t work = extent * std::min(inner, most);
  const int64_t together = pieces > 1 ? 1 : std::max<int64_t>(1, 16384 / work);
  forParts(ceilDivide(units, together), [&](int64_t part, int) {
    double sums[most];
    const int64_t end = std::min(units, (part + 1) * together);
    for (int64_t unit = part * together; unit < end; ++unit) {
      const int64_t from = unit % pieces * most, some = std::min(most, inner - from);
      const int64_t base = unit / pieces * extent * inner + from;
      if (inner == 1) {
        double sum = 0;
        for (int64_t i = 0; i < extent; ++i) {
          const int64_t at = base + (reverse ? extent - 1 - i : i);
          const double before = sum;
          sum += source[at];
          destination[at] = static_cast<float>(exclusive ? before : sum);
        }
        continue;
      }
      std::fill(sums, sums + some, 0.0);
      for (int64_t i = 0; i < extent; ++i) {
        const int64_t row = base + (reverse ? extent - 1 - i : i) * inner;
        for (int64_t c = 0; c < some; ++c) {
          const double after = sums[c] + source[row + c];
          destination[row + c] = static_cast<float>(exclusive ? sums[c] : after);
          sums[c] = after;
        }
      }
    }
  });
  return 0;
}

int32_t ck_dot(
    int32_t rank, const int64_t *extents, int64_t channels, int32_t cosine, const float *first,
    const int64_t *first_strides, const float *second, const int64_t *second_strides,
    float *destination) {
  if (rank < 0 || rank > 16) return -1;
  int64_t rows = 1;
  for (int32_t axis = 0; axis < rank; ++axis) rows *= extents[axis];
  const int64_t together = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, channels));
  const Table &kernels = table();
  forParts(ceilDivide(rows, together), [&](int64_t part, int) {
    const int64_t end = std::min(rows, (part + 1) * together);
    for (int64_t row = part * together; row < end; ++row) {
      int64_t rest = row, a = 0, b = 0;
      for (int32_t axis = rank - 1; axis >= 0; --axis) {
        const int64_t index = rest % extents[axis];
        rest /= extents[axis];
        a += index * first_strides[axis];
        b += index * second_strides[axis];
      }
      destination[row] = kernels.dotProduct(first + a, second + b, channels, cosine);
    }
  });
  return 0;
}

}  // extern "C"
