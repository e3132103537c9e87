// Types, flags and errors of vImage.

#ifndef ATELIER_VIMAGE_TYPES_H
#define ATELIER_VIMAGE_TYPES_H

#include <stdbool.h>

#include "vDSP_types.h"

/// A number of pixels.
typedef unsigned long vImagePixelCount;
/// Flags, combined by "or".
typedef uint32_t vImage_Flags;
/// 0 for success, or a negative error.
typedef long vImage_Error;

/// A picture, or a plane of a picture: rows of pixels, rowBytes apart. Row 0 is the top.
typedef struct vImage_Buffer {
  void *_Null_unspecified data;
  vImagePixelCount height;
  vImagePixelCount width;
  size_t rowBytes;
} vImage_Buffer;

typedef uint8_t Pixel_8;
typedef float Pixel_F;
typedef uint16_t Pixel_16U;
typedef int16_t Pixel_16S;
typedef uint16_t Pixel_16F;
typedef uint8_t Pixel_88[2];
typedef uint8_t Pixel_8888[4];
typedef float Pixel_FFFF[4];
typedef uint16_t Pixel_ARGB_16U[4];

/// The flags for tiles, temporary buffers and diagnostics have no effect.
enum {
  kvImageNoFlags = 0,
  kvImageLeaveAlphaUnchanged = 1,
  kvImageCopyInPlace = 2,
  kvImageBackgroundColorFill = 4,
  kvImageEdgeExtend = 8,
  kvImageDoNotTile = 16,
  kvImageHighQualityResampling = 32,
  kvImageTruncateKernel = 64,
  kvImageGetTempBufferSize = 128,
  kvImagePrintDiagnosticsToConsole = 256,
  kvImageNoAllocate = 512,
  kvImageHDRContent = 1024,
  kvImageDoNotClamp = 2048
};

enum {
  kvImageNoError = 0,
  kvImageRoiLargerThanInputBuffer = -21766,
  kvImageInvalidKernelSize = -21767,
  kvImageInvalidEdgeStyle = -21768,
  kvImageInvalidOffset_X = -21769,
  kvImageInvalidOffset_Y = -21770,
  kvImageMemoryAllocationError = -21771,
  kvImageNullPointerArgument = -21772,
  kvImageInvalidParameter = -21773,
  kvImageBufferSizeMismatch = -21774,
  kvImageUnknownFlagsBit = -21775,
  kvImageInternalError = -21776,
  kvImageInvalidRowBytes = -21777,
  kvImageInvalidImageFormat = -21778
};

enum {
  kRotate0DegreesClockwise = 0,
  kRotate90DegreesClockwise = 3,
  kRotate180DegreesClockwise = 2,
  kRotate270DegreesClockwise = 1,
  kRotate0DegreesCounterClockwise = 0,
  kRotate90DegreesCounterClockwise = 1,
  kRotate180DegreesCounterClockwise = 2,
  kRotate270DegreesCounterClockwise = 3
};

#endif
