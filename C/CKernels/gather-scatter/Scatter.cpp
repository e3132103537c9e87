#include <type_traits>

#include "gather-scatter/Indices.hpp"

using namespace ck;

namespace {

/// The number of columns in one part.
constexpr int64_t columns = 1024;

inline float added(float a, float b) { return a + b; }
inline float subtracted(float a, float b) { return a - b; }
inline float multiplied(float a, float b) { return a * b; }
inline float divided(float a, float b) { return a / b; }
inline int32_t added(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}
inline int32_t subtracted(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) - static_cast<uint32_t>(b));
}
inline int32_t multiplied(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
}
inline int32_t divided(int32_t a, int32_t b) {
  // The division in 64 bits does not trap for the smallest int32 divided by -1. The result wraps around.
  return b == 0 ? 0 : static_cast<int32_t>(static_cast<int64_t>(a) / b);
}

/// Calls `body` with the function of the mode, so that loops are compiled for each mode. The comparisons are written so
/// that a not-a-number never replaces another value.
template <typename Element, typename Body>
void withMode(ck_scatter_mode mode, Body body) {
  using E = Element;
  switch (mode) {
    case CK_SCATTER_UPDATE: return body([](E, E value) { return value; });
    case CK_SCATTER_ADD: return body([](E held, E value) { return added(held, value); });
    case CK_SCATTER_SUBTRACT: return body([](E held, E value) { return subtracted(held, value); });
    case CK_SCATTER_MULTIPLY: return body([](E held, E value) { return multiplied(held, value); });
    case CK_SCATTER_DIVIDE: return body([](E held, E value) { return divided(held, value); });
    case CK_SCATTER_MAXIMUM:
      return body([](E held, E value) { return value >= held ? value : held; });
    case CK_SCATTER_MINIMUM:
      return body([](E held, E value) { return value < held ? value : held; });
  }
}

/// Calls `body` with updates and destination in their own type, and with the function of the mode.
template <typename Body>
void withUpdates(
    ck_scatter_mode mode, ck_type type, const void *updates, void *destination, Body body) {
  if (type == CK_BF16)
    return body(static_cast<const uint16_t *>(updates), static_cast<uint16_t *>(destination),
        [](uint16_t value, uint16_t &held) { held = value; });
  const auto changing = [&](auto *from, auto *to) {
    using Element = std::remove_reference_t<decltype(*to)>;
    withMode<Element>(mode, [&](auto combine) {
      body(from, to, [=](Element value, Element &held) { held = combine(held, value); });
    });
  };
  if (type == CK_S32)
    changing(static_cast<const int32_t *>(updates), static_cast<int32_t *>(destination));
  else
    changing(static_cast<const float *>(updates), static_cast<float *>(destination));
}

/// Applies updates [outer, count, size]. The destination has `outer` blocks of `block` elements. Update i of a block
/// changes the `size` elements of that block from `starts[i]` on. Each thread applies all updates of its own blocks and
/// columns, in order.
template <typename Element, typename Combine>
void changeRuns(
    const Element *updates, Element *destination, const int64_t *starts, int64_t outer,
    int64_t count, int64_t size, int64_t block, Combine combine) {
  const int64_t pieces = ceilDivide(size, columns);
  const int64_t work = count * std::min(size, columns);
  const int64_t together = pieces > 1 ? 1 : std::max<int64_t>(1, 16384 / std::max<int64_t>(1, work));
  const int64_t units = outer * pieces;
  forParts(ceilDivide(units, together), [&](int64_t part, int) {
    const int64_t end = std::min(units, (part + 1) * together);
    for (int64_t unit = part * together; unit < end; ++unit) {
      const int64_t from = unit % pieces * columns, some = std::min(columns, size - from);
      const Element *run = updates + unit / pieces * count * size + from;
      Element *base = destination + unit / pieces * block + from;
      if (size == 1) {
        for (int64_t i = 0; i < count; ++i) combine(run[i], base[starts[i]]);
        continue;
      }
      for (int64_t i = 0; i < count; ++i, run += size) {
        Element *to = base + starts[i];
        for (int64_t c = 0; c < some; ++c) combine(run[c], to[c]);
      }
    }
  });
}

