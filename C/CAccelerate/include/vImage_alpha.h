// vImage's functions of alpha, for 8 bits per channel. Products are divided by 255 and rounded to the nearest value.

#ifndef ATELIER_VIMAGE_ALPHA_H
#define ATELIER_VIMAGE_ALPHA_H

#include "vImage_types.h"

#pragma clang assume_nonnull begin
ACCELERATE_BEGIN

/// Multiplies colours by alpha, which is the first channel.
vImage_Error vImagePremultiplyData_ARGB8888(
    const vImage_Buffer *src, const vImage_Buffer *dest, vImage_Flags flags);
/// Multiplies colours by alpha, which is the last channel.
vImage_Error vImagePremultiplyData_RGBA8888(
    const vImage_Buffer *src, const vImage_Buffer *dest, vImage_Flags flags);
/// Multiplies colours by alpha, which is the last channel.
vImage_Error vImagePremultiplyData_BGRA8888(
    const vImage_Buffer *src, const vImage_Buffer *dest, vImage_Flags flags);
/// Divides colours by alpha, which is the first channel. Where alpha is 0, the colours become 0.
vImage_Error vImageUnpremultiplyData_ARGB8888(
    const vImage_Buffer *src, const vImage_Buffer *dest, vImage_Flags flags);
/// Divides colours by alpha, which is the last channel. Where alpha is 0, the colours become 0.
vImage_Error vImageUnpremultiplyData_RGBA8888(
    const vImage_Buffer *src, const vImage_Buffer *dest, vImage_Flags flags);
/// Divides colours by alpha, which is the last channel. Where alpha is 0, the colours become 0.
vImage_Error vImageUnpremultiplyData_BGRA8888(
    const vImage_Buffer *src, const vImage_Buffer *dest, vImage_Flags flags);
/// Draws a premultiplied picture over another picture: top + bottom (255 - alpha of top) / 255. Alpha is the first
/// channel.
vImage_Error vImagePremultipliedAlphaBlend_ARGB8888(
    const vImage_Buffer *srcTop, const vImage_Buffer *srcBottom, const vImage_Buffer *dest,
    vImage_Flags flags);
/// Draws a premultiplied picture over another picture: top + bottom (255 - alpha of top) / 255. Alpha is the last
/// channel.
vImage_Error vImagePremultipliedAlphaBlend_BGRA8888(
    const vImage_Buffer *srcTop, const vImage_Buffer *srcBottom, const vImage_Buffer *dest,
    vImage_Flags flags);

ACCELERATE_END
#pragma clang assume_nonnull end

#endif
