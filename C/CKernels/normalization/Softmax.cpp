#include <algorithm>

#include "common/Table.hpp"

using namespace ck;

extern "C" int32_t ck_softmax(
    ck_type type, const void *source, void *destination, int64_t outer, int64_t axis, int64_t inner) {
  if (type != CK_F32 && type != CK_BF16 && type != CK_F16) return -1;
  if (outer <= 0 || axis <= 0 || inner <= 0) return 0;
  const int64_t size = static_cast<int64_t>(sizeOf(type));
  const Table &kernels = table();
  auto at = [&](const void *base, int64_t offset) {
    return static_cast<const char *>(base) + offset * size;
  };
  if (inner == 1) {
    // The number of rows per part: about 10 µs of work.
    const int64_t together = std::max<int64_t>(1, 8192 / axis);
    forParts(ceilDivide(outer, together), [&](int64_t part, int) {
      const int64_t first = part * together;
      SoftmaxBlock block{};
      block.type = type;
      block.axis = axis;
      block.stride = block.columns = 1;
      block.rows = std::min(together, outer - first);
      block.source = at(source, first * axis);
      block.destination = const_cast<char *>(at(destination, first * axis));
      kernels.softmax(block);
    });
    return 0;
  }
  constexpr int64_t columns = 64;
  const int64_t blocks = ceilDivide(inner, columns);
  forParts(outer * blocks, [&](int64_t part, int) {
    const int64_t column = part % blocks * columns;
    const int64_t offset = part / blocks * axis * inner + column;
    SoftmaxBlock block{};
    block.type = type;
    block.axis = axis;
    block.stride = inner;
    block.columns = std::min(columns, inner - column);
    block.rows = 1;
    block.source = at(source, offset);
    block.destination = const_cast<char *>(at(destination, offset));
    kernels.softmax(block);
  });
  return 0;
}
