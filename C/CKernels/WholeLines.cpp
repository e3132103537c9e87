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

/// Sums of a type that may be wider than the elements; `finish` makes an element of each.
template <typename Whole, typename Sum, typename Fold, typename Finish>
void fold(
    const ck_lines &lines, const Whole *source, Whole *destination, Sum start, Fold next,
    Finish finish) {
  forColumns(lines, [=](int64_t from, int64_t to, int64_t columns) {
    if (lines.inner == 1) {
      Sum sum = start;
      for (int64_t i = 0; i < lines.extent; ++i) sum = next(sum, source[from + i]);
      destination[to] = finish(sum);
      return;
    }
    Sum sums[mostColumns];
    std::fill(sums, sums + columns, start);
    for (int64_t i = 0; i < lines.extent; ++i) {
      const Whole *row = source + from + i * lines.inner;
      for (int64_t c = 0; c < columns; ++c) sums[c] = next(sums[c], row[c]);
    }
    for (int64_t c = 0; c < columns; ++c) destination[to + c] = finish(sums[c]);
  });
}

template <typename Whole, typename Fold>
void fold(const ck_lines &lines, const Whole *source, Whole *destination, Whole start, Fold next) {
  fold(lines, source, destination, start, next, [](Whole sum) { return sum; });
}

/// A type that holds exact sums of 2³¹ numbers, and the product of one of them and a number just out of their range.
template <typename Whole>
using Wide = std::conditional_t<sizeof(Whole) == 4, int64_t, __int128>;

template <typename Whole>
Whole saturated(Wide<Whole> value) {
  constexpr Wide<Whole> least = std::numeric_limits<Whole>::min();
  constexpr Wide<Whole> most = std::numeric_limits<Whole>::max();
  return Whole(value < least ? least : value > most ? most : value);
}

/// Sums and products kept to the range, and means, all from exact sums.
template <typename Whole>
void foldWide(
    ck_whole_folding folding, const ck_lines &lines, const Whole *source, Whole *to) {
  using W = Wide<Whole>;
  // One beyond every number that fits: further factors keep it there, but for 0.
  static constexpr W most = W(std::numeric_limits<Whole>::max()) + 2;
  const W extent = lines.extent;
  switch (folding) {
    case CK_WHOLE_MEAN:
      return fold(lines, source, to, W(0), [](W s, Whole x) { return s + x; },
          [=](W s) { return Whole(s / extent); });
    case CK_WHOLE_SATURATED_SUM:
      return fold(
          lines, source, to, W(0), [](W s, Whole x) { return s + x; }, saturated<Whole>);
    case CK_WHOLE_SATURATED_L1:
      return fold(lines, source, to, W(0), [](W s, Whole x) { return s + (x < 0 ? -W(x) : W(x)); },
          saturated<Whole>);
    case CK_WHOLE_SATURATED_SUM_OF_SQUARES:
      return fold(lines, source, to, W(0),
          [](W s, Whole x) { return std::min(s + W(x) * W(x), most); }, saturated<Whole>);
    default:
      return fold(lines, source, to, W(1),
          [](W s, Whole x) { return std::max(std::min(s * W(x), most), -most); },
          saturated<Whole>);
  }
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
    case CK_WHOLE_MEAN:
    case CK_WHOLE_SATURATED_SUM:
    case CK_WHOLE_SATURATED_PRODUCT:
    case CK_WHOLE_SATURATED_SUM_OF_SQUARES:
    case CK_WHOLE_SATURATED_L1:
      foldWide(folding, lines, source, to);
      return 0;
  }
  return -1;
}

template <typename Sum, typename Whole, typename Finish>
void runningSums(
    const ck_lines &lines, bool exclusive, bool reverse, const Whole *source, Whole *destination,
    Finish finish) {
  forColumns(lines, [=](int64_t from, int64_t, int64_t columns) {
    Sum sums[mostColumns];
    std::fill(sums, sums + columns, Sum(0));
    for (int64_t i = 0; i < lines.extent; ++i) {
      const int64_t row = from + (reverse ? lines.extent - 1 - i : i) * lines.inner;
      for (int64_t c = 0; c < columns; ++c) {
        const Sum before = sums[c];
        sums[c] += Sum(source[row + c]);
        destination[row + c] = finish(exclusive ? before : sums[c]);
      }
    }
  });
}

template <typename Whole>
void runningSums(
    const ck_lines &lines, bool exclusive, bool reverse, bool saturates, const Whole *source,
    Whole *destination) {
  using U = std::make_unsigned_t<Whole>;
  if (saturates)
    runningSums<Wide<Whole>>(
        lines, exclusive, reverse, source, destination, saturated<Whole>);
  else
    runningSums<U>(
        lines, exclusive, reverse, source, destination, [](U sum) { return Whole(sum); });
}

/// The sum of two, or the end of the range that it lies beyond.
__int128 boundedSum(__int128 a, __int128 b) {
  __int128 sum;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  constexpr unsigned __int128 top = (unsigned __int128)(1) << 127;
  return a < 0 ? __int128(top) : __int128(top - 1);
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
      if (d.saturates) {
        for (int64_t c = 0; c < d.columns; ++c) {
          __int128 sum = 0;
          for (int64_t k = 0; k < d.inner; ++k)
            sum = boundedSum(sum, __int128(a[k * l[2]]) * b[k * r[1] + c * r[2]]);
          constexpr __int128 least = std::numeric_limits<Whole>::min();
          constexpr __int128 most = std::numeric_limits<Whole>::max();
          to[c] = Whole(std::min(std::max(sum, least), most));
        }
        continue;
      }
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
    const ck_lines *lines, ck_type type, int32_t exclusive, int32_t reverse, int32_t saturates,
    const void *source, void *destination) {
  if (type == CK_S32)
    runningSums(*lines, exclusive, reverse, saturates, static_cast<const int32_t *>(source),
        static_cast<int32_t *>(destination));
  else if (type == CK_S64)
    runningSums(*lines, exclusive, reverse, saturates, static_cast<const int64_t *>(source),
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
