// vImage's conversions between pixel formats. They convert as many rows and columns as the destination has. The sources
// must be at least as large. The destination may be the source if their pixels have the same size, except where a
// function's comment forbids it.
//
// The functions return 0, kvImageNullPointerArgument if a buffer or its data is NULL, or
// kvImageRoiLargerThanInputBuffer if a source is smaller than the destination.

#ifndef ATELIER_VIMAGE_CONVERSIONS_H
#define ATELIER_VIMAGE_CONVERSIONS_H

#include "vImage_types.h"

// The number of channels before and after, and where each channel of the result comes from. A channel of -1 is the
// alpha that the function takes.
#define VIMAGE_REORDERING_FUNCTIONS(F) \
  F(vImageConvert_ARGB8888toRGB888, 4, 3, 1, 2, 3, 0) \
  F(vImageConvert_RGBA8888toRGB888, 4, 3, 0, 1, 2, 0) \
  F(vImageConvert_BGRA8888toRGB888, 4, 3, 2, 1, 0, 0) \
  F(vImageConvert_ARGB8888toBGR888, 4, 3, 3, 2, 1, 0) \
  F(vImageConvert_RGBA8888toBGR888, 4, 3, 2, 1, 0, 0) \
  F(vImageConvert_BGRA8888toBGR888, 4, 3, 0, 1, 2, 0)

#define VIMAGE_ALPHA_FUNCTIONS(F) \
  F(vImageConvert_RGB888toARGB8888, -1, 0, 1, 2) \
  F(vImageConvert_RGB888toRGBA8888, 0, 1, 2, -1) \
  F(vImageConvert_RGB888toBGRA8888, 2, 1, 0, -1) \
  F(vImageConvert_BGR888toARGB8888, -1, 2, 1, 0) \
  F(vImageConvert_BGR888toRGBA8888, 2, 1, 0, -1) \
  F(vImageConvert_BGR888toBGRA8888, 0, 1, 2, -1)

#pragma clang assume_nonnull begin
ACCELERATE_BEGIN

/// 0 ... 255 to minFloat ... maxFloat.
vImage_Error vImageConvert_Planar8toPlanarF(
    const vImage_Buffer *src, const vImage_Buffer *dest, Pixel_F maxFloat, Pixel_F minFloat,
    vImage_Flags flags);
/// minFloat ... maxFloat to 0 ... 255, clipped and rounded. NaN becomes 0.
vImage_Error vImageConvert_PlanarFtoPlanar8(
    const vImage_Buffer *src, const vImage_Buffer *dest, Pixel_F maxFloat, Pixel_F minFloat,
    vImage_Flags flags);
/// float32 to float16, rounded to the nearest value.
vImage_Error vImageConvert_PlanarFtoPlanar16F(
    const vImage_Buffer *src, const vImage_Buffer *dest, vImage_Flags flags);
/// float16 to float32.
vImage_Error vImageConvert_Planar16FtoPlanarF(
    const vImage_Buffer *src, const vImage_Buffer *dest, vImage_Flags flags);
/// Limits values to minFloat ... maxFloat.
vImage_Error vImageClip_PlanarF(
    const vImage_Buffer *src, const vImage_Buffer *dest, Pixel_F maxFloat, Pixel_F minFloat,
    vImage_Flags flags);

/// Four planes to one picture; the planes are the channels in memory order.
vImage_Error vImageConvert_Planar8toARGB8888(
    const vImage_Buffer *srcA, const vImage_Buffer *srcR, const vImage_Buffer *srcG,
    const vImage_Buffer *srcB, const vImage_Buffer *dest, vImage_Flags flags);
/// One picture to four planes; the planes are the channels in memory order.
vImage_Error vImageConvert_ARGB8888toPlanar8(
    const vImage_Buffer *srcARGB, const vImage_Buffer *destA, const vImage_Buffer *destR,
    const vImage_Buffer *destG, const vImage_Buffer *destB, vImage_Flags flags);
/// Three planes to one picture.
vImage_Error vImageConvert_Planar8toRGB888(
    const vImage_Buffer *planarRed, const vImage_Buffer *planarGreen,
    const vImage_Buffer *planarBlue, const vImage_Buffer *rgbDest, vImage_Flags flags);
/// One picture to three planes.
vImage_Error vImageConvert_RGB888toPlanar8(
    const vImage_Buffer *rgbSrc, const vImage_Buffer *redDest, const vImage_Buffer *greenDest,
    const vImage_Buffer *blueDest, vImage_Flags flags);
/// One 8-bit picture to four planes of floats: 0 ... 255 to minFloat ... maxFloat of each channel.
vImage_Error vImageConvert_ARGB8888toPlanarF(
    const vImage_Buffer *src, const vImage_Buffer *alpha, const vImage_Buffer *red,
    const vImage_Buffer *green, const vImage_Buffer *blue, const Pixel_F *maxFloat,
    const Pixel_F *minFloat, vImage_Flags flags);
/// Four planes of floats to one 8-bit picture: minFloat ... maxFloat of each channel to 0 ... 255.
vImage_Error vImageConvert_PlanarFtoARGB8888(
    const vImage_Buffer *alpha, const vImage_Buffer *red, const vImage_Buffer *green,
    const vImage_Buffer *blue, const vImage_Buffer *dest, const Pixel_F *maxFloat,
    const Pixel_F *minFloat, vImage_Flags flags);
