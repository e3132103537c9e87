#include "CVips.h"

#include <stdatomic.h>
#include <string.h>

#include "VipsLibrary.h"

static atomic_long black_tiles;

/// libvips' warnings (odd metadata and the like) have no place among a program's own lines. One of them is
/// counted: that a tile could not be computed and was painted black.
static void be_silent(const gchar *domain, GLogLevelFlags level, const gchar *message,
                      gpointer context) {
  (void)domain;
  (void)level;
  (void)context;
  if (message != NULL && strstr(message, "error in tile") != NULL) {
    atomic_fetch_add(&black_tiles, 1);
  }
}

long cvips_black_tiles(void) { return atomic_load(&black_tiles); }

int cvips_start(int threads) {
  if (cvips_load()) {
    return 1;
  }
  g_log_set_handler("VIPS", G_LOG_LEVEL_WARNING | G_LOG_LEVEL_INFO | G_LOG_LEVEL_DEBUG, be_silent,
                    NULL);
  vips.concurrency_set(threads);
  // Each picture is read once: kept results would only hold memory and open files.
  vips.cache_set_max(0);
  vips.cache_set_max_mem(0);
  vips.cache_set_max_files(0);
  // Interpreters and rarely tested parsers (ImageMagick, SVG, PDF …) stay away from foreign files.
  vips.block_untrusted_set(TRUE);
  return 0;
}

char *cvips_take_error(void) {
  return vips.error_buffer_copy == NULL ? cvips_load_error() : vips.error_buffer_copy();
}

void cvips_free(void *memory) { g_free(memory); }

void cvips_release(CVipsImage *image) {
  if (image != NULL) {
    g_object_unref(image);
  }
}

static int is_wanted(const char *loader) {
  static const char *const wanted[] = {
      "VipsForeignLoadJpeg", "VipsForeignLoadPng",   "VipsForeignLoadWebp",
      "VipsForeignLoadTiff", "VipsForeignLoadHeif", "VipsForeignLoadNsgif",
  };
  for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
    if (strncmp(loader, wanted[i], strlen(wanted[i])) == 0) {
      return 1;
    }
  }
  return 0;
}

/// Loads libvips' module for HEIC and AVIF, which are the files with a box of type `ftyp` first.
static void load_module_for(VipsSource *source) {
  const unsigned char *start = vips.source_sniff(source, 12);
  if (start != NULL && memcmp(start + 4, "ftyp", 4) == 0) {
    cvips_load_module("vips-heif");
  }
}

/// Opens what the source holds; takes over the caller's reference to the source.
static CVipsOpening open_source(VipsSource *source, CVipsStrictness strictness,
                                CVipsImage **image) {
  if (source == NULL) {
    return CVIPS_BROKEN;
  }
  load_module_for(source);
  const char *loader = vips.foreign_find_load_source(source);
  if (loader == NULL || !is_wanted(loader)) {
    g_object_unref(source);
    return CVIPS_UNKNOWN_FORMAT;
  }
  // Of JPEGs libvips calls truncated what has no end marker; missing data before it are a warning.
  // Of other formats warnings are odd metadata.
  VipsFailOn strict = g_str_has_prefix(loader, "VipsForeignLoadJpeg") ? VIPS_FAIL_ON_WARNING
                                                                      : VIPS_FAIL_ON_TRUNCATED;
  *image = vips.image_new_from_source(
      source, "", "access", VIPS_ACCESS_SEQUENTIAL, "fail_on",
      strictness == CVIPS_STRICT ? strict : VIPS_FAIL_ON_NONE, NULL);
  g_object_unref(source);
  return *image == NULL ? CVIPS_BROKEN : CVIPS_OPENED;
}

CVipsOpening cvips_open_file(const char *path, CVipsStrictness strictness, CVipsImage **image) {
  return open_source(vips.source_new_from_file(path), strictness, image);
}

CVipsOpening cvips_open_memory(const void *bytes, size_t count, CVipsStrictness strictness,
                               CVipsImage **image) {
  return open_source(vips.source_new_from_memory(bytes, count), strictness, image);
}

int cvips_width(CVipsImage *image) { return vips.image_get_width(image); }

int cvips_height(CVipsImage *image) { return vips.image_get_height(image); }

int cvips_bands(CVipsImage *image) { return vips.image_get_bands(image); }

int cvips_has_alpha(CVipsImage *image) { return vips.image_hasalpha(image); }

int cvips_is_srgb8(CVipsImage *image) {
  return vips.image_get_format(image) == VIPS_FORMAT_UCHAR &&
         vips.image_get_interpretation(image) == VIPS_INTERPRETATION_sRGB;
}

int cvips_orientation(CVipsImage *image) {
  int orientation = vips.image_get_orientation(image);
  return orientation >= 1 && orientation <= 8 ? orientation : 1;
}

int cvips_number(CVipsImage *image, const char *name) {
  int number = 0;
  if (vips.image_get_typeof(image, name) == 0 || vips.image_get_int(image, name, &number)) {
    vips.error_clear();
    return 0;
  }
  return number;
}

