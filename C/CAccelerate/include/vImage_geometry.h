// vImage's scaling, reflections and rotations.

#ifndef ATELIER_VIMAGE_GEOMETRY_H
#define ATELIER_VIMAGE_GEOMETRY_H

#include "vImage_types.h"

// The name of a pixel format, the type of a channel, the number of channels, and how a function takes a colour.
#define VIMAGE_FORMATS(F) \
  F(Planar8, uint8_t, 1, Pixel_8 backColor, &backColor) \
  F(Planar16U, uint16_t, 1, Pixel_16U backColor, &backColor) \
  F(PlanarF, float, 1, Pixel_F backColor, &backColor) \
  F(ARGB8888, uint8_t, 4, const uint8_t *backColor, backColor) \
  F(ARGB16U, uint16_t, 4, const uint16_t *backColor, backColor) \
  F(ARGBFFFF, float, 4, const float *backColor, backColor)

#pragma clang assume_nonnull begin
ACCELERATE_BEGIN

// vImageScale_… scales a picture to the size of dest with Lanczos' kernel: of 3 lobes, or of 5 with
// kvImageHighQualityResampling. If the result is smaller, the kernel covers proportionally more pixels. Pixels beyond
// an edge equal the pixels at the edge. tempBuffer is not used; with kvImageGetTempBufferSize the result is 0.
//
// vImageVerticalReflect_… exchanges top and bottom, vImageHorizontalReflect_… left and right. dest may be src.
//
// vImageRotate90_… turns by rotationConstant quarters counter-clockwise. If dest has another size than the turned
// picture, the picture is centred in it, and backColor fills the rest.
#define VIMAGE_DECLARE(format, T, channels, color, pointer) \
  vImage_Error vImageScale_##format( \
      const vImage_Buffer *src, const vImage_Buffer *dest, void *_Nullable tempBuffer, vImage_Flags flags); \
  vImage_Error vImageVerticalReflect_##format( \
      const vImage_Buffer *src, const vImage_Buffer *dest, vImage_Flags flags); \
  vImage_Error vImageHorizontalReflect_##format( \
      const vImage_Buffer *src, const vImage_Buffer *dest, vImage_Flags flags); \
  vImage_Error vImageRotate90_##format( \
      const vImage_Buffer *src, const vImage_Buffer *dest, uint8_t rotationConstant, color, vImage_Flags flags);
VIMAGE_FORMATS(VIMAGE_DECLARE)
#undef VIMAGE_DECLARE

ACCELERATE_END
#pragma clang assume_nonnull end

#endif
