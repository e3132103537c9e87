#include "CVips.h"

#include <string.h>
#include <vips/vips.h>

/// libvips' warnings (odd metadata and the like) have no place among a program's own lines.
static void be_silent(const gchar *domain, GLogLevelFlags level, const gchar *message,
                      gpointer context) {
  (void)domain;
  (void)level;
  (void)message;
  (void)context;
}

int cvips_start(int threads) {
  if (VIPS_INIT("atelier")) {
    return 1;
  }
  g_log_set_handler("VIPS", G_LOG_LEVEL_WARNING | G_LOG_LEVEL_INFO | G_LOG_LEVEL_DEBUG, be_silent,
                    NULL);
  vips_concurrency_set(threads);
  // Each picture is read once: kept results would only hold memory and open files.
  vips_cache_set_max(0);
  vips_cache_set_max_mem(0);
  vips_cache_set_max_files(0);
  // Interpreters and rarely tested parsers (ImageMagick, SVG, PDF …) stay away from foreign files.
  vips_block_untrusted_set(TRUE);
  return 0;
}

char *cvips_take_error(void) { return vips_error_buffer_copy(); }

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

/// Opens what the source holds; takes over the caller's reference to the source.
static CVipsOpening open_source(VipsSource *source, CVipsImage **image) {
  if (source == NULL) {
    return CVIPS_BROKEN;
  }
  const char *loader = vips_foreign_find_load_source(source);
  if (loader == NULL || !is_wanted(loader)) {
    g_object_unref(source);
    return CVIPS_UNKNOWN_FORMAT;
  }
  *image = vips_image_new_from_source(
      source, "", "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_TRUNCATED, NULL);
  g_object_unref(source);
  return *image == NULL ? CVIPS_BROKEN : CVIPS_OPENED;
}

CVipsOpening cvips_open_file(const char *path, CVipsImage **image) {
  return open_source(vips_source_new_from_file(path), image);
}

CVipsOpening cvips_open_memory(const void *bytes, size_t count, CVipsImage **image) {
  return open_source(vips_source_new_from_memory(bytes, count), image);
}

int cvips_width(CVipsImage *image) { return vips_image_get_width(image); }

int cvips_height(CVipsImage *image) { return vips_image_get_height(image); }

int cvips_bands(CVipsImage *image) { return vips_image_get_bands(image); }

int cvips_has_alpha(CVipsImage *image) { return vips_image_hasalpha(image); }

int cvips_is_srgb8(CVipsImage *image) {
  return vips_image_get_format(image) == VIPS_FORMAT_UCHAR &&
         vips_image_get_interpretation(image) == VIPS_INTERPRETATION_sRGB;
}

int cvips_orientation(CVipsImage *image) {
  int orientation = vips_image_get_orientation(image);
  return orientation >= 1 && orientation <= 8 ? orientation : 1;
}

const char *cvips_loader(CVipsImage *image) {
  const char *loader = NULL;
  if (vips_image_get_typeof(image, VIPS_META_LOADER) == 0 ||
      vips_image_get_string(image, VIPS_META_LOADER, &loader)) {
    vips_error_clear();
    return NULL;
  }
  return loader;
}

const void *cvips_profile(CVipsImage *image, size_t *count) {
  const void *profile = NULL;
  *count = 0;
  if (vips_image_get_typeof(image, VIPS_META_ICC_NAME) == 0 ||
      vips_image_get_blob(image, VIPS_META_ICC_NAME, &profile, count)) {
    vips_error_clear();
    return NULL;
  }
  return profile;
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
    failed = vips_icc_transform(current, &next, "srgb", "embedded", TRUE, "intent",
                                VIPS_INTENT_RELATIVE, "depth", 8, NULL);
    current = replace(current, next, failed);
  } else if (vips_image_get_interpretation(current) == VIPS_INTERPRETATION_CMYK) {
    failed = vips_icc_transform(current, &next, "srgb", "input_profile", "cmyk", "intent",
                                VIPS_INTENT_RELATIVE, "depth", 8, NULL);
    current = replace(current, next, failed);
  }
  if (current == NULL) {
    return NULL;
  }

  if (vips_image_get_interpretation(current) != VIPS_INTERPRETATION_sRGB) {
    failed = vips_colourspace(current, &next, VIPS_INTERPRETATION_sRGB, NULL);
    current = replace(current, next, failed);
    if (current == NULL) {
      return NULL;
    }
  }
  if (vips_image_get_format(current) != VIPS_FORMAT_UCHAR) {
    failed = vips_cast(current, &next, VIPS_FORMAT_UCHAR, NULL);
    current = replace(current, next, failed);
    if (current == NULL) {
      return NULL;
    }
  }
  if (vips_image_get_bands(current) > 4) {
    failed = vips_extract_band(current, &next, 0, "n", 4, NULL);
    current = replace(current, next, failed);
  }
  return current;
}

void *cvips_pixels(CVipsImage *image, size_t *count) {
  return vips_image_write_to_memory(image, count);
}

CVipsImage *cvips_wrap(const void *pixels, size_t count, int width, int height, int bands) {
  CVipsImage *plain =
      vips_image_new_from_memory(pixels, count, width, height, bands, VIPS_FORMAT_UCHAR);
  if (plain == NULL) {
    return NULL;
  }
  CVipsImage *named = NULL;
  int failed = vips_copy(plain, &named, "interpretation",
                         bands < 3 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB, NULL);
  return replace(plain, named, failed);
}

CVipsImage *cvips_join_bands(CVipsImage *first, CVipsImage *second) {
  CVipsImage *joined = NULL;
  return vips_bandjoin2(first, second, &joined, NULL) ? NULL : joined;
}

void *cvips_encode(CVipsImage *image, CVipsFormat format, int quality, size_t *count) {
  void *bytes = NULL;
  int failed = 1;
  *count = 0;
  switch (format) {
    case CVIPS_JPEG:
      failed = vips_jpegsave_buffer(image, &bytes, count, "Q", quality, "optimize_coding", TRUE, NULL);
      break;
    case CVIPS_PNG:
      failed = vips_pngsave_buffer(image, &bytes, count, "compression", 6, NULL);
      break;
    case CVIPS_WEBP:
      failed = vips_webpsave_buffer(image, &bytes, count, "Q", quality, NULL);
      break;
    case CVIPS_TIFF:
      failed = vips_tiffsave_buffer(image, &bytes, count, "compression",
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