const char *cvips_text(CVipsImage *image, const char *name) {
  const char *text = NULL;
  if (vips.image_get_typeof(image, name) == 0 || vips.image_get_string(image, name, &text)) {
    vips.error_clear();
    return NULL;
  }
  return text;
}

const char *cvips_loader(CVipsImage *image) { return cvips_text(image, VIPS_META_LOADER); }

static const void *blob(CVipsImage *image, const char *name, size_t *count) {
  const void *bytes = NULL;
  *count = 0;
  if (vips.image_get_typeof(image, name) == 0 || vips.image_get_blob(image, name, &bytes, count)) {
    vips.error_clear();
    return NULL;
  }
  return bytes;
}

const void *cvips_profile(CVipsImage *image, size_t *count) {
  return blob(image, VIPS_META_ICC_NAME, count);
}

const void *cvips_xmp(CVipsImage *image, size_t *count) {
  return blob(image, VIPS_META_XMP_NAME, count);
}

/// Replaces an image by what an operation made of it; NULL where that failed.
static CVipsImage *replace(CVipsImage *old, CVipsImage *new, int failed) {
  g_object_unref(old);
  return failed ? NULL : new;
}

CVipsImage *cvips_to_srgb8(CVipsImage *image, int use_profile) {
  CVipsImage *next = NULL;
  CVipsImage *current = image;
  int failed;
  g_object_ref(current);

  if (use_profile) {
    failed = vips.icc_transform(current, &next, "srgb", "embedded", TRUE, "intent",
                                VIPS_INTENT_RELATIVE, "depth", 8, NULL);
    current = replace(current, next, failed);
  } else if (vips.image_get_interpretation(current) == VIPS_INTERPRETATION_CMYK) {
    failed = vips.icc_transform(current, &next, "srgb", "input_profile", "cmyk", "intent",
                                VIPS_INTENT_RELATIVE, "depth", 8, NULL);
    current = replace(current, next, failed);
  }
  if (current == NULL) {
    return NULL;
  }

  if (vips.image_get_interpretation(current) != VIPS_INTERPRETATION_sRGB) {
    failed = vips.colourspace(current, &next, VIPS_INTERPRETATION_sRGB, NULL);
    current = replace(current, next, failed);
    if (current == NULL) {
      return NULL;
    }
  }
  if (vips.image_get_format(current) != VIPS_FORMAT_UCHAR) {
    failed = vips.cast(current, &next, VIPS_FORMAT_UCHAR, NULL);
    current = replace(current, next, failed);
    if (current == NULL) {
      return NULL;
    }
  }
  if (vips.image_get_bands(current) > 4) {
    failed = vips.extract_band(current, &next, 0, "n", 4, NULL);
    current = replace(current, next, failed);
  }
  return current;
}

void *cvips_pixels(CVipsImage *image, size_t *count) {
  return vips.image_write_to_memory(image, count);
}

CVipsImage *cvips_wrap(const void *pixels, size_t count, int width, int height, int bands) {
  CVipsImage *plain =
      vips.image_new_from_memory(pixels, count, width, height, bands, VIPS_FORMAT_UCHAR);
  if (plain == NULL) {
    return NULL;
  }
  CVipsImage *named = NULL;
  int failed = vips.copy(plain, &named, "interpretation",
                         bands < 3 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB, NULL);
  return replace(plain, named, failed);
}

CVipsImage *cvips_join_bands(CVipsImage *first, CVipsImage *second) {
  CVipsImage *joined = NULL;
  return vips.bandjoin2(first, second, &joined, NULL) ? NULL : joined;
}

/// The image with an XMP packet, as a new one; the pixels are shared.
static CVipsImage *with_xmp(CVipsImage *image, const void *xmp, size_t count) {
  CVipsImage *named = NULL;
  if (vips.copy(image, &named, NULL)) {
    return NULL;
  }
  vips.image_set_blob_copy(named, VIPS_META_XMP_NAME, xmp, count);
  return named;
}

void *cvips_encode(CVipsImage *image, CVipsFormat format, int quality, const void *xmp,
                   size_t xmp_count, size_t *count) {
  void *bytes = NULL;
  int failed = 1;
  *count = 0;
  if (xmp != NULL) {
    CVipsImage *named = with_xmp(image, xmp, xmp_count);
    if (named == NULL) {
      return NULL;
    }
    bytes = cvips_encode(named, format, quality, NULL, 0, count);
    g_object_unref(named);
    return bytes;
  }
  switch (format) {
    case CVIPS_PNG:
      failed = vips.pngsave_buffer(image, &bytes, count, "compression", 6, NULL);
      break;
    case CVIPS_WEBP:
      failed = vips.webpsave_buffer(image, &bytes, count, "Q", quality, NULL);
      break;
    case CVIPS_TIFF:
      failed = vips.tiffsave_buffer(image, &bytes, count, "compression",
                                    VIPS_FOREIGN_TIFF_COMPRESSION_DEFLATE, "predictor",
                                    VIPS_FOREIGN_TIFF_PREDICTOR_HORIZONTAL, NULL);
      break;
  }
  if (failed) {
    g_free(bytes);
    return NULL;
  }
  return bytes;
}
