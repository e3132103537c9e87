#include <algorithm>

#include "Internal.hpp"

using namespace ck;

static bool isFloat(ck_type type) { return type == CK_F32 || type == CK_BF16 || type == CK_F16; }

extern "C" int32_t ck_chain(
    const ck_step *steps, int32_t stepCount, const void *source, ck_type sourceType,
    void *destination, ck_type destinationType, int64_t outer, int64_t channels, int64_t inner) {
  if (!isFloat(sourceType) || !isFloat(destinationType)) return -1;
  for (int32_t s = 0; s < stepCount; ++s) {
    const ck_step &step = steps[s];
    const bool known = step.is_operation
        ? step.operation >= CK_ADD && step.operation <= CK_POW
        : step.function >= CK_IDENTITY && step.function <= CK_SWISH;
    if (!known || (step.is_operation && step.operand && !isFloat(step.operand_type))) return -1;
  }
  const int64_t total = outer * channels * inner;
  if (total <= 0) return 0;
  constexpr int64_t part = 32768;
  const Table &kernels = table();
  forParts(ceilDivide(total, part), [&](int64_t index, int) {
    kernels.chainRange({steps, stepCount, source, destination, sourceType, destinationType,
        index * part, std::min(part, total - index * part), channels, inner});
  });
  return 0;
}

extern "C" int32_t ck_binary(
    ck_operation operation, ck_type type, int32_t rank, const int64_t *shape, const void *a,
    const int64_t *aStrides, const void *b, const int64_t *bStrides, void *destination) {
  if (!isFloat(type) || rank < 0 || rank > 8) return -1;
  // Joins neighbouring axes that both operands walk evenly; axes of size 1 vanish.
  int64_t sizes[8], strideA[8], strideB[8];
  int axes = 0;
  int64_t total = 1;
  for (int32_t axis = 0; axis < rank; ++axis) {
    total *= shape[axis];
    if (shape[axis] == 1) continue;
    const bool joins = axes > 0 && strideA[axes - 1] == aStrides[axis] * shape[axis]
        && strideB[axes - 1] == bStrides[axis] * shape[axis];
    if (joins) {
      sizes[axes - 1] *= shape[axis];
    } else {
      sizes[axes++] = shape[axis];
    }
    strideA[axes - 1] = aStrides[axis];
    strideB[axes - 1] = bStrides[axis];
  }
  if (total <= 0) return 0;
  if (axes == 0) {
    sizes[0] = 1;
    strideA[0] = strideB[0] = 0;
    axes = 1;
  }
  const int last = axes - 1;
  int64_t run = sizes[last], outer = total / run;
  const bool even = (strideA[last] == 0 || strideA[last] == 1)
      && (strideB[last] == 0 || strideB[last] == 1);
  const Table &kernels = table();
  const int64_t size = static_cast<int64_t>(sizeOf(type));
  // Long runs are cut, short ones are gathered into parts of like work.
  const int64_t piece = even ? std::min<int64_t>(run, 32768) : run;
  const int64_t pieces = ceilDivide(run, piece);
  const int64_t units = outer * pieces;
  const int64_t together = std::max<int64_t>(1, 32768 / piece);
  forParts(ceilDivide(units, together), [&](int64_t part, int) {
    const int64_t end = std::min(units, (part + 1) * together);
    for (int64_t unit = part * together; unit < end; ++unit) {
      int64_t index = unit / pieces;
      const int64_t from = unit % pieces * piece;
      int64_t offsetA = from * strideA[last], offsetB = from * strideB[last];
      const int64_t place = index * run + from;
      for (int axis = last - 1; axis >= 0; --axis) {
        offsetA += index % sizes[axis] * strideA[axis];
        offsetB += index % sizes[axis] * strideB[axis];
        index /= sizes[axis];
      }
      BinaryRange range{operation, type, static_cast<const char *>(a) + offsetA * size,
          static_cast<const char *>(b) + offsetB * size, strideA[last] == 0, strideB[last] == 0,
          static_cast<char *>(destination) + place * size, std::min(piece, run - from)};
      if (even) {
        kernels.binaryRange(range);
        continue;
      }
      range.repeatA = range.repeatB = true;
      range.count = 1;
      for (int64_t i = 0; i < run; ++i) {
        kernels.binaryRange(range);
        range.a = static_cast<const char *>(range.a) + strideA[last] * size;
        range.b = static_cast<const char *>(range.b) + strideB[last] * size;
        range.destination = static_cast<char *>(range.destination) + size;
      }
    }
  });
  return 0;
}
