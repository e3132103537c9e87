#include "common/Table.hpp"

using namespace ck;

extern "C" int32_t ck_max_pooling_run(
    const ck_max_pooling *description, const void *source, void *destination) {
  const ck_max_pooling &d = *description;
  if (d.type != CK_F32 && d.type != CK_BF16 && d.type != CK_F16) return -1;
  if (d.batch <= 0 || d.channels <= 0 || d.output_height <= 0 || d.output_width <= 0) return 0;
  const int64_t size = static_cast<int64_t>(sizeOf(d.type));
  const int64_t rowStride = d.width * d.channels;
  const Table &kernels = table();
  forParts(d.batch * d.output_height, [&](int64_t part, int) {
    const int64_t picture = part / d.output_height, y = part % d.output_height;
    MaxPoolingRow row{};
    row.type = d.type;
    row.rows = d.row_ends[y] - d.row_starts[y];
    row.rowStride = rowStride;
    row.channels = d.channels;
    row.outputWidth = d.output_width;
    row.columnStarts = d.column_starts;
    row.columnEnds = d.column_ends;
    row.source = static_cast<const char *>(source)
        + (picture * d.height + d.row_starts[y]) * rowStride * size;
    row.sourceEnd = static_cast<const char *>(source) + d.batch * d.height * rowStride * size;
    row.destination = static_cast<char *>(destination) + part * d.output_width * d.channels * size;
    row.destinationEnd = static_cast<char *>(row.destination) + d.output_width * d.channels * size;
    kernels.maxPoolingRow(row);
  });
  return 0;
}