void change(
    ck_scatter_mode mode, ck_type type, const void *updates, void *destination,
    const int64_t *starts, int64_t outer, int64_t count, int64_t size, int64_t block) {
  withUpdates(mode, type, updates, destination, [=](auto *from, auto *to, auto combine) {
    changeRuns(from, to, starts, outer, count, size, block, combine);
  });
}

/// Applies updates [outer, count, inner] along the middle axis. A column has one outer and one inner index. Within a
/// column, applies the updates in the order of the indices.
template <typename Index, typename Element, typename Combine>
void changeAlong(
    const ck_axis &a, const Index *indices, const Element *updates, Element *destination,
    FirstPosition &bad, Combine combine) {
  const int64_t pieces = ceilDivide(a.inner, columns);
  const int64_t work = a.count * std::min(a.inner, columns);
  const int64_t together = pieces > 1 ? 1 : std::max<int64_t>(1, 16384 / std::max<int64_t>(1, work));
  const int64_t units = a.outer * pieces;
  forParts(ceilDivide(units, together), [&](int64_t part, int) {
    const int64_t end = std::min(units, (part + 1) * together);
    for (int64_t unit = part * together; unit < end; ++unit) {
      const int64_t from = unit % pieces * columns, last = std::min(a.inner, from + columns);
      Element *base = destination + unit / pieces * a.extent * a.inner;
      if (a.inner == 1) {
        for (int64_t at = unit * a.count; at < (unit + 1) * a.count; ++at) {
          const int64_t resolved = resolvedIndex(indices[at], a.extent);
          if (resolved < 0)
            bad.note(at);
          else
            combine(updates[at], base[resolved]);
        }
        continue;
      }
      for (int64_t i = 0; i < a.count; ++i) {
        const int64_t row = (unit / pieces * a.count + i) * a.inner;
        for (int64_t c = from; c < last; ++c) {
          const int64_t resolved = resolvedIndex(indices[row + c], a.extent);
          if (resolved < 0)
            bad.note(row + c);
          else
            combine(updates[row + c], base[resolved * a.inner + c]);
        }
      }
    }
  });
}

}  // namespace

extern "C" {

int64_t ck_scatter_slices(
    const ck_slices *slices, ck_scatter_mode mode, ck_type type, ck_numbers numbers,
    const void *updates, void *destination, int64_t *starts) {
  FirstPosition bad;
  constexpr int64_t share = 16384;
  withNumbers(numbers, [&](auto *indices) {
    forParts(ceilDivide(slices->count, share), [&](int64_t part, int) {
      const int64_t end = std::min(slices->count, (part + 1) * share);
      for (int64_t i = part * share; i < end; ++i)
        starts[i] = sliceStart(*slices, indices, i, bad);
    });
  });
  if (bad.result() >= 0) return bad.result();
  change(mode, type, updates, destination, starts, 1, slices->count, slices->size, 0);
  return -1;
}

int64_t ck_scatter(
    const ck_axis *axis, ck_scatter_mode mode, ck_type type, ck_numbers numbers,
    const void *updates, void *destination, int64_t *starts) {
  const int64_t bad = withNumbers(numbers, [&](auto *indices) {
    for (int64_t i = 0; i < axis->count; ++i) {
      const int64_t resolved = resolvedIndex(indices[i], axis->extent);
      if (resolved < 0) return i;
      starts[i] = resolved * axis->inner;
    }
    return static_cast<int64_t>(-1);
  });
  if (bad >= 0) return bad;
  change(mode, type, updates, destination, starts, axis->outer, axis->count, axis->inner,
      axis->extent * axis->inner);
  return -1;
}

int64_t ck_scatter_along_axis(
    const ck_axis *axis, ck_scatter_mode mode, ck_type type, ck_numbers numbers,
    const void *updates, void *destination) {
  FirstPosition bad;
  withNumbers(numbers, [&](auto *indices) {
    withUpdates(mode, type, updates, destination, [&](auto *from, auto *to, auto combine) {
      changeAlong(*axis, indices, from, to, bad, combine);
    });
  });
  return bad.result();
}

}  // extern "C"
