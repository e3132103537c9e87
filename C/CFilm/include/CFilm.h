// Kernels for films: optical flow, warping, colours, cuts, and a hash. Pictures are rows of red, green and blue bytes
// without gaps. All functions run on the calling thread.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Computes the luma (BT.601, 0…255) of a picture, reduced by an integer factor. Each sample is the mean of factor ×
/// factor pixels. The result has `width / factor` × `height / factor` samples.
void cf_reduced_luma(
    const uint8_t *pixels, int64_t width, int64_t height, int64_t factor, float *luma);

/// Computes the dense optical flow from `reference` to `target` by dense inverse search: `target(p + flow(p))` looks
/// like `reference(p)`. `flow` has two numbers per sample: x and y, in samples.
///
/// If most of the picture has one global motion, as that of a camera, patches are searched relative to it, and keep to it
/// where it explains the picture as well. `global` receives the weight of that for each sample: 1 where the flow is the
/// global motion, 0 where it is not, or where there is none.
///
/// Returns false if there is no memory.
///
/// Source: Kroeger, Timofte, Dai and Van Gool, "Fast Optical Flow using Dense Inverse Search" (2016), arXiv:1603.03590,
/// without the variational refinement.
bool cf_flow(
    const float *reference, const float *target, int64_t width, int64_t height, float *flow,
    float *global);

/// Computes the flow from the current picture to the last one as `cf_flow` does, and the confidence in it, 0…1, for each
/// sample. The confidence is 0 where the flows in both directions disagree, where the flow leaves the picture, and where
/// the pictures differ.
///
/// Returns false if there is no memory.
///
/// Source: Sundaram, Brox and Keutzer, "Dense point trajectories by GPU-accelerated large displacement optical flow"
/// (2010), equation 5.
bool cf_step(
    const float *current, const float *last, int64_t width, int64_t height, float *flow,
    float *global, float *confidence);

/// Returns how different two pictures are: the distance of their histograms of luma, 0 (equal) … 1.
double cf_histogram_distance(const float *one, const float *other, int64_t count);

/// Returns the mean absolute difference of two pictures of luma.
double cf_mean_difference(const float *one, const float *other, int64_t count);

/// A reduced flow with its confidence, for a picture that is larger by an integer factor.
typedef struct cf_motion {
  const float *flow, *confidence;
  /// How far the sample moves otherwise than the whole picture, 0…1, or a sample near it. Null for 1.
  const float *doubt;
  int64_t width, height, factor;
} cf_motion;

/// Follows the motion from the current picture to a key picture, given that of the last picture to the key. Adds the step
/// from the current picture to the last one, and searches at the finest level from there, so that errors do not add up.
///
/// - key: The luma of the key picture.
/// - step: The motion from the current picture to the last one.
/// - lastMap, lastTrust: The displacement from the last picture to the key, and how far it is to be trusted, 0…1.
/// - map, trust: Receive the same of the current picture. The trust is 0 where the key does not show what the current
///   picture shows.
/// - doubt: Receives the doubt of the motion to the key (`cf_motion`).
///
/// Returns false if there is no memory.
bool cf_follow_key(
    const float *current, const float *key, const cf_motion *step, const float *lastMap,
    const float *lastTrust, float *map, float *trust, float *doubt);

/// Adds the step from the current picture to the last one to the motion from the last picture to an earlier one. As
/// `cf_follow_key`, but without the search.
void cf_add_motion(const cf_motion *step, const float *lastMap, const float *lastTrust, float *map,
    float *trust);

/// The weights of earlier paintings where the motion to them is trusted, 0…1.
typedef struct cf_weights {
  float last, key;
  /// The weight of the last painting where its motion is in doubt (`cf_motion`).
  float doubtful;
} cf_weights;

/// Finds the square cells of a picture in which the key painting does not count fully, because the motion to the key is not
/// trusted, or in doubt. `cells` receives, row by row: 0 where the key counts in at least nine tenths of a cell; 1 where the
/// key or the last painting counts there; 2 elsewhere.
///
/// - motion: The motion to the last picture.
/// - side: The side of a cell, in samples of the motion.
void cf_find_needed(
    const cf_motion *motion, const cf_motion *keyMotion, int64_t side, uint8_t *cells);

/// The square cells of a picture that a painting holds: 1 for these, and 0 for the others, row by row. Its weight falls to
/// zero over half a cell beside them, which the painting must hold as well.
typedef struct cf_painted {
  const uint8_t *cells;
  /// The side of a cell in pixels.
  int64_t side;
} cf_painted;

/// Blends a painting with the key painting (`cf_make_key`), warped by the motion to the key. Where that is not trusted,
/// blends it with the last blended painting, warped by the motion to the last picture:
///
///     blended = painting + weight · trust · (warped - painting)
///
/// `painted` says which part of the picture `painting` holds. Elsewhere, the last painting counts fully where the key does
/// not, and the other way round. Null for the whole picture.
///
/// Blended paintings have four samples of 16 bits for each pixel, in 1/256 of a level. `last` must not overlap
/// `blended`. The warp of `last` interpolates with Catmull-Rom's kernel. What is warped from the key is
/// interpolated once, however many pictures ago the key was. Where its motion is in doubt, it counts only if it resembles the
/// painting at all, so that brush strokes around an object do not stay when it moves on. Returns false if there is no memory.
bool cf_blend(
    const uint8_t *painting, const cf_painted *painted, const uint16_t *last,
    const cf_motion *motion, const uint16_t *key, const cf_motion *keyMotion,
    const cf_weights *weights, int64_t width, int64_t height, uint16_t *blended, uint8_t *result);

