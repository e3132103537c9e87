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

#ifdef __cplusplus
}
#endif

#endif
