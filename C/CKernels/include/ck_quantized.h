#ifndef ATELIER_CK_QUANTIZED_H
#define ATELIER_CK_QUANTIZED_H

/// Convolutions of 8-bit integers, products with compressed matrices, and products that quantise their rows.

#include "ck_functions.h"
#include "ck_types.h"

#ifdef __cplusplus
extern "C" {
#endif

// MARK: Convolutions of 8-bit integers

/// A convolution of uint8 images N, H, W, C with int8 weights w and int32 sums. The sums are `Σ w · (in − zero)`, and
/// the padding has the value `zero`. For each output channel c:
///
///     real = activation(factor[c] · (sum + bias[c]))
///     out  = real                                                       as float32, without `quantizes_result`
///     out  = min(max(round(real · scale), least), greatest) − least     as uint8, with `quantizes_result`
///
/// `round` rounds halves to even.
///
/// A product of rows and a matrix is a convolution of images that have one column, with kernels of one pixel.
typedef struct ck_quantized_convolution {
  int64_t batch, groups;
  int64_t input_channels, input_height, input_width;
  int64_t output_channels, output_height, output_width;
  int64_t kernel_height, kernel_width, stride_height, stride_width;
  int64_t dilation_height, dilation_width;
  /// A negative number crops the image.
  int64_t pad_top, pad_left;
  /// The zero point: the uint8 value that represents 0.
  int32_t zero;
  ck_function activation;
  float alpha, beta;
  int32_t quantizes_result;
  float scale;
  /// The range of quantised results; at most 256 values.
  int32_t least, greatest;
} ck_quantized_convolution;

/// Returns 1 if the sizes are valid and the sums fit 32 bits.
int32_t ck_quantized_convolution_suits(const ck_quantized_convolution *description);

/// Returns 1 if this processor has int8 dot products (VNNI) and `ck_instructions` permits them. Without VNNI, the same
/// sums take longer than float32 multiply-adds.
int32_t ck_has_int8_dot_product(void);

/// Returns the bytes of the packed weights: one byte per weight, rounded up to blocks of 16 outputs and 4 inputs, and
/// the sum of the weights of each output. The layout is the same for every instruction set.
size_t ck_quantized_convolution_weights_bytes(const ck_quantized_convolution *description);

/// Packs integers of −128 to 127, `[O, C / groups, kh, kw]`.
void ck_quantized_convolution_pack(
    const ck_quantized_convolution *description, const float *weights, void *packed);

/// Returns the bytes of scratch memory of one run: a padded copy of an image, or 0.
size_t ck_quantized_convolution_scratch_bytes(const ck_quantized_convolution *description);

/// Computes the convolution. Sums are exact. The steps after the sums are float32 with one rounding each. If the
/// activation is piecewise linear, the results therefore have the same bits with every instruction set. Source and
/// destination must not overlap.
int32_t ck_quantized_convolution_run(
    const ck_quantized_convolution *description, const uint8_t *source, const void *packed,
    const float *factors, const float *bias, void *destination, void *scratch);

// MARK: Compressed matrices

/// How a matrix stores its elements.
typedef enum ck_stored_kind {
  CK_STORED_FLOAT16 = 0,
  CK_STORED_BFLOAT16 = 1,
  /// Integers of 8 or 4 bits, signed or unsigned.
  CK_STORED_SIGNED = 2,
  CK_STORED_UNSIGNED = 3,
  /// Indices of 1, 2, 3, 4, 6 or 8 bits into a palette (lookup table).
  CK_STORED_PALETTE = 4,
  CK_STORED_FLOAT32 = 5,
} ck_stored_kind;

/// A matrix [columns, inner] as a file stores it. There are no gaps between rows. Elements of less than one byte fill a
/// byte from its lowest bit up. A row must fill whole bytes.
typedef struct ck_stored_matrix {
  ck_stored_kind kind;
  int32_t bits;
  int64_t columns, inner;
  const void *elements;
  /// value = element · scale + shift. A block is `scale_columns` rows of the matrix × `scale_inner` elements of a row.
  /// `scale` holds one number for each block, or is null. `shift` holds one number for each block, or is null for
  /// zeros. `scale_inner` divides `inner`, and equals `inner` or is a multiple of 16.
  const float *scale, *shift;
  int64_t scale_columns, scale_inner;
  /// For palettes: 2^bits numbers for each `table_columns` rows of the matrix.
  const float *table;
  int64_t table_columns;
  /// 1: rounds the values to float16 before they are used, because the model's program decompresses to float16.
  int32_t rounds_to_float16;
} ck_stored_matrix;

/// Returns 1 if kind, bits and blocks are as described above.
int32_t ck_stored_is_valid(const ck_stored_matrix *matrix);

/// destination[row, column] = f(bias[column] + Σ source[row, i] · matrix[column, i]), in float32; the bias
/// may be null. Widens the matrix to float32 block by block. With one row, multiplies the sum of a block of integers by
/// the block's scale instead, so that decoded integers are not rounded. Returns 0, or -1 for an invalid matrix.
int32_t ck_stored_matmul(
    const ck_stored_matrix *matrix, const float *source, int64_t rows, const float *bias,
    ck_function activation, float alpha, float beta, float *destination);

/// The same for many rows, at least 18: widens some columns to a panel, which all rows are multiplied by. Adds a residual
/// of the destination's form before the activation; it may be null or the destination. With `rounds`, rounds to float16
/// after the bias, the residual and the activation. Each thread keeps memory for a panel, 256 bytes for each element of a
/// row. Returns 0, or -1 for an invalid matrix or fewer rows.
int32_t ck_stored_panels(
    const ck_stored_matrix *matrix, const float *source, int64_t rows, const float *bias,
    const float *residual, ck_function activation, float alpha, float beta, int32_t rounds,
    float *destination);

/// Writes rows `first ..< first + count` of the matrix as float32, [count, inner].
int32_t ck_stored_rows(
    const ck_stored_matrix *matrix, int64_t first, int64_t count, float *destination);

// MARK: Dynamic quantisation

/// A product of float32 rows with an 8-bit or 4-bit matrix. Each row is quantised to int8 when it is read, with one
/// scale for the row: the largest absolute value of the row, divided by 127.
///
///     q[r, i]    = round(source[r, i] · 127 / max_i |source[r, i]|)          halves to even
///     sum[r, c]  = Σ_blocks scale[c, block] · Σ_i q[r, i] · (w[c, i] − zero[c, block])
///     out[r, c]  = f(sum[r, c] · max_i |source[r, i]| / 127 + bias[c] + residual[r, c])
///
/// This is the symmetric scale quantisation of Wu et al., "Integer Quantization for Deep Learning Inference"
/// (arXiv:2004.09602, section 3.1), with the range of each row instead of one for the tensor. Inner sums are exact.
/// Other steps are float32 with one rounding each, in the order of the blocks. If the activation is piecewise linear,
/// the results therefore have the same bits with every instruction set and number of threads. A row with NaN or
/// infinity gives NaN.
typedef struct ck_dynamic_product {
  int64_t rows, inner, columns;
  /// The bits of a weight: 8 or 4.
  int32_t bits;
  /// The number of elements of the inner dimension with one scale: `inner`, or a multiple of 16 that divides `inner`.
  int64_t block;
  ck_function activation;
  float alpha, beta;
  /// 1: rounds to float16 after the bias, after the residual and after the activation.
  int32_t rounds;
} ck_dynamic_product;

/// Returns 1 if the sizes are valid and the sums fit 32 bits.
int32_t ck_dynamic_product_suits(const ck_dynamic_product *product);

/// Returns the number of vectors of columns in a panel. The layout of packed weights depends on it.
int32_t ck_dynamic_product_panel(void);

/// Returns the bytes of the packed weights: `bits` bits per weight, and a scale and a zero point of 4 bytes each for
/// each block of a column.
size_t ck_dynamic_product_weights_bytes(const ck_dynamic_product *product);

/// Quantises a float32 matrix to int8 and packs it, with one scale per column: the largest absolute value of the
/// column, divided by 127. The matrix is `[columns, inner]` if `is_transposed`, else `[inner, columns]`. Returns 0, or -1
/// unless the weights have 8 bits and `block` is `inner`.
int32_t ck_dynamic_product_pack(
    const ck_dynamic_product *product, const float *weights, int32_t is_transposed, void *packed);

/// Packs integers of a matrix `[columns, inner]` as a file stores them. `matrix` has no scales, except that
/// `scale_columns` is the number of columns with one scale. `scales` and `zeros` are `[columns / scale_columns, blocks]`;
/// the zeros are integers of the weights' type, or null. Returns 0, or -1 for other matrices.
int32_t ck_dynamic_product_pack_stored(
    const ck_dynamic_product *product, const ck_stored_matrix *matrix, const float *scales,
    const float *zeros, void *packed);

/// Returns the bytes of scratch memory of one run, for the quantised rows.
size_t ck_dynamic_product_scratch_bytes(const ck_dynamic_product *product);

/// Computes the product. Bias and residual may be null; the residual may be the destination.
int32_t ck_dynamic_product_run(
    const ck_dynamic_product *product, const float *source, const void *packed, const float *bias,
    const float *residual, float *destination, void *scratch);

#ifdef __cplusplus
}
#endif

#endif
