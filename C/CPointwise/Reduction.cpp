#include <cmath>
#include <cstring>

#include "Parallel.hpp"
#include "VectorMath.hpp"
#include "include/CPointwise.h"

namespace atelier {
namespace {

// Elements that are summed in float32 before double takes over. Fixed, so that the number of
// threads changes no bit.
constexpr int64_t chunkElements = 16384;
// Columns that are reduced side by side.
constexpr int64_t columnBlock = 256;
constexpr int64_t lanes = 32;

// What a value becomes before it is folded, and how it is folded.
struct Sum {
  static constexpr float start = 0.0f;
  CPW_INLINE float map(float x, float) { return x; }
  CPW_INLINE float fold(float r, float x) { return r + x; }
};
struct SumOfLogs : Sum {
  CPW_INLINE float map(float x, float epsilon) { return logarithm(x + epsilon); }
};
struct SumOfSquares : Sum {
  CPW_INLINE float map(float x, float) { return x * x; }
};
struct SumOfMagnitudes : Sum {
  CPW_INLINE float map(float x, float) { return __builtin_fabsf(x); }
};
struct Product {
  static constexpr float start = 1.0f;
  CPW_INLINE float map(float x, float) { return x; }
  CPW_INLINE float fold(float r, float x) { return r * x; }
};
struct Maximum {
  static constexpr float start = -__builtin_inff();
  CPW_INLINE float map(float x, float) { return x; }
  // Not a number is above all numbers, and stays.
  CPW_INLINE float fold(float r, float x) { return ((x > r) | (x != x)) ? x : r; }
};
struct Minimum {
  static constexpr float start = __builtin_inff();
  CPW_INLINE float map(float x, float) { return x; }
  CPW_INLINE float fold(float r, float x) { return ((x < r) | (x != x)) ? x : r; }
};

CPW_INLINE float load(const float *source, int64_t at) { return source[at]; }
CPW_INLINE float load(const uint16_t *source, int64_t at) { return fromBFloat16(source[at]); }

// Folds `count` neighbours.
template <typename Rule, typename Element>
CPW_INLINE float foldRow(const Element *source, int64_t count, float epsilon) {
  float partial[lanes];
  for (int64_t lane = 0; lane < lanes; ++lane) partial[lane] = Rule::start;
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (int64_t lane = 0; lane < lanes; ++lane) {
      partial[lane] = Rule::fold(partial[lane], Rule::map(load(source, i + lane), epsilon));
    }
  }
  float result = Rule::start;
  for (; i < count; ++i) result = Rule::fold(result, Rule::map(load(source, i), epsilon));
  for (int64_t width = lanes / 2; width > 0; width /= 2) {
    for (int64_t lane = 0; lane < width; ++lane) {
      partial[lane] = Rule::fold(partial[lane], partial[lane + width]);
    }
  }
  return Rule::fold(result, partial[0]);
}

// Folds `count` rows of `columns` elements, `stride` apart, column by column.
template <typename Rule, typename Element>
CPW_INLINE void foldColumns(
    const Element *source, int64_t count, int64_t stride, int64_t columns, float *result,
    float epsilon) {
  for (int64_t column = 0; column < columns; ++column) result[column] = Rule::start;
  for (int64_t row = 0; row < count; ++row) {
    const Element *line = source + row * stride;
    CPW_VECTORIZE for (int64_t column = 0; column < columns; ++column) {
      result[column] = Rule::fold(result[column], Rule::map(load(line, column), epsilon));
    }
  }
}

#define CPW_RULE(name, Rule)                                                                   \
  CPW_CLONES float name##Row(const float *source, int64_t count, float epsilon) {              \
    return foldRow<Rule>(source, count, epsilon);                                              \
  }                                                                                            \
  CPW_CLONES float name##RowHalf(const uint16_t *source, int64_t count, float epsilon) {       \
    return foldRow<Rule>(source, count, epsilon);                                              \
  }                                                                                            \
  CPW_CLONES void name##Columns(                                                               \
      const float *source, int64_t count, int64_t stride, int64_t columns, float *result,      \
      float epsilon) {                                                                         \
    foldColumns<Rule>(source, count, stride, columns, result, epsilon);                        \
  }                                                                                            \
  CPW_CLONES void name##ColumnsHalf(                                                           \
      const uint16_t *source, int64_t count, int64_t stride, int64_t columns, float *result,   \
      float epsilon) {                                                                         \
    foldColumns<Rule>(source, count, stride, columns, result, epsilon);                        \
  }

