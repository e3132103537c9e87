#include <algorithm>
#include <limits>
#include <type_traits>

#include "Internal.hpp"

using namespace ck;

namespace {

/// Lines that lie side by side are walked together, so many at a time.
constexpr int64_t mostColumns = 256;
/// Elements that make a part: some ten microseconds of work.
constexpr int64_t partWork = 32768;

/// Calls `body(first, destination, columns)` for blocks of lines side by side: where the first one starts in the
/// source, and where its result stands.
template <typename Body>
void forColumns(const ck_lines &lines, Body body) {
  if (lines.outer <= 0 || lines.inner <= 0) return;
  const int64_t pieces = ceilDivide(lines.inner, mostColumns), units = lines.outer * pieces;
  const int64_t work = std::max<int64_t>(1, lines.extent * std::min(lines.inner, mostColumns));
  const int64_t together = std::max<int64_t>(1, partWork / work);
  forParts(ceilDivide(units, together), [&](int64_t part, int) {
    const int64_t end = std::min(units, (part + 1) * together);
    for (int64_t unit = part * together; unit < end; ++unit) {
      const int64_t outer = unit / pieces, from = unit % pieces * mostColumns;
      body(
          outer * lines.extent * lines.inner + from, outer * lines.inner + from,
          std::min(mostColumns, lines.inner - from));
    }
  });
}

template <typename Whole, typename Fold>
void fold(const ck_lines &lines, const Whole *source, Whole *destination, Whole start, Fold next) {
  forColumns(lines, [=](int64_t from, int64_t to, int64_t columns) {
    if (lines.inner == 1) {
      Whole sum = start;
      for (int64_t i = 0; i < lines.extent; ++i) sum = next(sum, source[from + i]);
      destination[to] = sum;
      return;
    }
    Whole sums[mostColumns];
    std::fill(sums, sums + columns, start);
    for (int64_t i = 0; i < lines.extent; ++i) {
      const Whole *row = source + from + i * lines.inner;
      for (int64_t c = 0; c < columns; ++c) sums[c] = next(sums[c], row[c]);
    }
    std::copy(sums, sums + columns, destination + to);
  });
}

template <typename Whole, typename Better>
void place(const ck_lines &lines, const Whole *source, int32_t *destination, Better isBetter) {
  forColumns(lines, [=](int64_t from, int64_t to, int64_t columns) {
    Whole best[mostColumns];
    std::copy(source + from, source + from + columns, best);
    std::fill(destination + to, destination + to + columns, 0);
    for (int64_t i = 1; i < lines.extent; ++i) {
      const Whole *row = source + from + i * lines.inner;
      for (int64_t c = 0; c < columns; ++c)
        if (isBetter(row[c], best[c])) {
          best[c] = row[c];
          destination[to + c] = static_cast<int32_t>(i);
        }
    }
  });
}

/// Wraps around as its unsigned twin does.
template <typename Whole>
int32_t foldAll(
    ck_whole_folding folding, const ck_lines &lines, const Whole *source, void *destination) {
  using U = std::make_unsigned_t<Whole>;
  Whole *to = static_cast<Whole *>(destination);
  int32_t *places = static_cast<int32_t *>(destination);
  switch (folding) {
    case CK_WHOLE_SUM:
      fold(lines, source, to, Whole(0), [](Whole s, Whole x) { return Whole(U(s) + U(x)); });
      return 0;
    case CK_WHOLE_PRODUCT:
      fold(lines, source, to, Whole(1), [](Whole s, Whole x) { return Whole(U(s) * U(x)); });
      return 0;
    case CK_WHOLE_SUM_OF_SQUARES:
      fold(lines, source, to, Whole(0), [](Whole s, Whole x) { return Whole(U(s) + U(x) * U(x)); });
      return 0;
    case CK_WHOLE_L1:
      fold(lines, source, to, Whole(0),
          [](Whole s, Whole x) { return Whole(U(s) + (x < 0 ? U(0) - U(x) : U(x))); });
      return 0;
    case CK_WHOLE_MOST:
      fold(lines, source, to, std::numeric_limits<Whole>::min(),
          [](Whole s, Whole x) { return s < x ? x : s; });
      return 0;
    case CK_WHOLE_LEAST:
      fold(lines, source, to, std::numeric_limits<Whole>::max(),
          [](Whole s, Whole x) { return x < s ? x : s; });
      return 0;
    case CK_WHOLE_PLACE_OF_MOST:
      place(lines, source, places, [](Whole x, Whole best) { return best < x; });
      return 0;
    case CK_WHOLE_PLACE_OF_LEAST:
      place(lines, source, places, [](Whole x, Whole best) { return x < best; });
      return 0;
  }
  return -1;
}

template <typename Whole>
void runningSums(
    const ck_lines &lines, bool exclusive, bool reverse, const Whole *source, Whole *destination) {
  using U = std::make_unsigned_t<Whole>;
  forColumns(lines, [=](int64_t from, int64_t, int64_t columns) {
    U sums[mostColumns];
    std::fill(sums, sums + columns, U(0));
    for (int64_t i = 0; i < lines.extent; ++i) {
      const int64_t row = from + (reverse ? lines.extent - 1 - i : i) * lines.inner;
      for (int64_t c = 0; c < columns; ++c) {
        const U before = sums[c];
        sums[c] += U(source[row + c]);
        destination[row + c] = Whole(exclusive ? before : sums[c]);
      }
    }
  });
}

template <typename Whole>
void product(const ck_whole_product &d, const Whole *left, const Whole *right, Whole *destination) {
  using U = std::make_unsigned_t<Whole>;
  const int64_t *l = d.left_strides, *r = d.right_strides;
  const int64_t work = std::max<int64_t>(1, d.inner * d.columns);
  const int64_t together = std::max<int64_t>(1, partWork / work), units = d.batch * d.rows;
  forParts(ceilDivide(units, together), [&](int64_t part, int) {
    const int64_t end = std::min(units, (part + 1) * together);
    for (int64_t unit = part * together; unit < end; ++unit) {
      const int64_t batch = unit / d.rows;
      const Whole *a = left + batch * l[0] + unit % d.rows * l[1];
      const Whole *b = right + batch * r[0];
      Whole *to = destination + unit * d.columns;
      if (r[2] == 1) {
        // Row by row of the right matrix: the loop that the compiler makes vectors of.
        std::fill(to, to + d.columns, Whole(0));
        for (int64_t k = 0; k < d.inner; ++k) {
          const U factor = U(a[k * l[2]]);
          const Whole *row = b + k * r[1];
          for (int64_t c = 0; c < d.columns; ++c) to[c] = Whole(U(to[c]) + factor * U(row[c]));
        }
        continue;
      }
      for (int64_t c = 0; c < d.columns; ++c) {
        U sum = 0;
        for (int64_t k = 0; k < d.inner; ++k) sum += U(a[k * l[2]]) * U(b[k * r[1] + c * r[2]]);
        to[c] = Whole(sum);
      }
    }
  });
}

}  // namespace

