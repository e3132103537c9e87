#ifndef ATELIER_CK_TILES_H
#define ATELIER_CK_TILES_H

/// Products of bfloat16 on matrix tiles (AMX): see `tiles` in `ck_convolution`, too.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// 1 where this process may use the processor's matrix tiles: it has them, Linux permits them, and they
/// compute what they should. Asked of the system once, at the first call; 0 with fewer instructions
/// (`ck_limit_instructions`). Permission holds for all threads of the process, whose alternate signal stacks
/// must then be large (AT_MINSIGSTKSZ); where one is smaller, Linux refuses.
int32_t ck_tiles(void);

/// `c[m][n] += Σ a[m][k] · b[k][n]` for 16 × 32 and 32 × 16 values of bfloat16 and float32 sums, as one
/// instruction computes it: `b` holds pairs, `b[k / 2][n][k % 2]`. With `acted` by plain arithmetic that has
/// the same bits; without on the processor's tiles, and -1 where there are none.
int32_t ck_tile_multiply(int32_t acted, const uint16_t *a, const uint16_t *b, float *c);

/// A batch of products of matrices of float32, rounded to bfloat16, with float32 sums:
///
///     destination[i, row, column] = Σ left[i, row, k] · right[i, k, column]
///
/// Dense and row-major; `transpose_left` reads left[i, k, row], `transpose_right` right[i, column, k].
/// With `one_left` or `one_right` one matrix serves the whole batch.
typedef struct ck_tile_product {
  int64_t batch, rows, inner, columns;
  int32_t transpose_left, transpose_right, one_left, one_right;
  /// 1: on the processor's tiles where `ck_tiles` says so, else acted; 2: acted.
  int32_t tiles;
} ck_tile_product;

/// Scratch memory of one run on at most `threads` threads, in bytes; 0 where a size makes no sense.
size_t ck_tile_product_scratch_bytes(const ck_tile_product *description, int32_t threads);

/// Sums run in steps of 32 values of `inner`, in order. Scratch memory is aligned to 64 bytes.
int32_t ck_tile_product_run(
    const ck_tile_product *description, const float *left, const float *right, float *destination,
    void *scratch, int32_t threads);

/// The gradient of a convolution's weights:
///
///     gradient[o, i, ky, kx] = Σ small[n, y, x, o] · large[n, y·s + ky·d - pad_top, x·s + kx·d - pad_left, i]
///
/// `large` and `small` are dense NHWC of bfloat16; the gradient is float32 `[output, input, ky, kx]`. What lies
/// outside of `large` counts as zero. Windows, strides and dilations of at most 64.
typedef struct ck_tile_gradient {
  int64_t batch;
  int64_t input_channels, input_height, input_width;
  int64_t output_channels, output_height, output_width;
  int64_t kernel_height, kernel_width;
  int64_t stride_height, stride_width, dilation_height, dilation_width;
  int64_t pad_top, pad_left;
  /// As in `ck_tile_product`.
  int32_t tiles;
  int32_t threads;
} ck_tile_gradient;

/// Scratch memory in bytes, to be aligned to 64; 0 where the description cannot be computed so.
size_t ck_tile_gradient_scratch_bytes(const ck_tile_gradient *description);

/// The parts of the work, by the shapes alone. Each sums up rows of `small` in their order, counted through the
/// batch, 32 pixels a step, rows outside of `large` left out; part p begins with row `rows * p / parts`. The
/// parts' sums are added in their order. So every number of threads gives the same bits.
int32_t ck_tile_gradient_parts(const ck_tile_gradient *description);
int32_t ck_tile_gradient_run(
    const ck_tile_gradient *description, const void *large, const void *small, float *gradient,
    void *scratch);

#ifdef __cplusplus
}
#endif

#endif
