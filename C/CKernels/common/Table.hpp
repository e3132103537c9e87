#pragma once

#include "attention/Attention.hpp"
#include "common/Elements.hpp"
#include "convolution/ConvolutionRows.hpp"
#include "elementwise/Elementwise.hpp"
#include "elementwise/Pointwise.hpp"
#include "normalization/Normalization.hpp"
#include "pixels/Regions.hpp"
#include "quantized/StoredMatrix.hpp"
#include "recurrent/Recurrence.hpp"
#include "reductions/Reductions.hpp"
#include "threads/Parallel.hpp"
#include "winograd/WinogradBlocks.hpp"

namespace ck {

/// Measures the throughput of bfloat16 multiply-adds, divided by the throughput of float32 multiply-adds. Call this
/// function only if the processor has AVX512-BF16.
double bfloat16Rate();

/// The functions that each instruction set implements.
struct Table {
  const char *name;
  /// Whether one instruction multiplies pairs of bfloat16 and adds up the products. Without such an instruction, the
  /// kernels widen the values first, which takes longer than multiplying float32.
  bool multipliesBFloat16;
  /// maxVectors: the maximum number of vectors of output channels in one block. pixels[n]: the number of pixels of a
  /// tile that has n vectors of output channels.
  int maxVectors;
  int pixels[5];
  void (*convolutionRow)(const ConvolutionRow &);
  void (*productBlock)(const ProductBlock &);
  void (*depthwiseRow)(const DepthwiseRow &);
  void (*winogradBlock)(const WinogradBlock &);
  void (*winogradKernels)(const WinogradKernels &);
  void (*wideWinogradBlock)(const WideWinogradBlock &);
  void (*winogradGradient)(const WinogradGradientBlock &);
  void (*winogradGradientSums)(const WinogradGradientSums &);
  void (*pointwiseTiles)(const PointwiseTiles &);
  void (*reductionBlock)(const ReductionBlock &);
  void (*normStatistics)(const NormBlock &);
  void (*normApply)(const NormBlock &);
  void (*normGradientStatistics)(const NormGradientBlock &);
  void (*normGradientApply)(const NormGradientBlock &);
  void (*poolingGradient)(const PoolingWindow &);
  void (*sumRange)(const SumRange &);
  void (*maxPoolingRow)(const MaxPoolingRow &);
  void (*softmax)(const SoftmaxBlock &);
  void (*layerNorm)(const LayerNormBlock &);
  void (*groupNorm)(const GroupNormBlock &);
  void (*convertRun)(const void *source, ck_type from, void *destination, ck_type to, int64_t count);
  void (*randomRange)(const RandomRange &);
  void (*recurrenceStep)(const RecurrenceStep &);
  /// Combine the elements of `row` with those of `folded`, one by one. `foldMaximum` computes
  /// `folded = max(folded, row)`, which is not-a-number if either value is. `foldSum` computes `folded += row`. With
  /// `starts`, both functions compute `folded = row`.
  void (*foldMaximum)(const void *row, ck_type type, int64_t count, bool starts, float *folded);
  void (*foldSum)(const void *row, ck_type type, int64_t count, bool starts, double *folded);
  void (*cropRow)(const CropRow &);
  /// Whether the overlap of `box` with at least one of the selected boxes exceeds `overlap`. With `perClass`, only
  /// selected boxes of the same class as `box` count.
  bool (*overlapsAny)(const SelectedBoxes &selected, const Box &box, double overlap, bool perClass);
  float (*dotProduct)(const float *a, const float *b, int64_t count, bool cosine);
  /// Implement `ck_weighted_sum_of_rows` and `ck_weighted_sum_of_columns`.
  void (*weightedSumOfRows)(
      float *sums, const uint8_t *rows, size_t rowStride, const float *weights, size_t taps,
      size_t count);
  void (*weightedSumOfColumns)(
      uint8_t *out, const float *sums, const int32_t *starts, const int32_t *counts,
      const float *weights, size_t stride, size_t width, int32_t components);
  void (*truncateRun)(const float *source, int32_t *destination, int64_t count);
  void (*widenRun)(const int32_t *source, float *destination, int64_t count);
  void (*storedBlock)(const StoredBlock &);
  void (*widenStored)(
      const ck_stored_matrix &matrix, int64_t column, int64_t first, int64_t count, float *to);
  void (*integerRow)(const IntegerRow &);
  void (*attention)(const AttentionBlock &);
};

/// Returns the type of a convolution's multiply-adds.
inline ck_type productType(const ck_convolution &d, const Table &table) {
  return table.multipliesBFloat16 ? d.source_type : CK_F32;
}

extern const Table plainTable, avx2Table, avx512Table, avx512BF16Table;
const Table &table();

}  // namespace ck
