/// Sampling of pictures for Vision's own networks.
#ifndef CVISION_H
#define CVISION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Transforms a picture by an affine transform, with bilinear interpolation. The result has floats.
///
/// The result at column `u` and row `v` comes from the picture at x = t[0] u + t[1] v + t[2], y = t[3] u + t[4] v + t[5],
/// where integers are the centres of pixels. Positions are rounded to 1/32 pixel, and samples to 8 bits, as OpenCV's
/// `warpAffine` does. Then a sample s becomes s * scale + offset.
///
/// - pixels: `width * height` pixels of 3 bytes, row by row.
/// - transform: The six numbers t.
/// - replicates: 1 if positions outside of the picture take the nearest pixel, 0 if they are black.
/// - result: `columns * rows * 3` floats, row by row. Must not overlap `pixels`.
void cvision_sample(const uint8_t *pixels, int width, int height, const double *transform,
                    int columns, int rows, int replicates, float scale, float offset,
                    float *result);

/// Scales a mask with bilinear interpolation and half-pixel centres: the outer edges of the mask keep their positions.
///
/// - mask: `width * height` floats, row by row.
/// - result: `columns * rows` floats, row by row. Must not overlap `mask`.
void cvision_scale_mask(const float *mask, int width, int height, int columns, int rows,
                        float *result);

/// Converts `count` numbers from 0…1 to 0…255, rounded and clamped. NaN becomes 0.
void cvision_bytes(const float *values, long count, uint8_t *result);

/// Finds the borders of the non-zero regions of a picture, and passes each to `found`, in the order of their first
/// pixels, row by row.
///
/// - binary: `width * height` bytes, row by row.
/// - found: The function that gets each border. Its arguments are the number of the border around this border (−1 for
///   none; the first border is 0), and the pixels as x and y. The pixels are in the order of the border,
///   counter-clockwise for regions and clockwise for holes.
///
/// Returns false if memory is short.
bool cvision_contours(const uint8_t *binary, int width, int height, void *context,
                      void (*found)(void *context, int parent, const int32_t *points, long count));

/// Scales a picture of 3 bytes per pixel bilinearly, with half-pixel centres and without smoothing. Gives the bytes of
/// OpenCV's `resize` with `INTER_LINEAR`: weights have 11 bits, and a picture of half the size has means of four pixels.
///
/// - result: `columns * rows` pixels, row by row. Must not overlap `pixels`.
void cvision_resize(const uint8_t *pixels, int width, int height, int columns, int rows,
                    uint8_t *result);

/// Converts a picture to three planes of floats, blue, green and red, from -1 (0) to 1 (255).
///
/// - stride: The columns of a plane, at least `width`. Columns from `width` on keep their content.
/// - result: `3 * height * stride` floats.
void cvision_planes(const uint8_t *pixels, int width, int height, int stride, float *result);

/// Samples a picture by a projective transform, with OpenCV's bicubic kernel (a = -0.75). Positions outside of the
/// picture take the nearest pixel. Positions are exact, as in OpenCV 5; before, OpenCV rounded them to 1/32 pixel.
///
/// - matrix: Nine numbers, row by row. Column u and row v of the result come from (x / z, y / z) of the picture with
///   (x, y, z) = matrix (u, v, 1).
/// - result: `columns * rows` pixels of 3 bytes.
void cvision_project(const uint8_t *pixels, int width, int height, const double *matrix, int columns,
                     int rows, uint8_t *result);

/// Finds the largest number of each row.
///
/// - values: `rows * columns` numbers. `columns` is at least 1.
/// - indices, largest: `rows` elements each.
void cvision_largest(const float *values, long rows, long columns, int32_t *indices, float *largest);

/// Finds lines of text in the probability map of a detector with differentiable binarization: thresholds and dilates
/// the map, follows the borders, and passes the smallest rectangle around each border, grown again by what training
/// shrank it, to `found`.
///
/// **Source:** Liao et al., “Real-time Scene Text Detection with Differentiable Binarization”, arXiv:1911.08947;
/// Vatti, “A generic solution to polygon clipping”, 1992, for the growth with round corners.
///
/// - map: `width * height` probabilities, row by row.
/// - threshold: The probability from which a pixel is text.
/// - least: The least mean probability inside of a rectangle.
/// - growth: The factor for the distance by which a rectangle grows: its area times `growth` divided by its
///   circumference.
/// - found: Gets x and y of the four corners, around the rectangle, and the mean probability.
///
/// Returns false if memory is short.
bool cvision_text_boxes(const float *map, int width, int height, float threshold, float least,
                        double growth, void *context,
                        void (*found)(void *context, const float *corners, float score));

/// Computes which parts of a picture stand out, as a map of `side * side` numbers from 0 to 1, row by row. The map covers
/// the complete picture.
///
/// - isForObjects: Whether parts stand out by their distance from the mean colour. Otherwise they stand out by contrast
///   with their surroundings, in intensity and in opponent colours, at six scales.
///
/// Returns false if memory is short.
///
/// **Source:** Itti, Koch and Niebur, “A model of saliency-based visual attention for rapid scene analysis”, 1998, without
/// orientations; Achanta et al., “Frequency-tuned salient region detection”, 2009, for objects.
bool cvision_saliency(const uint8_t *pixels, int width, int height, bool isForObjects, int side,
                      float *result);

/// Finds the translation between two pictures: `to` at p + (x, y) looks like `from` at p. Compares by correlation, from
/// small to large pictures, so changes of brightness and contrast do not matter. Pictures must have at least a quarter of
/// their area in common.
///
/// - from, to: `width * height` numbers, row by row.
///
/// Returns the correlation, -1 to 1, or -3 if memory is short.
double cvision_shift(const float *from, const float *to, int width, int height, double *x, double *y);

#ifdef __cplusplus
}
#endif

#endif
