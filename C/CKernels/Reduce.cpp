#include <algorithm>

#include "Internal.hpp"

using namespace ck;

namespace {

/// One value at a time, in order, in double precision.
struct Accumulator {
  ck_reduction reduction;
  double total;
  int64_t best = 0, seen = 0;

  explicit Accumulator(ck_reduction kind)
      : reduction(kind), total(kind == CK_REDUCE_PRODUCT ? 1.0 : 0.0) {}

  /// Not a number is above and below all numbers.
  bool isFirstNaN(double value) const { return value != value && total == total; }

  void add(double value) {
    switch (reduction) {
      case CK_REDUCE_SUM: case CK_REDUCE_MEAN: case CK_REDUCE_LOG_SUM: total += value; break;
      case CK_REDUCE_PRODUCT: total *= value; break;
      case CK_REDUCE_SUM_SQUARE: case CK_REDUCE_L2: total += value * value; break;
      case CK_REDUCE_L1: total += std::fabs(value); break;
      case CK_REDUCE_MAX: case CK_REDUCE_ARG_MAX:
        if (seen == 0 || value > total || isFirstNaN(value)) {
          total = value;
          best = seen;
        }
        break;
      case CK_REDUCE_MIN:
        if (seen == 0 || value < total || isFirstNaN(value)) total = value;
        break;
    }
    ++seen;
  }

  double result(double epsilon) const {
    switch (reduction) {
      case CK_REDUCE_MEAN: return total / static_cast<double>(seen);
      case CK_REDUCE_LOG_SUM: return std::log(total + epsilon);
      case CK_REDUCE_L2: return std::sqrt(total);
      case CK_REDUCE_ARG_MAX: return static_cast<double>(best);
      default: return total;
    }
  }
};

template <typename Element>
void reduceOf(
    ck_reduction reduction, float epsilon, const Element *source, Element *destination,
    int64_t outer, int64_t axis, int64_t inner) {
  const int64_t results = outer * inner;
  const int64_t together = std::max<int64_t>(1, 16384 / axis);
  forParts(ceilDivide(results, together), [&](int64_t part, int) {
    const int64_t end = std::min(results, (part + 1) * together);
    for (int64_t index = part * together; index < end; ++index) {
      const Element *at = source + index / inner * axis * inner + index % inner;
      Accumulator sum(reduction);
      for (int64_t i = 0; i < axis; ++i) sum.add(toFloat(at[i * inner]));
      fromFloat(static_cast<float>(sum.result(epsilon)), destination[index]);
    }
  });
}

}  // namespace

extern "C" int32_t ck_reduce(
    ck_reduction reduction, float epsilon, ck_type type, const void *source, void *destination,
    int64_t outer, int64_t axis, int64_t inner) {
  if (reduction < CK_REDUCE_SUM || reduction > CK_REDUCE_ARG_MAX || axis <= 0) return -1;
  switch (type) {
    case CK_F32:
      reduceOf(reduction, epsilon, static_cast<const float *>(source),
          static_cast<float *>(destination), outer, axis, inner);
      return 0;
    case CK_BF16:
      reduceOf(reduction, epsilon, static_cast<const Brain *>(source),
          static_cast<Brain *>(destination), outer, axis, inner);
      return 0;
    case CK_F16:
      reduceOf(reduction, epsilon, static_cast<const Half *>(source),
          static_cast<Half *>(destination), outer, axis, inner);
      return 0;
    default: return -1;
  }
}
