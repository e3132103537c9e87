#include "Indices.hpp"

using namespace ck;

namespace {

/// Elements that one thread takes at a time.
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
          const int64_t length = wholeNumber(lengths[s.batch_is_first ? first : second]);
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

template <typename Index>
void markOf(
    int64_t outer, int64_t size, int64_t inner, float on, const Index *indices,
    float *destination) {
  const int64_t marks = outer * inner;
  forParts(ceilDivide(marks, share), [&](int64_t part, int) {
    const int64_t end = std::min(marks, (part + 1) * share);
    for (int64_t mark = part * share; mark < end; ++mark) {
      const int64_t place = wholeNumber(indices[mark]);
      if (place >= 0 && place < size)
        destination[(mark / inner * size + place) * inner + mark % inner] = on;
    }
  });
}

template <typename Number>
int64_t listOf(
    int32_t rank, const int64_t *shape, const Number *source, int64_t most, float *destination,
    int64_t *scratch) {
  int64_t count = 1;
  for (int32_t axis = 0; axis < rank; ++axis) count *= shape[axis];
  const int64_t parts = ceilDivide(count, share);
  forParts(parts, [&](int64_t part, int) {
    const int64_t end = std::min(count, (part + 1) * share);
    int64_t found = 0;
    for (int64_t at = part * share; at < end; ++at) found += source[at] != 0;
    scratch[part] = found;
  });
  int64_t total = 0;
  for (int64_t part = 0; part < parts; ++part) {
    const int64_t found = scratch[part];
    scratch[part] = total;
    total += found;
  }
  forParts(parts, [&](int64_t part, int) {
    int64_t index[16];
    int64_t rest = part * share;
    for (int32_t axis = rank - 1; axis >= 0; --axis) {
      index[axis] = rest % shape[axis];
      rest /= shape[axis];
    }
    const int64_t end = std::min(count, (part + 1) * share);
    int64_t row = scratch[part];
    for (int64_t at = part * share; at < end; ++at) {
      if (source[at] != 0) {
        if (row >= most) return;
        for (int32_t axis = 0; axis < rank; ++axis)
          destination[row * rank + axis] = static_cast<float>(index[axis]);
        ++row;
      }
      for (int32_t axis = rank - 1; axis >= 0; --axis) {
        if (++index[axis] < shape[axis]) break;
        index[axis] = 0;
      }
    }
  });
  return total;
}

}  // namespace

extern "C" {

void ck_one_hot(
    int64_t outer, int64_t size, int64_t inner, float on, float off, ck_numbers numbers,
    float *destination) {
  const int64_t total = outer * size * inner;
  forParts(ceilDivide(total, share), [&](int64_t part, int) {
    std::fill(destination + part * share, destination + std::min(total, (part + 1) * share), off);
  });
  withNumbers(numbers, [&](auto *indices) {
    markOf(outer, size, inner, on, indices, destination);
  });
}

int64_t ck_where_nonzero_scratch(int64_t count) { return ceilDivide(count, share) + 1; }

int64_t ck_where_nonzero(
    int32_t rank, const int64_t *shape, ck_numbers numbers, int64_t most, float *destination,
    int64_t *scratch) {
  if (rank < 0 || rank > 16) return -1;
  return withNumbers(numbers, [&](auto *source) {
    return listOf(rank, shape, source, most, destination, scratch);
  });
}

int64_t ck_reverse_sequences(
    const ck_sequences *sequences, ck_type type, const void *source, ck_numbers numbers,
    void *destination) {
  const ck_sequences &s = *sequences;
  const int64_t batch = s.batch_is_first ? s.first : s.second;
  const int64_t extent = s.batch_is_first ? s.second : s.first;
  return withNumbers(numbers, [&](auto *lengths) {
    for (int64_t entry = 0; entry < batch; ++entry) {
      const int64_t length = wholeNumber(lengths[entry]);
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
