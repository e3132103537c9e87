// Included for AVX-512 with bfloat16 only. These kernels gain nothing from bfloat16 instructions, so they are compiled for
// AVX-512 alone.

static void reductionBlock(const ReductionBlock &block) { avx512Table.reductionBlock(block); }
static void groupNormBlock(const GroupNormBlock &block) { avx512Table.groupNorm(block); }
static void normGradientStatistics(const NormGradientBlock &block) { avx512Table.normGradientStatistics(block); }
static void normGradientApply(const NormGradientBlock &block) { avx512Table.normGradientApply(block); }
static void poolingGradient(const PoolingWindow &window) { avx512Table.poolingGradient(window); }
static void sumRange(const SumRange &range) { avx512Table.sumRange(range); }
static void randomRange(const RandomRange &range) { avx512Table.randomRange(range); }
static void recurrenceStep(const RecurrenceStep &step) { avx512Table.recurrenceStep(step); }
static void foldMaximum(const void *row, ck_type type, int64_t count, bool starts, float *folded) {
  avx512Table.foldMaximum(row, type, count, starts, folded);
}
static void foldSum(const void *row, ck_type type, int64_t count, bool starts, double *folded) {
  avx512Table.foldSum(row, type, count, starts, folded);
}
static void cropRow(const CropRow &row) { avx512Table.cropRow(row); }
static bool overlapsAny(const SelectedBoxes &selected, const Box &box, double overlap, bool perClass) {
  return avx512Table.overlapsAny(selected, box, overlap, perClass);
}
static float dotProduct(const float *a, const float *b, int64_t count, bool cosine) {
  return avx512Table.dotProduct(a, b, count, cosine);
}
static void weightedSumOfRows(
    float *sums, const uint8_t *rows, size_t rowStride, const float *weights, size_t taps, size_t count) {
  avx512Table.weightedSumOfRows(sums, rows, rowStride, weights, taps, count);
}
static void weightedSumOfColumns(
    uint8_t *out, const float *sums, const int32_t *starts, const int32_t *counts, const float *weights,
    size_t stride, size_t width, int32_t components) {
  avx512Table.weightedSumOfColumns(out, sums, starts, counts, weights, stride, width, components);
}
static void storedBlock(const StoredBlock &block) { avx512Table.storedBlock(block); }
static void widenStored(const ck_stored_matrix &matrix, int64_t column, int64_t first, int64_t count, float *to) {
  avx512Table.widenStored(matrix, column, first, count, to);
}
static void integerRow(const IntegerRow &row) { avx512Table.integerRow(row); }
