#include <algorithm>
#include <limits>
#include <type_traits>

#include "common/Table.hpp"

using namespace ck;

namespace {

/// The maximum number of neighbouring vectors that are reduced together.
constexpr int64_t maxColumns = 256;
/// The number of elements in one part: about 10 µs of work.
constexpr int64_t partWork = 32768;

/// Calls `body(first, destination, columns)` for blocks of neighbouring vectors. `first` is the offset of the block's
/// first vector in the source. `destination` is the offset of that vector's result in the destination.
template <typename Body>
void forColumns(const ck_vectors &vectors, Body body) {
  if (vectors.outer <= 0 || vectors.inner <= 0) return;
  const int64_t pieces = ceilDivide(vectors.inner, maxColumns), units = vectors.outer * pieces;
  const int64_t work = std::max<int64_t>(1, vectors.extent * std::min(vectors.inner, maxColumns));
  const int64_t together = std::max<int64_t>(1, partWork / work);
  forParts(ceilDivide(units, together), [&](int64_t part, int) {
    const int64_t end = std::min(units, (part + 1) * together);
    for (int64_t unit = part * together; unit < end; ++unit) {
      const int64_t outer = unit / pieces, from = unit % pieces * maxColumns;
      body(
          outer * vectors.extent * vectors.inner + from, outer * vectors.inner + from,
          std::min(maxColumns, vectors.inner - from));
    }
  });
}

/// Reduces with an accumulator (`Sum`) that may be wider than the elements. `finish` converts the accumulator to an
/// element.
template <typename Integer, typename Sum, typename Fold, typename Finish>
void fold(
    const ck_vectors &vectors, const Integer *source, Integer *destination, Sum start, Fold next,
    Finish finish) {
  forColumns(vectors, [=](int64_t from, int64_t to, int64_t columns) {
    if (vectors.inner == 1) {
      Sum sum = start;
      for (int64_t i = 0; i < vectors.extent; ++i) sum = next(sum, source[from + i]);
      destination[to] = finish(sum);
      return;
    }
    Sum sums[maxColumns];
    std::fill(sums, sums + columns, start);
    for (int64_t i = 0; i < vectors.extent; ++i) {
      const Integer *row = source + from + i * vectors.inner;
      for (int64_t c = 0; c < columns; ++c) sums[c] = next(sums[c], row[c]);
    }
    for (int64_t c = 0; c < columns; ++c) destination[to + c] = finish(sums[c]);
  });
}

template <typename Integer, typename Fold>
void fold(const ck_vectors &vectors, const Integer *source, Integer *destination, Integer start, Fold next) {
  fold(vectors, source, destination, start, next, [](Integer sum) { return sum; });
}

/// A type that holds the exact sum of 2³¹ numbers of type `Integer`. It also holds the exact product of one number of
/// type `Integer` and one number just outside the range of `Integer`.
template <typename Integer>
using Wide = std::conditional_t<sizeof(Integer) == 4, int64_t, __int128>;

template <typename Integer>
Integer saturated(Wide<Integer> value) {
  constexpr Wide<Integer> least = std::numeric_limits<Integer>::min();
  constexpr Wide<Integer> most = std::numeric_limits<Integer>::max();
  return Integer(value < least ? least : value > most ? most : value);
}

/// Computes the reductions that need exact sums or products: means, and sums and products that saturate.
template <typename Integer>
void foldWide(
    ck_integer_reduction_kind kind, const ck_vectors &vectors, const Integer *source, Integer *to) {
  using W = Wide<Integer>;
  // `most` is greater than every magnitude in range. Once a product is out of range, further factors keep it out of
  // range, unless a factor is 0.
  static constexpr W most = W(std::numeric_limits<Integer>::max()) + 2;
  const W extent = vectors.extent;
  switch (kind) {
    case CK_INTEGER_REDUCE_MEAN:
      return fold(vectors, source, to, W(0), [](W s, Integer x) { return s + x; },
          [=](W s) { return Integer(s / extent); });
    case CK_INTEGER_REDUCE_SATURATED_SUM:
      return fold(
          vectors, source, to, W(0), [](W s, Integer x) { return s + x; }, saturated<Integer>);
    case CK_INTEGER_REDUCE_SATURATED_L1:
      return fold(vectors, source, to, W(0), [](W s, Integer x) { return s + (x < 0 ? -W(x) : W(x)); },
          saturated<Integer>);
    case CK_INTEGER_REDUCE_SATURATED_SUM_OF_SQUARES:
      return fold(vectors, source, to, W(0),
          [](W s, Integer x) { return std::min(s + W(x) * W(x), most); }, saturated<Integer>);
    default:
      return fold(vectors, source, to, W(1),
          [](W s, Integer x) { return std::max(std::min(s * W(x), most), -most); },
          saturated<Integer>);
  }
}

template <typename Integer, typename Better>
void argExtreme(const ck_vectors &vectors, const Integer *source, int32_t *destination, Better isBetter) {
  forColumns(vectors, [=](int64_t from, int64_t to, int64_t columns) {
    Integer best[maxColumns];
    std::copy(source + from, source + from + columns, best);
    std::fill(destination + to, destination + to + columns, 0);
    for (int64_t i = 1; i < vectors.extent; ++i) {
      const Integer *row = source + from + i * vectors.inner;
      for (int64_t c = 0; c < columns; ++c)
        if (isBetter(row[c], best[c])) {
          best[c] = row[c];
          destination[to + c] = static_cast<int32_t>(i);
        }
    }
  });
}

/// Computes all kinds. Sums and products wrap around, like those of the unsigned type.
template <typename Integer>
int32_t foldAll(
    ck_integer_reduction_kind kind, const ck_vectors &vectors, const Integer *source, void *destination) {
  using U = std::make_unsigned_t<Integer>;
  Integer *to = static_cast<Integer *>(destination);
  int32_t *indices = static_cast<int32_t *>(destination);
  switch (kind) {
    case CK_INTEGER_REDUCE_SUM:
      fold(vectors, source, to, Integer(0), [](Integer s, Integer x) { return Integer(U(s) + U(x)); });
      return 0;
    case CK_INTEGER_REDUCE_PRODUCT:
      fold(vectors, source, to, Integer(1), [](Integer s, Integer x) { return Integer(U(s) * U(x)); });
      return 0;
    case CK_INTEGER_REDUCE_SUM_OF_SQUARES:
      fold(vectors, source, to, Integer(0), [](Integer s, Integer x) { return Integer(U(s) + U(x) * U(x)); });
      return 0;
    case CK_INTEGER_REDUCE_L1:
      fold(vectors, source, to, Integer(0),
          [](Integer s, Integer x) { return Integer(U(s) + (x < 0 ? U(0) - U(x) : U(x))); });
      return 0;
    case CK_INTEGER_REDUCE_MAXIMUM:
      fold(vectors, source, to, std::numeric_limits<Integer>::min(),
          [](Integer s, Integer x) { return s < x ? x : s; });
      return 0;
    case CK_INTEGER_REDUCE_MINIMUM:
      fold(vectors, source, to, std::numeric_limits<Integer>::max(),
          [](Integer s, Integer x) { return x < s ? x : s; });
      return 0;
    case CK_INTEGER_REDUCE_ARGMAX:
      argExtreme(vectors, source, indices, [](Integer x, Integer best) { return best < x; });
      return 0;
    case CK_INTEGER_REDUCE_ARGMIN:
      argExtreme(vectors, source, indices, [](Integer x, Integer best) { return x < best; });
      return 0;
    case CK_INTEGER_REDUCE_MEAN:
    case CK_INTEGER_REDUCE_SATURATED_SUM:
    case CK_INTEGER_REDUCE_SATURATED_PRODUCT:
    case CK_INTEGER_REDUCE_SATURATED_SUM_OF_SQUARES:
    case CK_INTEGER_REDUCE_SATURATED_L1:
      foldWide(kind, vectors, source, to);
      return 0;
  }
  return -1;
}

template <typename Sum, typename Integer, typename Finish>
void runningSums(
    const ck_vectors &vectors, bool exclusive, bool reverse, const Integer *source, Integer *destination,
    Finish finish) {
  forColumns(vectors, [=](int64_t from, int64_t, int64_t columns) {
    Sum sums[maxColumns];
    std::fill(sums, sums + columns, Sum(0));
    for (int64_t i = 0; i < vectors.extent; ++i) {
      const int64_t row = from + (reverse ? vectors.extent - 1 - i : i) * vectors.inner;
      for (int64_t c = 0; c < columns; ++c) {
        const Sum before = sums[c];
        sums[c] += Sum(source[row + c]);
        destination[row + c] = finish(exclusive ? before : sums[c]);
      }
    }
  });
}

template <typename Integer>
void runningSums(
    const ck_vectors &vectors, bool exclusive, bool reverse, bool saturates, const Integer *source,
    Integer *destination) {
  using U = std::make_unsigned_t<Integer>;
  if (saturates)
    runningSums<Wide<Integer>>(
        vectors, exclusive, reverse, source, destination, saturated<Integer>);
  else
    runningSums<U>(
        vectors, exclusive, reverse, source, destination, [](U sum) { return Integer(sum); });
}

/// Returns the sum. If the sum is out of the range of int128, returns the nearest end of that range.
__int128 boundedSum(__int128 a, __int128 b) {
  __int128 sum;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  constexpr unsigned __int128 top = (unsigned __int128)(1) << 127;
  return a < 0 ? __int128(top) : __int128(top - 1);
}

template <typename Integer>
void product(const ck_integer_matmul &d, const Integer *left, const Integer *right, Integer *destination) {
  using U = std::make_unsigned_t<Integer>;
  const int64_t *l = d.left_strides, *r = d.right_strides;
  const int64_t work = std::max<int64_t>(1, d.inner * d.columns);
  const int64_t together = std::max<int64_t>(1, partWork / work), units = d.batch * d.rows;
  forParts(ceilDivide(units, together), [&](int64_t part, int) {
    const int64_t end = std::min(units, (part + 1) * together);
    for (int64_t unit = part * together; unit < end; ++unit) {
      const int64_t batch = unit / d.rows;
      const Integer *a = left + batch * l[0] + unit % d.rows * l[1];
      const Integer *b = right + batch * r[0];
      Integer *to = destination + unit * d.columns;
      if (d.saturates) {
        for (int64_t c = 0; c < d.columns; ++c) {
          __int128 sum = 0;
          for (int64_t k = 0; k < d.inner; ++k)
            sum = boundedSum(sum, __int128(a[k * l[2]]) * b[k * r[1] + c * r[2]]);
          constexpr __int128 least = std::numeric_limits<Integer>::min();
          constexpr __int128 most = std::numeric_limits<Integer>::max();
          to[c] = Integer(std::min(std::max(sum, least), most));
        }
        continue;
      }
      if (r[2] == 1) {
        // Goes through the right matrix row by row, so that the compiler vectorises this loop.
        std::fill(to, to + d.columns, Integer(0));
        for (int64_t k = 0; k < d.inner; ++k) {
          const U factor = U(a[k * l[2]]);
          const Integer *row = b + k * r[1];
          for (int64_t c = 0; c < d.columns; ++c) to[c] = Integer(U(to[c]) + factor * U(row[c]));
        }
        continue;
      }
      for (int64_t c = 0; c < d.columns; ++c) {
        U sum = 0;
        for (int64_t k = 0; k < d.inner; ++k) sum += U(a[k * l[2]]) * U(b[k * r[1] + c * r[2]]);
        to[c] = Integer(sum);
      }
    }
  });
}

}  // namespace

extern "C" {

int32_t ck_integer_reduce(
    ck_integer_reduction_kind kind, ck_type type, const ck_vectors *vectors, const void *source,
    void *destination) {
  if (vectors->extent < 1 || vectors->extent > INT32_MAX) return -1;
  if (type == CK_S32)
    return foldAll(kind, *vectors, static_cast<const int32_t *>(source), destination);
  if (type == CK_S64)
    return foldAll(kind, *vectors, static_cast<const int64_t *>(source), destination);
  return -1;
}

int32_t ck_integer_cumulative_sum(
    const ck_vectors *vectors, ck_type type, int32_t exclusive, int32_t reverse, int32_t saturates,
    const void *source, void *destination) {
  if (type == CK_S32)
    runningSums(*vectors, exclusive, reverse, saturates, static_cast<const int32_t *>(source),
        static_cast<int32_t *>(destination));
  else if (type == CK_S64)
    runningSums(*vectors, exclusive, reverse, saturates, static_cast<const int64_t *>(source),
        static_cast<int64_t *>(destination));
  else
    return -1;
  return 0;
}

int32_t ck_integer_matmul_run(
    const ck_integer_matmul *description, const void *left, const void *right, void *destination) {
  const ck_integer_matmul &d = *description;
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
