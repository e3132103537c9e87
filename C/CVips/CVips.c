#include "CVips.h"

#include <stdatomic.h>
#include <string.h>

#include "VipsLibrary.h"

static atomic_long black_tiles;

/// Discards the warnings of libvips, such as those about odd metadata, so that they are not printed. Counts how often
/// libvips warns that it could not compute a tile and has painted the tile black.
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
  // Each image is read once, so cached results would only hold memory and open files.
  vips.cache_set_max(0);
  vips.cache_set_max_mem(0);
  vips.cache_set_max_files(0);
  // Disables the loaders that use interpreters or rarely tested parsers (ImageMagick, SVG, PDF …), because a crafted
  // file could attack such code.
  cvips_block_untrusted();
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

/// Loads libvips' module for HEIC and AVIF if the file has one of these formats. Such files begin with a box of type
/// `ftyp`.
static void load_module_for(VipsSource *source) {
  const unsigned char *start = vips.source_sniff(source, 12);
  if (start != NULL && memcmp(start + 4, "ftyp", 4) == 0) {
    cvips_load_module("vips-heif");
  }
}

/// Opens an image from a source. Releases the caller's reference to the source.
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
  // libvips calls a JPEG truncated if the file has no end marker, but only warns about missing data before the end
  // marker. For other formats, libvips warns only about odd metadata.
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

CVipsOpening cvips_open_animation(const void *bytes, size_t count, CVipsImage **image) {
  VipsSource *source = vips.source_new_from_memory(bytes, count);
  const char *loader = source == NULL ? NULL : vips.foreign_find_load_source(source);
  if (loader == NULL || !is_wanted(loader)) {
    if (source != NULL) g_object_unref(source);
    return CVIPS_UNKNOWN_FORMAT;
  }
  *image = vips.image_new_from_source(source, "", "access", VIPS_ACCESS_SEQUENTIAL, "fail_on",
                                      VIPS_FAIL_ON_TRUNCATED, "n", -1, NULL);
  g_object_unref(source);
  return *image == NULL ? CVIPS_BROKEN : CVIPS_OPENED;
}

const int *cvips_delays(CVipsImage *image, int *count) {
  int *delays = NULL;
  *count = 0;
  if (vips.image_get_typeof(image, "delay") == 0 ||
      vips.image_get_array_int(image, "delay", &delays, count)) {
    vips.error_clear();
    return NULL;
  }
  return delays;
}

int cvips_width(CVipsImage *image) { return vips.image_get_width(image); }

int cvips_height(CVipsImage *image) { return vips.image_get_height(image); }

int cvips_bands(CVipsImage *image) { return vips.image_get_bands(image); }

int cvips_has_alpha(CVipsImage *image) { return vips.image_hasalpha(image); }

int cvips_is_srgb8(CVipsImage *image) {
  return vips.image_get_format(image) == VIPS_FORMAT_UCHAR &&
         vips.image_get_interpretation(image) == VIPS_INTERPRETATION_sRGB;
}

int cvips_is_deep(CVipsImage *image) {
  VipsBandFormat format = vips.image_get_format(image);
  return format != VIPS_FORMAT_UCHAR && format != VIPS_FORMAT_CHAR;
}

double cvips_horizontal_resolution(CVipsImage *image) { return vips.image_get_xres(image); }

double cvips_vertical_resolution(CVipsImage *image) { return vips.image_get_yres(image); }

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

const void *cvips_blob(CVipsImage *image, const char *name, size_t *count) {
  const void *bytes = NULL;
  *count = 0;
  if (vips.image_get_typeof(image, name) == 0 || vips.image_get_blob(image, name, &bytes, count)) {
    vips.error_clear();
    return NULL;
  }
  return bytes;
}

const void *cvips_profile(CVipsImage *image, size_t *count) {
  return cvips_blob(image, VIPS_META_ICC_NAME, count);
}

const void *cvips_xmp(CVipsImage *image, size_t *count) {
  return cvips_blob(image, VIPS_META_XMP_NAME, count);
}

/// Releases an image and returns the result of an operation on it, or NULL if the operation failed.
static CVipsImage *replace(CVipsImage *old, CVipsImage *new, int failed) {
  g_object_unref(old);
  return failed ? NULL : new;
}

CVipsImage *cvips_to_srgb(CVipsImage *image, int intent, int depth) {
  const VipsInterpretation wanted =
      depth == 16 ? VIPS_INTERPRETATION_RGB16 : VIPS_INTERPRETATION_sRGB;
  const VipsBandFormat format = depth == 16 ? VIPS_FORMAT_USHORT : VIPS_FORMAT_UCHAR;
  CVipsImage *next = NULL;
  CVipsImage *current = image;
  int failed;
  g_object_ref(current);

  if (intent >= 0) {
    failed = vips.icc_transform(current, &next, "srgb", "embedded", TRUE, "intent", intent,
                                "depth", depth, NULL);
    current = replace(current, next, failed);
  } else if (vips.image_get_interpretation(current) == VIPS_INTERPRETATION_CMYK) {
    failed = vips.icc_transform(current, &next, "srgb", "input_profile", "cmyk", "intent",
                                VIPS_INTENT_RELATIVE, "depth", depth, NULL);
    current = replace(current, next, failed);
  }
  if (current == NULL) {
    return NULL;
  }

  if (vips.image_get_interpretation(current) != wanted) {
    failed = vips.colourspace(current, &next, wanted, NULL);
    current = replace(current, next, failed);
    if (current == NULL) {
      return NULL;
    }
  }
  if (vips.image_get_format(current) != format) {
    failed = vips.cast(current, &next, format, NULL);
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

CVipsImage *cvips_from_srgb(CVipsImage *image, const void *profile, size_t count, int intent,
                            int depth) {
  CVipsImage *lab = NULL, *named = NULL, *result = NULL;
  int failed = vips.icc_import(image, &lab, "input_profile", "srgb", "pcs", VIPS_PCS_LAB, "intent",
                               VIPS_INTENT_RELATIVE, NULL);
  if (failed) {
    return NULL;
  }
  failed = vips.copy(lab, &named, NULL);
  g_object_unref(lab);
  if (failed) {
    return NULL;
  }
  // Exporting converts to the embedded profile.
  vips.image_set_blob_copy(named, VIPS_META_ICC_NAME, profile, count);
  failed = vips.icc_export(named, &result, "depth", depth, "intent", intent, NULL);
  return replace(named, result, failed);
}

void *cvips_pixels(CVipsImage *image, size_t *count) {
  return vips.image_write_to_memory(image, count);
}

CVipsImage *cvips_wrap(const void *pixels, size_t count, int width, int height, int bands,
                       int depth) {
  CVipsImage *plain =
      vips.image_new_from_memory(pixels, count, width, height, bands,
                                 depth == 16 ? VIPS_FORMAT_USHORT : VIPS_FORMAT_UCHAR);
  if (plain == NULL) {
    return NULL;
  }
  VipsInterpretation interpretation =
      bands < 3     ? (depth == 16 ? VIPS_INTERPRETATION_GREY16 : VIPS_INTERPRETATION_B_W)
      : depth == 16 ? VIPS_INTERPRETATION_RGB16
                    : VIPS_INTERPRETATION_sRGB;
  CVipsImage *named = NULL;
  int failed = vips.copy(plain, &named, "interpretation", interpretation, NULL);
  return replace(plain, named, failed);
}

CVipsImage *cvips_join_bands(CVipsImage *first, CVipsImage *second) {
  CVipsImage *joined = NULL;
  return vips.bandjoin2(first, second, &joined, NULL) ? NULL : joined;
}
