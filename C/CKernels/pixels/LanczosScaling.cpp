#include "common/Table.hpp"

extern "C" {

void ck_weighted_sum_of_rows(
    float *sums, const uint8_t *rows, size_t row_stride, const float *weights, size_t taps,
    size_t count) {
  ck::table().weightedSumOfRows(sums, rows, row_stride, weights, taps, count);
}

void ck_weighted_sum_of_columns(
    uint8_t *out, const float *sums, const int32_t *starts, const int32_t *counts,
    const float *weights, size_t stride, size_t width, int32_t components) {
  ck::table().weightedSumOfColumns(out, sums, starts, counts, weights, stride, width, components);
}

}  // extern "C"
