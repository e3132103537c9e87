#include "Indices.hpp"

using namespace ck;

namespace {

/// Columns that one thread takes at a time.
constexpr int64_t columns = 1024;

/// Calls `body` with what an update of the mode leaves, so that loops are compiled for each. Comparisons are
/// written so that not-a-number never takes the place of another value.
template <typename Body>
void withMode(ck_scatter_mode mode, Body body) {
  switch (mode) {
    case CK_SCATTER_UPDATE: return body([](float, float value) { return value; });
    case CK_SCATTER_ADD: return body([](float held, float value) { return held + value; });
    case CK_SCATTER_SUBTRACT: return body([](float held, float value) { return held - value; });
    case CK_SCATTER_MULTIPLY: return body([](float held, float value) { return held * value; });
    case CK_SCATTER_DIVIDE: return body([](float held, float value) { return held / value; });
    case CK_SCATTER_MAXIMUM:
      return body([](float held, float value) { return value >= held ? value : held; });
    case CK_SCATTER_MINIMUM:
      return body([](float held, float value) { return value < held ? value : held; });
  }
}

/// The runs [outer, count, size] change those that start at `starts` in blocks of `block` elements. Threads
/// share blocks and columns: each sees the updates of its elements in their order.
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

int64_t change(
    ck_scatter_mode mode, ck_type type, const void *updates, void *destination,
    const int64_t *starts, int64_t outer, int64_t count, int64_t size, int64_t block) {
  if (type == CK_BF16) {
    changeRuns(static_cast<const uint16_t *>(updates), static_cast<uint16_t *>(destination), starts,
        outer, count, size, block, [](uint16_t value, uint16_t &held) { held = value; });
    return -1;
  }
  withMode(mode, [&](auto combine) {
    changeRuns(static_cast<const float *>(updates), static_cast<float *>(destination), starts,
        outer, count, size, block,
        [=](float value, float &held) { held = combine(held, value); });
  });
  return -1;
}

/// Columns of [outer, count, inner], walked index by index.
template <typename Element, typename Combine>
void changeAlong(
    const ck_axis &a, const float *indices, const Element *updates, Element *destination,
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
          const int64_t place = placeOf(indices[at], a.extent);
          if (place < 0)
            bad.note(at);
          else
            combine(updates[at], base[place]);
        }
        continue;
      }
      for (int64_t i = 0; i < a.count; ++i) {
        const int64_t row = (unit / pieces * a.count + i) * a.inner;
        for (int64_t c = from; c < last; ++c) {
          const int64_t place = placeOf(indices[row + c], a.extent);
          if (place < 0)
            bad.note(row + c);
          else
            combine(updates[row + c], base[place * a.inner + c]);
        }
      }
    }
  });
}

}  // namespace

extern "C" {

int64_t ck_scatter_slices(
    const ck_slices *slices, ck_scatter_mode mode, ck_type type, const float *indices,
    const void *updates, void *destination, int64_t *starts) {
  FirstPosition bad;
  constexpr int64_t share = 16384;
  forParts(ceilDivide(slices->count, share), [&](int64_t part, int) {
    const int64_t end = std::min(slices->count, (part + 1) * share);
    for (int64_t i = part * share; i < end; ++i) starts[i] = sliceStart(*slices, indices, i, bad);
  });
  if (bad.result() >= 0) return bad.result();
  return change(mode, type, updates, destination, starts, 1, slices->count, slices->size, 0);
}

int64_t ck_scatter(
    const ck_axis *axis, ck_scatter_mode mode, ck_type type, const float *indices,
    const void *updates, void *destination, int64_t *starts) {
  for (int64_t i = 0; i < axis->count; ++i) {
    const int64_t place = placeOf(indices[i], axis->extent);
    if (place < 0) return i;
    starts[i] = place * axis->inner;
  }
  return change(mode, type, updates, destination, starts, axis->outer, axis->count, axis->inner,
      axis->extent * axis->inner);
}

int64_t ck_scatter_along_axis(
    const ck_axis *axis, ck_scatter_mode mode, ck_type type, const float *indices,
    const void *updates, void *destination) {
  FirstPosition bad;
  if (type == CK_BF16) {
    changeAlong(*axis, indices, static_cast<const uint16_t *>(updates),
        static_cast<uint16_t *>(destination), bad,
        [](uint16_t value, uint16_t &held) { held = value; });
  } else {
    withMode(mode, [&](auto combine) {
      changeAlong(*axis, indices, static_cast<const float *>(updates),
          static_cast<float *>(destination), bad,
          [=](float value, float &held) { held = combine(held, value); });
    });
  }
  return bad.result();
}

}  // extern "C"