/// Renews a blended painting before it becomes a key: mixes in a share of the network's own painting, moves the colours
/// by the share `tint` towards the network's, and sharpens where mixing has blurred, until the finest detail is `detail`
/// times as strong as the network's. `renewed` must not overlap `blended`. Returns false if there is no memory.
bool cf_renew(
    const uint8_t *painting, const uint16_t *blended, float share, float tint, float detail,
    int64_t width, int64_t height, uint16_t *renewed, uint8_t *result);

/// Makes a key of a blended painting: the coefficients of cubic B-splines that pass through its samples, in 1/64 of a
/// level from -384 on. They interpolate with hardly any blur. Returns false if there is no memory.
///
/// Source: Unser, "Splines: a perfect fit for signal and image processing" (1999), box 2.
bool cf_make_key(const uint16_t *blended, int64_t width, int64_t height, uint16_t *key);

/// Converts the first painting of a shot to 16 bits.
void cf_widen(const uint8_t *painting, int64_t pixels, uint16_t *wide);

/// Warps `other` by the motion, interpolated by cubic B-splines. Computes the sum of the squared differences from
/// `picture`, in levels, over the three samples of the pixels whose confidence is at least one half, and the number of these
/// pixels. Returns false if there is no memory.
bool cf_warping_error(
    const uint8_t *picture, const uint8_t *other, const cf_motion *motion, int64_t width,
    int64_t height, double *sum, double *count);

/// Replaces each colour by its entry in a table, with linear interpolation. The table has `side`³ entries of four
/// floats, 0…255. Red is the outermost axis.
void cf_apply_colors(
    const float *table, int64_t side, const uint8_t *pixels, int64_t count, uint8_t *result);

/// Gives `painting` the chroma of `photo`: adds to each pixel of `photo` the difference of the lumas. `result` may be
/// `painting`.
void cf_keep_colors(const uint8_t *painting, const uint8_t *photo, int64_t count, uint8_t *result);

/// Computes `photo + weight · (painting - photo)` for each sample. If `weights` is not null, it has one float for each
/// pixel, which multiplies `weight`. `result` may be `painting`.
void cf_mix(
    const uint8_t *painting, const uint8_t *photo, const float *weights, float weight,
    int64_t pixels, uint8_t *result);

/// Softens a picture: each sample becomes `1 - 2 · share` of itself and `share` of each of its two neighbours, along columns
/// and then along rows. The edges of the picture are repeated. `softened` must not overlap `pixels`. Returns false if there
/// is no memory.
bool cf_soften(
    const uint8_t *pixels, int64_t width, int64_t height, float share, uint8_t *softened);

/// Reduces a picture by an integer factor, rounded up: each pixel is the mean of factor × factor pixels, fewer at the right
/// and the lower edge. Returns false if there is no memory.
bool cf_reduce(
    const uint8_t *pixels, int64_t width, int64_t height, int64_t factor, uint8_t *reduced);

/// Enlarges the painting of a reduced frame (`cf_reduce`) to the size of the frame, with Catmull-Rom's kernel. The frame
/// adds what reducing it has taken from it: the detail of its luma, by as much as the painting's finest detail follows the
/// frame's there. So edges of the film are as sharp in the painting as in the film.
///
/// - reduced_film, film: The reduced frame, and the frame.
/// - width, height: The size of the frame.
///
/// Returns false if there is no memory.
bool cf_enlarge(const uint8_t *painting, const uint8_t *reduced_film, const uint8_t *film,
    int64_t width, int64_t height, int64_t factor, uint8_t *result);

/// How planes of luma and chroma store colours.
typedef struct cf_color_matrix {
  /// Whether the matrix is that of BT.709, not that of BT.601.
  bool is_bt709;
  /// Whether luma has the range 0…255, not 16…235.
  bool is_full_range;
} cf_color_matrix;

/// Converts pixels to planes (yuv420p): luma, then the two planes of chroma, which have half of both sides and lie at the even
/// columns between two rows; binomial filters remove finer chroma. Both sides must be even. Returns false if there is no memory.
///
/// Source: Recommendations ITU-R BT.601-7 and BT.709-6.
bool cf_to_planes(const uint8_t *pixels, int64_t width, int64_t height,
    const cf_color_matrix *matrix, uint8_t *planes);

/// Converts planes to pixels, with linear interpolation of chroma. Returns false if there is no memory.
bool cf_from_planes(const uint8_t *planes, int64_t width, int64_t height,
    const cf_color_matrix *matrix, uint8_t *pixels);

/// Returns a hash of bytes, not for security. To hash bytes in two parts, pass the hash of the first part as the `seed`
/// of the second part. The size of the first part must be a multiple of eight bytes.
uint64_t cf_hash(const void *bytes, int64_t count, uint64_t seed);

#ifdef __cplusplus
}
#endif
