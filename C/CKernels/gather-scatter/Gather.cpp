#include "gather-scatter/Indices.hpp"

using namespace ck;

namespace {

/// The number of elements in one part.
constexpr int64_t share = 16384;

/// Copies runs of `size` elements to consecutive positions of the destination. `startOf(run)` returns a run's offset in
/// the source, or -1 for a run that is not copied.
template <typename Element, typename Start>
void copyRuns(
    const Element *source, Element *destination, int64_t runs, int64_t size, Start startOf) {
  if (runs <= 0 || size <= 0) return;
  if (size > share) {
    // Long runs are divided among threads, too.
    const int64_t pieces = ceilDivide(size, share);
    forParts(runs * pieces, [&](int64_t part, int) {
      const int64_t run = part / pieces, from = part % pieces * share;
      const int64_t start = startOf(run);
      if (start < 0) return;
      std::memcpy(destination + run * size + from, source + start + from,
          sizeof(Element) * static_cast<size_t>(std::min(share, size - from)));
    });
    return;
  }
  const int64_t together = std::max<int64_t>(1, share / size);
  forParts(ceilDivide(runs, together), [&](int64_t part, int) {
    const int64_t end = std::min(runs, (part + 1) * together);
    for (int64_t run = part * together; run < end; ++run) {
      const int64_t start = startOf(run);
      if (start < 0) continue;
      if (size == 1)
        destination[run] = source[start];
      else
        std::memcpy(destination + run * size, source + start,
            sizeof(Element) * static_cast<size_t>(size));
    }
  });
}

/// Gathers along the last axis, with the same indices in every row. Each part of the work is some elements of one row.
template <typename Element, typename Index>
void gatherElements(
    const ck_axis &a, const Element *source, const Index *indices, Element *destination,
    FirstPosition &bad) {
  const int64_t pieces = ceilDivide(a.count, share);
  forParts(a.outer * pieces, [&](int64_t part, int) {
    const int64_t from = part % pieces * share, end = std::min(a.count, from + share);
    const Element *row = source + part / pieces * a.extent;
    Element *to = destination + part / pieces * a.count;
    for (int64_t i = from; i < end; ++i) {
      const int64_t resolved = resolvedIndex(indices[i], a.extent);
      if (resolved < 0)
        bad.note(i);
      else
        to[i] = row[resolved];
    }
  });
}

template <typename Element, typename Index>
void gatherAlongOf(
    const ck_axis &a, const Element *source, const Index *indices, Element *destination,
    FirstPosition &bad) {
  const int64_t total = a.outer * a.count * a.inner;
  if (a.inner == 1) {
    const int64_t together = std::max<int64_t>(1, share / a.count);
    forParts(ceilDivide(a.outer, together), [&](int64_t part, int) {
      const int64_t end = std::min(a.outer, (part + 1) * together);
      for (int64_t row = part * together; row < end; ++row)
        for (int64_t at = row * a.count; at < (row + 1) * a.count; ++at) {
          const int64_t resolved = resolvedIndex(indices[at], a.extent);
          if (resolved < 0)
            bad.note(at);
          else
            destination[at] = source[row * a.extent + resolved];
        }
    });
    return;
  }
  forParts(ceilDivide(total, share), [&](int64_t part, int) {
    const int64_t begin = part * share, end = std::min(total, begin + share);
    int64_t inside = begin % a.inner, row = begin / a.inner % a.count;
    int64_t base = begin / a.inner / a.count * a.extent * a.inner;
    for (int64_t at = begin; at < end; ++at) {
      const int64_t resolved = resolvedIndex(indices[at], a.extent);
      if (resolved < 0)
        bad.note(at);
      else
        destination[at] = source[base + resolved * a.inner + inside];
      if (++inside < a.inner) continue;
      inside = 0;
      if (++row < a.count) continue;
      row = 0;
      base += a.extent * a.inner;
    }
  });
}

/// Calls `body` with source and destination as pointers to integers of the element's size.
template <typename Body>
void withElements(ck_type type, const void *source, void *destination, Body body) {
  if (sizeOf(type) == 2)
    body(static_cast<const uint16_t *>(source), static_cast<uint16_t *>(destination));
  else
    body(static_cast<const uint32_t *>(source), static_cast<uint32_t *>(destination));
}

}  // namespace

extern "C" {

int64_t ck_gather_slices(
    const ck_slices *slices, ck_type type, const void *source, ck_numbers numbers,
    void *destination) {
  FirstPosition bad;
  withNumbers(numbers, [&](auto *indices) {
    const auto start = [&](int64_t run) { return sliceStart(*slices, indices, run, bad); };
    withElements(type, source, destination, [&](auto *from, auto *to) {
      copyRuns(from, to, slices->count, slices->size, start);
    });
  });
  return bad.result();
}

int64_t ck_gather(
    const ck_axis *axis, ck_type type, const void *source, ck_numbers numbers,
    void *destination) {
  FirstPosition bad;
  const ck_axis a = *axis;
  withNumbers(numbers, [&](auto *indices) {
    const auto start = [&](int64_t run) {
      const int64_t at = run % a.count;
      const int64_t resolved = resolvedIndex(indices[at], a.extent);
      if (resolved >= 0) return (run / a.count * a.extent + resolved) * a.inner;
      bad.note(at);
      return static_cast<int64_t>(-1);
    };
    withElements(type, source, destination, [&](auto *from, auto *to) {
      if (a.inner == 1 && a.count >= 64)
        gatherElements(a, from, indices, to, bad);
      else
        copyRuns(from, to, a.outer * a.count, a.inner, start);
    });
  });
  return bad.result();
}

int64_t ck_gather_along_axis(
    const ck_axis *axis, ck_type type, const void *source, ck_numbers numbers,
    void *destination) {
  FirstPosition bad;
  if (axis->outer <= 0 || axis->count <= 0 || axis->inner <= 0) return -1;
  withNumbers(numbers, [&](auto *indices) {
    withElements(type, source, destination, [&](auto *from, auto *to) {
      gatherAlongOf(*axis, from, indices, to, bad);
    });
  });
  return bad.result();
}

}  // extern "C"
