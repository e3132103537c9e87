#include "Internal.hpp"

extern "C" {

void ck_weigh_rows(
    float *sums, const uint8_t *rows, size_t row_stride, const float *weights, size_t taps,
    size_t count) {
  ck::table().weighRows(sums, rows, row_stride, weights, taps, count);
}

void ck_weigh_columns(
    uint8_t *out, const float *sums, const int32_t *starts, const int32_t *counts,
    const float *weights, size_t stride, size_t width, int32_t components) {
  ck::table().weighColumns(out, sums, starts, counts, weights, stride, width, components);
}

}  // extern "C"
