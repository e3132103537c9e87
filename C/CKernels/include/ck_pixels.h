#ifndef ATELIER_CK_PIXELS_H
#define ATELIER_CK_PIXELS_H

/// Images: conversion from and to 8-bit pixels, padding, resizing, sampling, cropping, and bounding boxes.

#include "ck_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// MARK: 8-bit pixels

/// The positions of the colours in an 8-bit pixel.
typedef struct ck_pixel_format {
  int32_t bytes_per_pixel;
  /// Byte offsets in a pixel; `alpha` is -1 if a pixel has none. Grey images have one offset for all three colours.
  int32_t red, green, blue, alpha;
} ck_pixel_format;

/// A conversion between 8-bit rows and tensors. Conversion to a tensor computes `value · scale[c] + bias[c]`.
///
/// `channels` is 3 or 1. With 1 channel, `value` is `0.299 R + 0.587 G + 0.114 B`, or the byte of a grey pixel. Tensor
/// channels are red, green, blue, or with `blue_first` blue, green, red. The tensor is C, H, W with `planar`, otherwise
/// H, W, C.
typedef struct ck_pixels {
  int64_t height, width, bytes_per_row;
  ck_pixel_format format;
  int64_t channels;
  int32_t blue_first, planar;
  ck_type type;
  float scale[3], bias[3];
} ck_pixels;

int32_t ck_pixels_to_tensor(const ck_pixels *description, const uint8_t *pixels, void *tensor);

/// Converts tensors to 8-bit rows: `value · scale[c] + bias[c]`, rounded to nearest even, clamped to 0…255.
/// Not-a-number becomes 0. Alpha becomes 255.
int32_t ck_tensor_to_pixels(const ck_pixels *description, const void *tensor, uint8_t *pixels);

// The two passes of scaling 8-bit images by Lanczos' kernel. Every instruction set gives the same bytes.

/// Computes `sums[i] = Σ weights[t] · rows[t · row_stride + i]` for each i in 0 ..< count. The sum runs over the row
/// index t in 0 ..< taps, in order. Each step rounds once, like a fused multiply-add. `sums` and `rows` do not overlap.
void ck_weighted_sum_of_rows(
    float *sums, const uint8_t *rows, size_t row_stride, const float *weights, size_t taps,
    size_t count);

/// Computes `out[x] = Σ weights[x · stride + t] · sums[starts[x] + t]` for each of the `width` pixels x and for each
/// component. The sum runs over t in 0 ..< counts[x], in order. The result is rounded and clamped to 0…255.
/// `components` is 1 or 3. The function may read one float after the last pixel of `sums`. This float does not change
/// the result.
void ck_weighted_sum_of_columns(
    uint8_t *out, const float *sums, const int32_t *starts, const int32_t *counts,
    const float *weights, size_t stride, size_t width, int32_t components);

// MARK: Padding and resizing

typedef enum ck_padding { CK_PAD_CONSTANT = 0, CK_PAD_REFLECTION = 1, CK_PAD_REPLICATION = 2 } ck_padding;

/// Pads images on four sides. Reflection does not repeat the edge. If the padding exceeds the image, reflection
/// continues back and forth. For NCHW, pass batch = N·C and channels = 1. The type is float32, bfloat16 or float16.
int32_t ck_pad(
    ck_padding mode, float value, ck_type type, const void *source, void *destination,
    int64_t batch, int64_t height, int64_t width, int64_t channels, int64_t top, int64_t left,
    int64_t bottom, int64_t right);

/// Computes the gradient of a padding of images. The gradient of a pixel is the sum of the gradients of its copies in
/// the padded image, in order.
///
/// Row y of the result is the sum of the rows row_sources[row_begins[y]] … row_sources[row_begins[y + 1] - 1] of the
/// padded image's gradient. The same holds for columns. Both gradients have one type, float32 or bfloat16.
int32_t ck_padding_gradient(
    ck_type type, const void *gradient, void *source_gradient, int64_t batch, int64_t height,
    int64_t width, int64_t channels, int64_t padded_height, int64_t padded_width,
    const int32_t *row_begins, const int32_t *row_sources, const int32_t *column_begins,
    const int32_t *column_sources);

/// Repeats every pixel `factor_y` × `factor_x` times.
int32_t ck_upsample_nearest(
    ck_type type, const void *source, void *destination, int64_t batch, int64_t height,
    int64_t width, int64_t channels, int64_t factor_y, int64_t factor_x);

/// For each result pixel (y, x), samples the image at `y · scale_y + offset_y`, `x · scale_x + offset_x`. Points
/// outside the image are clamped to its edge.
int32_t ck_resize_bilinear(
    ck_type type, const void *source, void *destination, int64_t batch, int64_t height,
    int64_t width, int64_t channels, int64_t output_height, int64_t output_width, float scale_y,
    float offset_y, float scale_x, float offset_x);

