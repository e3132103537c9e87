// The filters of CoreImage on pictures of 8-bit sRGB, with three interleaved components. As in Core Image, blurs,
// colour matrices and blends compute with linear light: the functions decode components by the curve of sRGB (IEC
// 61966-2-1) first, and encode the results. Pixels beyond the edges equal the pixels at the edges.

#ifndef CFILTERS_H
#define CFILTERS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Blurs by a Gaussian with a standard deviation in pixels. The kernel ends after three standard deviations. Returns 0,
/// or -1 if memory is short. `source` and `target` may be the same.
int cfl_gaussian_blur(const uint8_t *source, uint8_t *target, int width, int height, double sigma);

/// Multiplies each pixel (red, green, blue, 1) by a matrix with three rows of four numbers.
void cfl_color_matrix(const uint8_t *source, uint8_t *target, int64_t pixels, const double matrix[12]);

/// Takes the greatest (or least) value of each component inside a circle with a radius in pixels. Returns 0, or -1 if
/// memory is short. `source` and `target` must differ.
int cfl_morphology(
    const uint8_t *source, uint8_t *target, int width, int height, double radius, int is_maximum);

/// Mixes two pictures by an opacity for each pixel, from 0 (only `bottom`) to 255 (only `top`).
void cfl_blend(
    const uint8_t *top, const uint8_t *bottom, const uint8_t *opacity, uint8_t *target,
    int64_t pixels);

/// Writes the luminance of each pixel (0.2126, 0.7152, 0.0722 of linear light), 0 to 255.
void cfl_luminance(const uint8_t *source, uint8_t *target, int64_t pixels);

#ifdef __cplusplus
}
#endif

#endif
