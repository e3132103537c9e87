#include "CVips.h"

#include <stdlib.h>
#include <string.h>

#include <png.h>
#include <zlib.h>

static CVipsPNGHeader header_of(const png_image *image) {
  CVipsPNGHeader header = {
      .width = (int)image->width,
      .height = (int)image->height,
      .has_alpha = (image->format & PNG_FORMAT_FLAG_ALPHA) != 0,
  };
  return header;
}

int cvips_png_header(const void *bytes, size_t count, CVipsPNGHeader *header, char words[64]) {
  png_image image;
  memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  int is_open = png_image_begin_read_from_memory(&image, bytes, count);
  *header = header_of(&image);
  memcpy(words, image.message, sizeof image.message);
  png_image_free(&image);
  return !is_open;
}

int cvips_decode_png(const void *bytes, size_t count, uint8_t *pixels, char words[64]) {
  png_image image;
  memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  int is_complete = 0;
  if (png_image_begin_read_from_memory(&image, bytes, count)) {
    image.format = header_of(&image).has_alpha ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB;
    // Warnings are about metadata, such as an odd profile.
    is_complete = png_image_finish_read(&image, NULL, pixels, 0, NULL) && !PNG_IMAGE_FAILED(image);
  }
  memcpy(words, image.message, sizeof image.message);
  png_image_free(&image);
  return !is_complete;
}

static void put32(unsigned char *to, size_t value) {
  for (int index = 0; index < 4; index++) {
    to[index] = (unsigned char)(value >> (24 - 8 * index));
  }
}

/// Inserts an XMP packet after the header of a PNG, as an iTXt chunk. Takes over the PNG's memory. Returns NULL if memory
/// is short.
///
/// Source: PNG (third edition), 5.3 chunk layout, 11.3.3.4 iTXt; XMP part 3, 1.1.5.
static unsigned char *with_xmp(unsigned char *png, size_t *size, const void *xmp, size_t xmp_count) {
  // The keyword, followed by: not compressed, method 0, no language, no translated keyword.
  static const char keyword[] = "XML:com.adobe.xmp\0\0\0\0";
  enum { start = 8 + 25 };
  size_t length = sizeof keyword + xmp_count, chunk = 12 + length;
  unsigned char *longer = realloc(png, *size + chunk);
  if (longer == NULL) {
    free(png);
    return NULL;
  }
  memmove(longer + start + chunk, longer + start, *size - start);
  unsigned char *at = longer + start;
  put32(at, length);
  memcpy(at + 4, "iTXt", 4);
  memcpy(at + 8, keyword, sizeof keyword);
  memcpy(at + 8 + sizeof keyword, xmp, xmp_count);
  put32(at + 8 + length, crc32(0, at + 4, (unsigned)(4 + length)));
  *size += chunk;
  return longer;
}

void *cvips_encode_png(const uint8_t *pixels, int width, int height, int has_alpha, const void *xmp,
                       size_t xmp_count, size_t *count) {
  png_image image;
  memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.width = (png_uint_32)width;
  image.height = (png_uint_32)height;
  image.format = has_alpha ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  unsigned char *png = malloc(size);
  int is_complete = png != NULL && png_image_write_to_memory(&image, png, &size, 0, pixels, 0, NULL);
  png_image_free(&image);
  if (!is_complete) {
    free(png);
    return NULL;
  }
  *count = size;
  return xmp == NULL ? png : with_xmp(png, count, xmp, xmp_count);
}
