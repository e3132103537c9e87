#ifndef ATELIER_CK_NORMALIZATION_H
#define ATELIER_CK_NORMALIZATION_H

/// Instance norm, layer norm and softmax.

#include "ck_functions.h"
#include "ck_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// MARK: Instance norm

/// Instance normalisation of images. For each image and channel, computes `(x - mean) / sqrt(variance + epsilon)`, then
/// `· gamma[c] + beta[c]`, then `+ residual`, then the activation.
typedef struct ck_instance_norm {
  int64_t batch, height, width, channels;
  float epsilon;
  ck_type source_type, destination_type;
  ck_function activation;
  float alpha, beta;
  /// 1: adds an image of the destination's type before the activation. The batch and row strides of this image count
  /// elements, and the pixels of a row are dense. The image can thus be a crop of a larger image.
  int32_t has_residual;
  int64_t residual_batch_stride, residual_row_stride;
  /// 1: the caller passes the source's statistics.
  int32_t has_statistics;
} ck_instance_norm;

/// Returns the number of blocks into which the pixels of an image are divided for its statistics. Statistics are
/// `[batch, blocks, 2, channels]` floats: for each block first the means, then the sums of squared differences from the
/// means.
int64_t ck_statistics_blocks(int64_t pixels, int64_t channels);

/// Computes the statistics of dense images of float32 or bfloat16, channels last.
void ck_statistics_run(
    ck_type type, const void *source, int64_t batch, int64_t pixels, int64_t channels,
    float *statistics);

size_t ck_instance_norm_scratch_bytes(const ck_instance_norm *description);

/// Merges the statistics of the blocks, in order, into mean and variance, then normalises. May run in place if both
/// types have the same size. `residual` may be null without `has_residual`, and `statistics` without
/// `has_statistics`.
int32_t ck_instance_norm_run(
    const ck_instance_norm *description, const void *source, const float *gamma, const float *beta,
    const void *residual, const float *statistics, void *destination, void *scratch);

/// Returns the bytes of scratch memory for the gradient of an instance norm of images without residual and
/// activation:
///
///     dx = γ / σ · (dy - mean(dy) - x̂ · mean(dy · x̂)),  dγ = Σ dy · x̂,  dβ = Σ dy
///
/// x̂ is the normalised image. The means are over the pixels of one image and channel. The sums are over all images,
/// for each channel. Ignores `activation`, `alpha`, `beta`, `has_residual` and the residual's strides. `source_type` is
/// the type of x, and `destination_type` is the type of dy and dx.
size_t ck_instance_norm_gradient_scratch_bytes(const ck_instance_norm *description);

/// Computes this gradient in two passes over x and dy. The first pass computes sums over blocks of pixels, which are
/// then merged in order. The second pass computes dx. `dx` may be `dy`, or x if both types have the same size. A null
/// `gamma` means ones. `gamma_gradient` and `beta_gradient` may be null if the caller does not need them.
int32_t ck_instance_norm_gradient_run(
    const ck_instance_norm *description, const void *source, const void *gradient,
    const float *gamma, void *source_gradient, float *gamma_gradient, float *beta_gradient,
    void *scratch);

// MARK: Group norm

/// Group normalisation of images, channels last, in float32. Divides the channels into groups of equal size. For each
/// image and group, computes `(x - mean) / sqrt(variance + epsilon)` over all pixels and channels of the group, then
/// `· gamma[c] + beta[c]`, then the activation.
typedef struct ck_group_norm {
  int64_t batch, pixels, channels, groups;
  float epsilon;
  ck_function activation;
  float alpha, beta;
  /// 1: rounds the result of each operation to float16: mean, difference, square, variance, the sum with epsilon, root,
  /// quotient, product, sum, activation.
  int32_t rounds;
} ck_group_norm;

size_t ck_group_norm_scratch_bytes(const ck_group_norm *description);

/// May run in place. `gamma` and `beta` may be null. Returns -1 if the groups do not divide the channels.
int32_t ck_group_norm_run(
    const ck_group_norm *description, const float *source, const float *gamma, const float *beta,
    float *destination, void *scratch);

// MARK: Softmax and layer norm

/// Computes e^x / Σ e^x over the middle axis of [outer, axis, inner], row-major. If a vector contains a not-a-number,
/// all its results are not-a-number. The type is float32, bfloat16 or float16. `destination` may be `source`.
int32_t ck_softmax(
    ck_type type, const void *source, void *destination, int64_t outer, int64_t axis, int64_t inner);

/// Normalises rows: (x − mean) / √(variance + epsilon) · gamma + beta. `gamma` and `beta` hold one number for each
/// column, or are null. `destination` may be `source`. If `rounds` is 1, rounds the results to float16.
void ck_layer_norm(
    const float *source, const float *gamma, const float *beta, float *destination, int64_t rows,
    int64_t length, float epsilon, int32_t rounds);

#ifdef __cplusplus
}
#endif

#endif
