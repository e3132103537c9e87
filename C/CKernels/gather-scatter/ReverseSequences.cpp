#include "gather-scatter/Indices.hpp"

using namespace ck;

namespace {

/// The number of elements in one part.
constexpr int64_t share = 16384;

template <typename Element, typename Index>
void reverseOf(
    const ck_sequences &s, const Element *source, const Index *lengths, Element *destination) {
  const int64_t rows = s.middle * s.second * s.inner;
  const int64_t units = s.outer * s.first;
  const int64_t together = std::max<int64_t>(1, share / std::max<int64_t>(1, rows));
  forParts(ceilDivide(units, together), [&](int64_t part, int) {
    const int64_t end = std::min(units, (part + 1) * together);
    for (int64_t unit = part * together; unit < end; ++unit) {
      const int64_t first = unit % s.first;
      for (int64_t middle = 0; middle < s.middle; ++middle)
        for (int64_t second = 0; second < s.second; ++second) {
          const int64_t length = integerOf(lengths[s.batch_is_first ? first : second]);
          const int64_t time = s.batch_is_first ? second : first;
          const int64_t from = time < length ? length - 1 - time : time;
          const int64_t unitFrom = s.batch_is_first ? unit : unit - first + from;
          const int64_t secondFrom = s.batch_is_first ? from : second;
          std::memcpy(destination + ((unit * s.middle + middle) * s.second + second) * s.inner,
              source + ((unitFrom * s.middle + middle) * s.second + secondFrom) * s.inner,
              sizeof(Element) * static_cast<size_t>(s.inner));
        }
    }
  });
}

}  // namespace

extern "C" {

int64_t ck_reverse_sequences(
    const ck_sequences *sequences, ck_type type, const void *source, ck_numbers numbers,
    void *destination) {
  const ck_sequences &s = *sequences;
  const int64_t batch = s.batch_is_first ? s.first : s.second;
  const int64_t extent = s.batch_is_first ? s.second : s.first;
  return withNumbers(numbers, [&](auto *lengths) {
    for (int64_t entry = 0; entry < batch; ++entry) {
      const int64_t length = integerOf(lengths[entry]);
      if (length < 0 || length > extent) return entry;
    }
    if (sizeOf(type) == 2)
      reverseOf(s, static_cast<const uint16_t *>(source), lengths,
          static_cast<uint16_t *>(destination));
    else
      reverseOf(s, static_cast<const uint32_t *>(source), lengths,
          static_cast<uint32_t *>(destination));
    return static_cast<int64_t>(-1);
  });
}

}  // extern "C"