CPW_RULE(sum, Sum)
CPW_RULE(sumOfLogs, SumOfLogs)
CPW_RULE(sumOfSquares, SumOfSquares)
CPW_RULE(sumOfMagnitudes, SumOfMagnitudes)
CPW_RULE(product, Product)
CPW_RULE(maximum, Maximum)
CPW_RULE(minimum, Minimum)

struct Loops {
  float (*row)(const float *, int64_t, float);
  float (*rowHalf)(const uint16_t *, int64_t, float);
  void (*columns)(const float *, int64_t, int64_t, int64_t, float *, float);
  void (*columnsHalf)(const uint16_t *, int64_t, int64_t, int64_t, float *, float);
};

#define CPW_LOOPS(name) Loops{name##Row, name##RowHalf, name##Columns, name##ColumnsHalf}

Loops loopsOf(cpw_reduction_kind kind) {
  switch (kind) {
    case CPW_REDUCE_PRODUCT: return CPW_LOOPS(product);
    case CPW_REDUCE_SUM_OF_LOGS: return CPW_LOOPS(sumOfLogs);
    case CPW_REDUCE_SUM_OF_SQUARES:
    case CPW_REDUCE_L2: return CPW_LOOPS(sumOfSquares);
    case CPW_REDUCE_L1: return CPW_LOOPS(sumOfMagnitudes);
    case CPW_REDUCE_MAXIMUM: return CPW_LOOPS(maximum);
    case CPW_REDUCE_MINIMUM: return CPW_LOOPS(minimum);
    default: return CPW_LOOPS(sum);
  }
}

float finish(cpw_reduction_kind kind, double value, int64_t axis) {
  switch (kind) {
    case CPW_REDUCE_MEAN: return float(value / double(axis));
    case CPW_REDUCE_L2: return float(std::sqrt(value));
    case CPW_REDUCE_LOG_OF_SUM: return float(std::log(value));
    default: return float(value);
  }
}

double foldPartials(cpw_reduction_kind kind, double result, float partial) {
  switch (kind) {
    case CPW_REDUCE_PRODUCT: return result * partial;
    case CPW_REDUCE_MAXIMUM: return partial > result || partial != partial ? partial : result;
    case CPW_REDUCE_MINIMUM: return partial < result || partial != partial ? partial : result;
    default: return result + partial;
  }
}

int64_t chunkLength(const cpw_reduction &reduction) {
  const int64_t width = reduction.inner < columnBlock ? reduction.inner : columnBlock;
  const int64_t length = chunkElements / (width < 1 ? 1 : width);
  return length < 1 ? 1 : length;
}

int64_t chunkCount(const cpw_reduction &reduction) {
  const int64_t length = chunkLength(reduction);
  return reduction.axis == 0 ? 1 : (reduction.axis + length - 1) / length;
}

// Sums and the like: partial results of every chunk, then the chunks in their order.
template <typename Element>
void foldChunks(
    const cpw_reduction &reduction, const Element *source, float *destination, float *partials) {
  const Loops loops = loopsOf(reduction.kind);
  const int64_t outer = reduction.outer, axis = reduction.axis, inner = reduction.inner;
  const int64_t length = chunkLength(reduction), chunks = chunkCount(reduction);
  const int64_t blocks = (inner + columnBlock - 1) / columnBlock;
  const float epsilon = reduction.epsilon;
  parallelRanges(outer * chunks * blocks, outer * axis * inner, [&](int64_t first, int64_t end) {
    for (int64_t unit = first; unit < end; ++unit) {
      const int64_t block = unit % blocks;
      const int64_t chunk = unit / blocks % chunks;
      const int64_t plane = unit / blocks / chunks;
      const int64_t start = chunk * length;
      const int64_t count = axis - start < length ? axis - start : length;
      const int64_t column = block * columnBlock;
      const int64_t columns = inner - column < columnBlock ? inner - column : columnBlock;
      const Element *from = source + (plane * axis + start) * inner + column;
      float *to = partials + (plane * chunks + chunk) * inner + column;
      if constexpr (sizeof(Element) == 4) {
        if (inner == 1) {
          *to = loops.row(from, count, epsilon);
        } else {
          loops.columns(from, count, inner, columns, to, epsilon);
        }
      } else {
        if (inner == 1) {
          *to = loops.rowHalf(from, count, epsilon);
        } else {
          loops.columnsHalf(from, count, inner, columns, to, epsilon);
        }
      }
    }
  });
  for (int64_t plane = 0; plane < outer; ++plane) {
    for (int64_t column = 0; column < inner; ++column) {
      const float *from = partials + plane * chunks * inner + column;
      double result = *from;
      for (int64_t chunk = 1; chunk < chunks; ++chunk) {
        result = foldPartials(reduction.kind, result, from[chunk * inner]);
      }
      destination[plane * inner + column] = finish(reduction.kind, result, axis);
    }
  }
}