/// Three planes of floats to one 8-bit picture, B, G, R in memory, with the same alpha everywhere.
vImage_Error vImageConvert_PlanarFToBGRX8888(
    const vImage_Buffer *blue, const vImage_Buffer *green, const vImage_Buffer *red, Pixel_8 alpha,
    const vImage_Buffer *dest, const Pixel_F *maxFloat, const Pixel_F *minFloat, vImage_Flags flags);
/// Four planes of floats to one picture of floats.
vImage_Error vImageConvert_PlanarFtoARGBFFFF(
    const vImage_Buffer *srcA, const vImage_Buffer *srcR, const vImage_Buffer *srcG,
    const vImage_Buffer *srcB, const vImage_Buffer *dest, vImage_Flags flags);
/// One picture of floats to four planes.
vImage_Error vImageConvert_ARGBFFFFtoPlanarF(
    const vImage_Buffer *srcARGB, const vImage_Buffer *destA, const vImage_Buffer *destR,
    const vImage_Buffer *destG, const vImage_Buffer *destB, vImage_Flags flags);
/// Three planes of floats to one picture of floats.
vImage_Error vImageConvert_PlanarFtoRGBFFF(
    const vImage_Buffer *planarRed, const vImage_Buffer *planarGreen,
    const vImage_Buffer *planarBlue, const vImage_Buffer *rgbDest, vImage_Flags flags);
/// One picture of floats to three planes.
vImage_Error vImageConvert_RGBFFFtoPlanarF(
    const vImage_Buffer *rgbSrc, const vImage_Buffer *redDest, const vImage_Buffer *greenDest,
    const vImage_Buffer *blueDest, vImage_Flags flags);

#define VIMAGE_DECLARE(name, from, to, a, b, c, d) \
  vImage_Error name(const vImage_Buffer *src, const vImage_Buffer *dest, vImage_Flags flags);
VIMAGE_REORDERING_FUNCTIONS(VIMAGE_DECLARE)
#undef VIMAGE_DECLARE

// Alpha comes from a plane, or is the same everywhere. With premultiply, the colours are multiplied by alpha.
#define VIMAGE_DECLARE(name, a, b, c, d) \
  vImage_Error name( \
      const vImage_Buffer *rgbSrc, const vImage_Buffer *_Nullable aSrc, Pixel_8 alpha, \
      const vImage_Buffer *dest, bool premultiply, vImage_Flags flags);
VIMAGE_ALPHA_FUNCTIONS(VIMAGE_DECLARE)
#undef VIMAGE_DECLARE

/// Channel i of the result is channel permuteMap[i] of the source.
vImage_Error vImagePermuteChannels_ARGB8888(
    const vImage_Buffer *src, const vImage_Buffer *dest, const uint8_t *permuteMap,
    vImage_Flags flags);
/// Channel i of the result is channel permuteMap[i] of the source.
vImage_Error vImagePermuteChannels_ARGBFFFF(
    const vImage_Buffer *src, const vImage_Buffer *dest, const uint8_t *permuteMap,
    vImage_Flags flags);
/// Channel i of the result is channel permuteMap[i] of the source.
vImage_Error vImagePermuteChannels_RGB888(
    const vImage_Buffer *src, const vImage_Buffer *dest, const uint8_t *permuteMap,
    vImage_Flags flags);
/// Copies one of four channels to a plane.
vImage_Error vImageExtractChannel_ARGB8888(
    const vImage_Buffer *src, const vImage_Buffer *dest, long channelIndex, vImage_Flags flags);
/// Replaces channels by a plane. The bits 8, 4, 2 and 1 of copyMask select channels 0, 1, 2 and 3.
vImage_Error vImageOverwriteChannels_ARGB8888(
    const vImage_Buffer *newSrc, const vImage_Buffer *origSrc, const vImage_Buffer *dest,
    uint8_t copyMask, vImage_Flags flags);
/// Replaces channels by a number. The bits 8, 4, 2 and 1 of copyMask select channels 0, 1, 2 and 3.
vImage_Error vImageOverwriteChannelsWithScalar_ARGB8888(
    Pixel_8 scalar, const vImage_Buffer *src, const vImage_Buffer *dest, uint8_t copyMask,
    vImage_Flags flags);
/// Replaces each value by table[value], a table of 256 values.
vImage_Error vImageTableLookUp_Planar8(
    const vImage_Buffer *src, const vImage_Buffer *dest, const Pixel_8 *table, vImage_Flags flags);
/// Sets every pixel to a colour of four channels.
vImage_Error vImageBufferFill_ARGB8888(
    const vImage_Buffer *dest, const uint8_t *color, vImage_Flags flags);
/// Sets every pixel to a colour of four channels.
vImage_Error vImageBufferFill_ARGBFFFF(
    const vImage_Buffer *dest, const float *color, vImage_Flags flags);
/// Multiplies pixels of four channels by a matrix: result[j] = (the sum of (p[i] + pre_bias[i]) matrix[4 i + j] +
/// post_bias[j]) / divisor, rounded to the nearest and clipped.
vImage_Error vImageMatrixMultiply_ARGB8888(
    const vImage_Buffer *src, const vImage_Buffer *dest, const int16_t *matrix, int32_t divisor,
    const int16_t *_Nullable pre_bias, const int32_t *_Nullable post_bias, vImage_Flags flags);
/// Multiplies pixels of four channels by a vector, which gives a plane.
vImage_Error vImageMatrixMultiply_ARGB8888ToPlanar8(
    const vImage_Buffer *src, const vImage_Buffer *dest, const int16_t *matrix, int32_t divisor,
    const int16_t *_Nullable pre_bias, int32_t post_bias, vImage_Flags flags);

ACCELERATE_END
#pragma clang assume_nonnull end

#endif