// MARK: Sampling

/// The values of pixels outside an image.
typedef enum ck_border {
  CK_BORDER_CONSTANT = 0,
  /// The edge repeated: 1 1 | 1 2 3.
  CK_BORDER_EDGE = 1,
  /// Mirrored without the edge: 3 2 | 1 2 3.
  CK_BORDER_REFLECTION = 2,
  /// Mirrored with the edge: 2 1 | 1 2 3.
  CK_BORDER_SYMMETRY = 3,
} ck_border;

/// Samples images [batch, channels, height, width] at points [batch or 1, rows, columns, 2] (x before y).
typedef struct ck_resample {
  int64_t batch, channels, height, width, rows, columns;
  /// Whether all images are sampled at the same points.
  int32_t shares_points;
  /// Whether the images and the result are channels-last.
  int32_t channels_last;
  /// 1: the nearest pixel; 0: bilinear interpolation.
  int32_t nearest;
  ck_border border;
  /// The value of pixels outside the image with `CK_BORDER_CONSTANT`.
  float outside;
  /// A point's coordinate x names the pixel column `x · x_scale + x_offset`, and y names the row
  /// `y · y_scale + y_offset`.
  double x_scale, x_offset, y_scale, y_offset;
  /// float32 or bfloat16; points are float32.
  ck_type type;
} ck_resample;

void ck_resample_run(
    const ck_resample *description, const void *pictures, const float *points, void *destination);

// MARK: Regions of images

/// The `count` points at which an interval from `start` to `end` is sampled. In the formulas, length = end - start, and
/// i is the index of the point, from 0.
typedef enum ck_grid {
  /// start + i · length / (count - 1); the start when count is 1
  CK_GRID_STRICT_ENDPOINTS = 0,
  /// As `CK_GRID_STRICT_ENDPOINTS`, but the middle of the interval when count is 1.
  CK_GRID_ENDPOINTS = 1,
  /// min(end, start + i · (length + 1) / count)
  CK_GRID_UPSAMPLE = 2,
  /// min(end, start + (i + ½) · max(1, length) / count)
  CK_GRID_REGION_OF_INTEREST = 3,
  /// start + (i + ½) · (length + 1) / count - ½, clamped to the interval
  CK_GRID_PIXEL_CENTRES = 4,
} ck_grid;

/// Regions of images [batch, planes, height, width, channels], each resized to rows × columns by bilinear
/// interpolation. The result is [regions, batch, planes, rows, columns, channels]. If each region states the index of
/// its image, the result has no batch axis.
typedef struct ck_crop_resize {
  int64_t batch, planes, height, width, channels;
  int64_t regions, rows, columns;
  /// The numbers per region: 4, or 5 if the first is the index of the image.
  int64_t numbers;
  ck_grid grid;
  /// width_first 1: a region states its columns before its rows. center_size 1: a region has a centre and a size
  /// instead of corners.
  int32_t width_first, center_size;
  /// The factors by which a region's row and column coordinates are multiplied to give pixels.
  double row_scale, column_scale;
  /// float32 or bfloat16.
  ck_type type;
  /// 1: points outside the image have the value `outside`; 0: such points have the value of the image's edge.
  int32_t has_outside;
  float outside;
} ck_crop_resize;

size_t ck_crop_resize_scratch_bytes(const ck_crop_resize *description);

/// Returns -1 on success, or the index of the first region whose image index is out of range.
int64_t ck_crop_resize_run(
    const ck_crop_resize *description, const void *pictures, const float *boxes,
    void *destination, void *scratch);

// MARK: Bounding boxes

/// Boxes [batch, boxes, 4] (centre x, centre y, width, height) with scores [batch, boxes, classes].
typedef struct ck_non_maximum_suppression {
  int64_t batch, boxes, classes;
  /// The maximum number of selected boxes.
  int64_t max_boxes;
  /// A box is suppressed if its overlap (intersection over union) with a selected box exceeds `overlap_threshold`.
  /// The score of a selected box must exceed `score_threshold`.
  double overlap_threshold, score_threshold;
  /// Whether boxes of different classes do not suppress each other.
  int32_t per_class;
} ck_non_maximum_suppression;

size_t ck_non_maximum_suppression_scratch_bytes(const ck_non_maximum_suppression *description);

/// Selects boxes by greedy non-maximum suppression, in descending order of each box's best score. Boxes with equal
/// scores stay in order. Computes in double precision. A score that is not a number comes last and never exceeds a
/// threshold. If no score exceeds `score_threshold`, the function selects the first box in the order of scores. Unused
/// results are 0, unused indices -1.
int32_t ck_non_maximum_suppression_run(
    const ck_non_maximum_suppression *description, const float *boxes, const float *scores,
    float *selected_boxes, float *selected_scores, float *selected_indices, float *counts,
    void *scratch);

#ifdef __cplusplus
}
#endif

#endif
