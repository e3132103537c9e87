#ifndef ATELIER_CK_TILES_H
#define ATELIER_CK_TILES_H

/// Matrix products of bfloat16 on matrix tiles (AMX). For convolutions see `matrix_tiles` in `ck_convolution`.

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns 1 if this process may use the processor's matrix tiles: the processor has tiles, Linux permits them, and
/// they compute the expected bits. Asks the system once, at the first call. Returns 0 with a lower instruction set
/// (`ck_limit_instructions`). The permission holds for all threads of the process. The alternate signal stacks of these
/// threads must then be large (AT_MINSIGSTKSZ). Linux refuses the permission if one of these stacks is smaller.
int32_t ck_has_matrix_tiles(void);

/// Adds `Σ a[m][k] · b[k][n]` to `c[m][n]`, as one tile instruction does. `a` holds 16 × 32 and `b` 32 × 16 values of
/// bfloat16. `c` holds 16 × 16 sums of float32. The values of `b` are stored in pairs, as `b[k / 2][n][k % 2]`. With
/// `emulated`, the function uses plain arithmetic, which gives the same bits. Without `emulated`, it uses the
/// processor's tiles, and returns -1 if the processor has none.
int32_t ck_tile_multiply(int32_t emulated, const uint16_t *a, const uint16_t *b, float *c);

/// A batch of products of float32 matrices. The values of the matrices are rounded to bfloat16. The sums are float32:
///
///     destination[i, row, column] = Σ left[i, row, k] · right[i, k, column]
///
/// The matrices are dense and row-major. With `transpose_left`, the product reads left[i, k, row]. With
/// `transpose_right`, it reads right[i, column, k]. With `one_left` or `one_right`, one matrix serves the whole batch.
typedef struct ck_tile_matmul {
  int64_t batch, rows, inner, columns;
  int32_t transpose_left, transpose_right, one_left, one_right;
  /// 1: the products use the processor's tiles if `ck_has_matrix_tiles` allows them, else emulated tiles. 2: the
  /// products use emulated tiles.
  int32_t matrix_tiles;
} ck_tile_matmul;

/// Returns the bytes of scratch memory of one run on at most `threads` threads; 0 for invalid sizes.
size_t ck_tile_matmul_scratch_bytes(const ck_tile_matmul *description, int32_t threads);

/// Computes the products. Adds up the terms of each sum in the order of k, in steps of 32 terms. The scratch memory
/// must be aligned to 64 bytes.
int32_t ck_tile_matmul_run(
    const ck_tile_matmul *description, const float *left, const float *right, float *destination,
    void *scratch, int32_t threads);

/// The gradient of a convolution's weights:
///
///     gradient[o, i, ky, kx] = Σ small[n, y, x, o] · large[n, y·s + ky·d - pad_top, x·s + kx·d - pad_left, i]
///
/// In this formula, s is the stride and d the dilation. `large` is the convolution's input and `small` the gradient of
/// its output. For a transposed convolution, `small` is the input and `large` the gradient of the output. Both tensors
/// are dense NHWC of bfloat16. The gradient is float32 `[output, input, ky, kx]`. Pixels outside `large` count as zero.
/// Kernels, strides and dilations are at most 64.
typedef struct ck_tile_weights_gradient {
  int64_t batch;
  int64_t input_channels, input_height, input_width;
  int64_t output_channels, output_height, output_width;
  int64_t kernel_height, kernel_width;
  int64_t stride_height, stride_width, dilation_height, dilation_width;
  int64_t pad_top, pad_left;
  /// As in `ck_tile_matmul`.
  int32_t matrix_tiles;
  int32_t threads;
} ck_tile_weights_gradient;

/// Returns the bytes of scratch memory, to be aligned to 64; 0 for a description that this kernel does not support.
size_t ck_tile_weights_gradient_scratch_bytes(const ck_tile_weights_gradient *description);

/// Returns the number of parts into which the work is divided. This number depends on the shapes alone. The rows of
/// `small` are numbered through the whole batch. Part p of n parts begins with row `rows * p / n`. It adds up its rows
/// in order, 32 pixels per step, and leaves out rows outside `large`. The sums of the parts are then added in order.
/// Every number of threads therefore gives the same bits.
int32_t ck_tile_weights_gradient_parts(const ck_tile_weights_gradient *description);
int32_t ck_tile_weights_gradient_run(
    const ck_tile_weights_gradient *description, const void *large, const void *small,
    float *gradient, void *scratch);

#ifdef __cplusplus
}
#endif

#endif
