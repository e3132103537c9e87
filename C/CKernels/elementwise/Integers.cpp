#include <algorithm>

#include "common/Table.hpp"

using namespace ck;

namespace {

constexpr int32_t maxAxes = 8;
/// The number of elements in one part.
constexpr int64_t share = 16384;

/// The rows of a dense result. Merges axes that are contiguous for all operands, and divides long rows.
template <int count>
class Rows {
 public:
  Rows(int32_t rank, const int64_t *shape, const ck_strided (&operands)[count]) {
    total = 1;
    axes = 0;
    for (int32_t axis = 0; axis < rank; ++axis) {
      total *= shape[axis];
      if (shape[axis] == 1) continue;
      bool joins = axes > 0;
      for (int n = 0; n < count && joins; ++n)
        joins = strides[n][axes - 1] == operands[n].strides[axis] * shape[axis];
      if (joins)
        sizes[axes - 1] *= shape[axis];
      else
        sizes[axes++] = shape[axis];
      for (int n = 0; n < count; ++n) strides[n][axes - 1] = operands[n].strides[axis];
    }
    if (axes == 0) {
      sizes[axes++] = 1;
      for (int n = 0; n < count; ++n) strides[n][0] = 0;
    }
  }

  /// Calls `body(offsets, steps, index, count)` for every row. `offsets` and `steps` hold one number for each operand:
  /// the offset of the row's first element, and the distance between elements. `index` is the row's index in the
  /// result, and `count` the number of its elements.
  template <typename Body>
  void forEach(Body body) const {
    if (total <= 0) return;
    const int last = axes - 1;
    const int64_t run = sizes[last], piece = std::min(run, share);
    const int64_t pieces = ceilDivide(run, piece), units = total / run * pieces;
    const int64_t together = std::max<int64_t>(1, share / piece);
    int64_t steps[count];
    for (int n = 0; n < count; ++n) steps[n] = strides[n][last];
    forParts(ceilDivide(units, together), [&](int64_t part, int) {
      const int64_t end = std::min(units, (part + 1) * together);
      for (int64_t unit = part * together; unit < end; ++unit) {
        const int64_t row = unit / pieces, from = unit % pieces * piece;
        int64_t offsets[count];
        for (int n = 0; n < count; ++n) {
          int64_t index = row;
          offsets[n] = from * steps[n];
          for (int axis = last - 1; axis >= 0; --axis) {
            offsets[n] += index % sizes[axis] * strides[n][axis];
            index /= sizes[axis];
          }
        }
        body(offsets, steps, row * run + from, std::min(piece, run - from));
      }
    });
  }

 private:
  int axes;
  int64_t total, sizes[maxAxes], strides[count][maxAxes];
};

template <typename Condition>
void choose(
    const Rows<3> &rows, const Condition *condition, const uint32_t *first, const uint32_t *second,
    uint32_t *destination) {
  rows.forEach([=](const int64_t *offsets, const int64_t *steps, int64_t index, int64_t count) {
    const Condition *c = condition + offsets[0];
    const uint32_t *a = first + offsets[1], *b = second + offsets[2];
    uint32_t *to = destination + index;
    if (steps[0] == 1 && steps[1] == 1 && steps[2] == 1) {
      for (int64_t i = 0; i < count; ++i) to[i] = c[i] != 0 ? a[i] : b[i];
      return;
    }
    for (int64_t i = 0; i < count; ++i)
      to[i] = c[i * steps[0]] != 0 ? a[i * steps[1]] : b[i * steps[2]];
  });
}

}  // namespace

extern "C" {

int32_t ck_integer_binary(
    ck_integer_function function, int32_t rank, const int64_t *shape, ck_strided first,
    ck_strided second, int32_t *destination) {
  if (rank < 0 || rank > maxAxes || function < CK_INTEGER_ADD || function > CK_INTEGER_SATURATED_POWER)
    return -1;
  const Table &kernels = table();
  const int32_t *a = static_cast<const int32_t *>(first.values);
  const int32_t *b = static_cast<const int32_t *>(second.values);
  Rows<2>(rank, shape, {first, second})
      .forEach([=, &kernels](const int64_t *offsets, const int64_t *steps, int64_t index,
                   int64_t count) {
        kernels.integerRow({function, a + offsets[0], b + offsets[1], steps[0], steps[1],
            destination + index, count});
      });
  return 0;
}

int32_t ck_select(
    ck_type conditionType, int32_t rank, const int64_t *shape, ck_strided condition,
    ck_strided first, ck_strided second, void *destination) {
  if (rank < 0 || rank > maxAxes || (conditionType != CK_F32 && conditionType != CK_S32)) return -1;
  const Rows<3> rows(rank, shape, {condition, first, second});
  const uint32_t *a = static_cast<const uint32_t *>(first.values);
  const uint32_t *b = static_cast<const uint32_t *>(second.values);
  uint32_t *to = static_cast<uint32_t *>(destination);
  if (conditionType == CK_F32)
    choose(rows, static_cast<const float *>(condition.values), a, b, to);
  else
    choose(rows, static_cast<const int32_t *>(condition.values), a, b, to);
  return 0;
}

}  // extern "C"
