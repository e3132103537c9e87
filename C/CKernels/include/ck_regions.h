#ifndef ATELIER_CK_REGIONS_H
#define ATELIER_CK_REGIONS_H

/// Windows of volumes, regions of pictures, boxes.

#include "ck_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Pooling of dense volumes [planes, D, H, W]; sizes go depth, height, width.
typedef struct ck_volume_pooling {
  int64_t planes;
  int64_t input[3], output[3], kernel[3], stride[3];
  /// Declared padding. What windows cover beyond it does not exist.
  int64_t before[3], after[3];
  /// The maximum, where not-a-number wins and a window without an element gives 0; or else the average.
  int32_t is_maximum;
  /// Whether the average divides by the elements inside the volume only.
  int32_t excludes_padding;
  /// float32 or bfloat16.
  ck_type type;
} ck_volume_pooling;

size_t ck_volume_pooling_scratch_bytes(const ck_volume_pooling *description, int32_t threads);

/// Rows are folded first, then columns; sums in double precision.
int32_t ck_volume_pooling_run(
    const ck_volume_pooling *description, const void *source, void *destination, void *scratch,
    int32_t threads);

/// Where an interval from `start` to `end` is read at `count` points.
typedef enum ck_grid {
  /// start + i · length / (count - 1); at the start when count is 1
  CK_GRID_STRICT_ENDPOINTS = 0,
  /// The same; in the middle when count is 1.
  CK_GRID_ENDPOINTS = 1,
  /// min(end, start + i · (length + 1) / count)
  CK_GRID_UPSAMPLE = 2,
  /// min(end, start + (i + ½) · max(1, length) / count)
  CK_GRID_REGION_OF_INTEREST = 3,
  /// start + (i + ½) · (length + 1) / count - ½, kept inside the interval
  CK_GRID_PIXEL_CENTRES = 4,
} ck_grid;

/// Regions of pictures [batch, planes, height, width, channels], each resized to rows × columns by
/// interpolating between four pixels: [regions, batch, planes, rows, columns, channels], without the
/// batch where a region says of which picture it is.
typedef struct ck_crop_resize {
  int64_t batch, planes, height, width, channels;
  int64_t regions, rows, columns;
  /// 4 numbers a region, or 5 with that of its picture in front.
  int64_t numbers;
  ck_grid grid;
  /// Columns before rows; centre and size instead of corners.
  int32_t width_first, center_size;
  /// Factors of rows and columns.
  double row_scale, column_scale;
  /// float32 or bfloat16.
  ck_type type;
  /// Whether points outside of the picture have a value, which comes after; else they read its edge.
  int32_t has_outside;
  float outside;
} ck_crop_resize;

size_t ck_crop_resize_scratch_bytes(const ck_crop_resize *description);

/// Returns -1, or the first region whose picture does not exist.
int64_t ck_crop_resize_run(
    const ck_crop_resize *description, const void *pictures, const float *boxes,
    void *destination, void *scratch);

/// Boxes [batch, boxes, 4] (centre x, centre y, width, height) with scores [batch, boxes, classes].
typedef struct ck_suppression {
  int64_t batch, boxes, classes;
  /// The most boxes that are kept.
  int64_t most;
  /// A box is left out that overlaps another by more; a score must exceed the other number.
  double overlap, least;
  /// Whether boxes of different classes leave each other alone.
  int32_t per_class;
} ck_suppression;

size_t ck_suppression_scratch_bytes(const ck_suppression *description);

/// Greedy suppression in falling order of the best class's score, equal ones in their order, in double
/// precision. A score that is not a number comes last and is never above a threshold. Where none is
/// taken, the first of the order is. What is not filled is 0, indices -1.
int32_t ck_suppress(
    const ck_suppression *description, const float *boxes, const float *scores,
    float *kept_boxes, float *kept_scores, float *kept_indices, float *counts, void *scratch);

#ifdef __cplusplus
}
#endif
#endif