// The index of the first extreme, or of the first NaN.
template <typename Element>
void foldPositions(const cpw_reduction &reduction, const Element *source, float *destination) {
  const int64_t axis = reduction.axis, inner = reduction.inner;
  const bool largest = reduction.kind == CPW_REDUCE_ARGMAX;
  const int64_t units = reduction.outer * inner;
  parallelRanges(units, units * axis, [&](int64_t first, int64_t end) {
    for (int64_t unit = first; unit < end; ++unit) {
      const Element *from = source + unit / inner * axis * inner + unit % inner;
      float best = axis > 0 ? load(from, 0) : 0.0f;
      int64_t position = 0;
      for (int64_t i = 1; i < axis; ++i) {
        const float value = load(from, i * inner);
        if ((largest ? value > best : value < best) || (value != value && best == best)) {
          best = value;
          position = i;
        }
      }
      destination[unit] = float(position);
    }
  });
}

// log Σ e^x = m + log Σ e^(x − m) with m the largest x.
template <typename Element>
void foldExponentials(const cpw_reduction &reduction, const Element *source, float *destination) {
  const int64_t axis = reduction.axis, inner = reduction.inner;
  const int64_t units = reduction.outer * inner;
  parallelRanges(units, units * axis * 8, [&](int64_t first, int64_t end) {
    for (int64_t unit = first; unit < end; ++unit) {
      const Element *from = source + unit / inner * axis * inner + unit % inner;
      float largest = -__builtin_inff();
      for (int64_t i = 0; i < axis; ++i) {
        const float value = load(from, i * inner);
        largest = value > largest ? value : largest;
      }
      const float shift = largest - largest == 0.0f ? largest : 0.0f;
      double sum = 0.0;
      for (int64_t i = 0; i < axis; ++i) sum += exponential(load(from, i * inner) - shift);
      destination[unit] = float(double(shift) + std::log(sum));
    }
  });
}

template <typename Element>
void run(
    const cpw_reduction &reduction, const Element *source, float *destination, float *scratch) {
  switch (reduction.kind) {
    case CPW_REDUCE_ARGMAX:
    case CPW_REDUCE_ARGMIN: return foldPositions(reduction, source, destination);
    case CPW_REDUCE_LOG_OF_SUM_OF_EXPONENTIALS:
      return foldExponentials(reduction, source, destination);
    default: return foldChunks(reduction, source, destination, scratch);
  }
}

}  // namespace
}  // namespace atelier

extern "C" {

size_t cpw_reduction_scratch_bytes(const cpw_reduction *reduction) {
  const int64_t values = reduction->outer * reduction->inner * atelier::chunkCount(*reduction);
  return size_t(values < 1 ? 1 : values) * sizeof(float);
}

int32_t cpw_reduction_run(
    const cpw_reduction *reduction, const void *source, float *destination, void *scratch) {
  return atelier::guarded([=] {
    float *partials = static_cast<float *>(scratch);
    if (reduction->type == CPW_BF16) {
      atelier::run(*reduction, static_cast<const uint16_t *>(source), destination, partials);
    } else {
      atelier::run(*reduction, static_cast<const float *>(source), destination, partials);
    }
  });
}

}  // extern "C"
