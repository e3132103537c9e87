#include "CVips.h"

#include <stdlib.h>

#include "VipsLibrary.h"

static void set_blob(CVipsImage *image, const char *name, CVipsBytes blob) {
  if (blob.bytes != NULL) {
    vips.image_set_blob_copy(image, name, blob.bytes, blob.count);
  }
}

static void *copy_field(CVipsImage *image, const char *name, GValue *value, void *target) {
  (void)image;
  if (g_str_has_prefix(name, "exif-")) {
    vips.image_set(target, name, value);
  }
  return NULL;
}

/// Gives an image EXIF data in the form that libvips writes. libvips writes only the tags that are separate fields of
/// an image. To get these fields, this function lets libvips read the data from a JPEG of one pixel.
static void set_exif(CVipsImage *image, CVipsBytes exif) {
  static const uint8_t pixel[3] = {0, 0, 0};
  CVipsEncoding encoding = {.quality = 50, .exif = exif};
  size_t count = 0;
  void *bytes = cvips_encode_jpeg(pixel, 1, 1, &encoding, &count);
  CVipsImage *carrier = NULL;
  if (bytes != NULL && vips.jpegload_buffer(bytes, count, &carrier, NULL) == 0) {
    vips.image_map(carrier, copy_field, image);
    g_object_unref(carrier);
  }
  vips.error_clear();
  free(bytes);
}

/// Returns a new image that shares the pixels of an image and has the metadata of an encoding.
static CVipsImage *with_metadata(CVipsImage *image, CVipsFormat format,
                                 const CVipsEncoding *encoding) {
  CVipsImage *named = NULL;
  int has_resolution = encoding->horizontal_resolution > 0 && encoding->vertical_resolution > 0;
  // libvips takes 1 pixel per millimetre for a missing resolution.
  int failed = vips.copy(image, &named, "xres",
                         has_resolution ? encoding->horizontal_resolution : 1.0, "yres",
                         has_resolution ? encoding->vertical_resolution : 1.0, NULL);
  if (failed) {
    return NULL;
  }
  vips.image_remove(named, VIPS_META_ICC_NAME);
  set_blob(named, VIPS_META_ICC_NAME, encoding->profile);
  set_blob(named, VIPS_META_XMP_NAME, encoding->xmp);
  set_blob(named, VIPS_META_IPTC_NAME, encoding->iptc);
  if (encoding->exif.bytes != NULL && (format == CVIPS_HEIC || format == CVIPS_AVIF)) {
    set_exif(named, encoding->exif);
  }
  if (encoding->page_height > 0) {
    vips.image_set_int(named, "page-height", encoding->page_height);
    vips.image_set_int(named, "loop", encoding->loop_count);
    vips.image_set_array_int(named, "delay", encoding->delays, encoding->delay_count);
  }
  return named;
}

static VipsForeignTiffCompression tiff_compression(CVipsCompression compression) {
  switch (compression) {
    case CVIPS_TIFF_NONE: return VIPS_FOREIGN_TIFF_COMPRESSION_NONE;
    case CVIPS_TIFF_LZW: return VIPS_FOREIGN_TIFF_COMPRESSION_LZW;
    case CVIPS_TIFF_DEFLATE: break;
  }
  return VIPS_FOREIGN_TIFF_COMPRESSION_DEFLATE;
}

void *cvips_encode(CVipsImage *image, CVipsFormat format, const CVipsEncoding *encoding,
                   size_t *count) {
  void *bytes = NULL;
  int failed = 1;
  *count = 0;
  CVipsImage *named = with_metadata(image, format, encoding);
  if (named == NULL) {
    return NULL;
  }
  switch (format) {
    case CVIPS_PNG:
      failed = vips.pngsave_buffer(named, &bytes, count, "compression", 6, "interlace",
                                   encoding->is_progressive, NULL);
      break;
    case CVIPS_WEBP:
      failed = vips.webpsave_buffer(named, &bytes, count, "Q", encoding->quality, NULL);
      break;
    case CVIPS_TIFF:
      failed = vips.tiffsave_buffer(named, &bytes, count, "compression",
                                    tiff_compression(encoding->compression), "predictor",
                                    encoding->compression == CVIPS_TIFF_NONE
                                        ? VIPS_FOREIGN_TIFF_PREDICTOR_NONE
                                        : VIPS_FOREIGN_TIFF_PREDICTOR_HORIZONTAL,
                                    "resunit", VIPS_FOREIGN_TIFF_RESUNIT_INCH, NULL);
      break;
    case CVIPS_GIF:
      failed = vips.gifsave_buffer(named, &bytes, count, NULL);
      break;
    case CVIPS_HEIC:
    case CVIPS_AVIF:
      cvips_load_module("vips-heif");
      failed = vips.heifsave_buffer(named, &bytes, count, "Q", encoding->quality, "compression",
                                    format == CVIPS_HEIC ? VIPS_FOREIGN_HEIF_COMPRESSION_HEVC
                                                         : VIPS_FOREIGN_HEIF_COMPRESSION_AV1,
                                    NULL);
      break;
  }
  g_object_unref(named);
  if (failed) {
    g_free(bytes);
    return NULL;
  }
  return bytes;
}