extern "C" {

int32_t ck_whole_fold(
    ck_whole_folding folding, ck_type type, const ck_lines *lines, const void *source,
    void *destination) {
  if (lines->extent < 1 || lines->extent > INT32_MAX) return -1;
  if (type == CK_S32)
    return foldAll(folding, *lines, static_cast<const int32_t *>(source), destination);
  if (type == CK_S64)
    return foldAll(folding, *lines, static_cast<const int64_t *>(source), destination);
  return -1;
}

int32_t ck_whole_cumulative_sum(
    const ck_lines *lines, ck_type type, int32_t exclusive, int32_t reverse, const void *source,
    void *destination) {
  if (type == CK_S32)
    runningSums(*lines, exclusive, reverse, static_cast<const int32_t *>(source),
        static_cast<int32_t *>(destination));
  else if (type == CK_S64)
    runningSums(*lines, exclusive, reverse, static_cast<const int64_t *>(source),
        static_cast<int64_t *>(destination));
  else
    return -1;
  return 0;
}

int32_t ck_whole_product_run(
    const ck_whole_product *description, const void *left, const void *right, void *destination) {
  const ck_whole_product &d = *description;
  if (d.batch <= 0 || d.rows <= 0 || d.columns <= 0) return 0;
  if (d.type == CK_S32)
    product(d, static_cast<const int32_t *>(left), static_cast<const int32_t *>(right),
        static_cast<int32_t *>(destination));
  else if (d.type == CK_S64)
    product(d, static_cast<const int64_t *>(left), static_cast<const int64_t *>(right),
        static_cast<int64_t *>(destination));
  else
    return -1;
  return 0;
}

}  // extern "C"
