#include "CBarcode.h"

#include "CDynamicLibrary.h"

#include <pthread.h>

// zbar's functions, as zbar.h declares them.
static struct {
  void *(*scanner_create)(void);
  void (*scanner_destroy)(void *);
  int (*scanner_set_config)(void *, int, int, int);
  void *(*image_create)(void);
  void (*image_destroy)(void *);
  void (*image_set_format)(void *, unsigned long);
  void (*image_set_size)(void *, unsigned, unsigned);
  void (*image_set_data)(void *, const void *, unsigned long, void (*)(void *));
  int (*scan)(void *, void *);
  const void *(*first_symbol)(const void *);
  const void *(*next_symbol)(const void *);
  int (*symbol_type)(const void *);
  const char *(*symbol_data)(const void *);
  unsigned (*symbol_length)(const void *);
  int (*symbol_quality)(const void *);
  unsigned (*location_count)(const void *);
  int (*location_x)(const void *, unsigned);
  int (*location_y)(const void *, unsigned);
} zbar;

static const char *const names[] = {
    "zbar_image_scanner_create", "zbar_image_scanner_destroy", "zbar_image_scanner_set_config",
    "zbar_image_create",         "zbar_image_destroy",         "zbar_image_set_format",
    "zbar_image_set_size",       "zbar_image_set_data",        "zbar_scan_image",
    "zbar_image_first_symbol",   "zbar_symbol_next",           "zbar_symbol_get_type",
    "zbar_symbol_get_data",      "zbar_symbol_get_data_length", "zbar_symbol_get_quality",
    "zbar_symbol_get_loc_size",  "zbar_symbol_get_loc_x",      "zbar_symbol_get_loc_y",
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_loaded;

static void load(void) {
  void *library = dlopen("libzbar.so.0", RTLD_NOW | RTLD_LOCAL);
  is_loaded = library != NULL && cdl_find(library, names, sizeof names / sizeof *names, &zbar);
}

bool cbarcode_is_available(void) {
  pthread_once(&once, load);
  return is_loaded;
}

enum { kUPCE = 9, kQRCode = 64, kConfigEnable = 0, kMaximumPoints = 1 << 16 };

/// Writes the corners of a symbol.
static void locate(const void *symbol, CBarcodeSymbol *made) {
  unsigned count = zbar.location_count(symbol);
  if (count > kMaximumPoints) count = kMaximumPoints;
  int left = 0, top = 0, right = 0, bottom = 0;
  for (unsigned index = 0; index < count; index++) {
    const int x = zbar.location_x(symbol, index), y = zbar.location_y(symbol, index);
    if (made->kind == kQRCode && count == 4) {
      made->corners[2 * index] = x;
      made->corners[2 * index + 1] = y;
    }
    if (index == 0 || x < left) left = x;
    if (index == 0 || x > right) right = x;
    if (index == 0 || y < top) top = y;
    if (index == 0 || y > bottom) bottom = y;
  }
  if (made->kind == kQRCode && count == 4) return;
  const int corners[8] = {left, top, left, bottom, right, bottom, right, top};
  memcpy(made->corners, corners, sizeof corners);
}

bool cbarcode_scan(const uint8_t *pixels, unsigned width, unsigned height, void *context,
                   void (*found)(void *context, const CBarcodeSymbol *symbol)) {
  if (!cbarcode_is_available()) return false;
  void *scanner = zbar.scanner_create();
  void *image = zbar.image_create();
  const bool is_ready = scanner != NULL && image != NULL;
  if (is_ready) {
    // Without this setting, zbar does not read UPC-E codes.
    zbar.scanner_set_config(scanner, kUPCE, kConfigEnable, 1);
    // The four letters Y800: one byte of luma per pixel.
    zbar.image_set_format(image, 0x30303859ul);
    zbar.image_set_size(image, width, height);
    // NULL: zbar must not free the pixels.
    zbar.image_set_data(image, pixels, (unsigned long)width * height, NULL);
    zbar.scan(scanner, image);
    for (const void *symbol = zbar.first_symbol(image); symbol != NULL;
         symbol = zbar.next_symbol(symbol)) {
      CBarcodeSymbol made = {
          .kind = zbar.symbol_type(symbol),
          .quality = zbar.symbol_quality(symbol),
          .data = zbar.symbol_data(symbol),
          .count = zbar.symbol_length(symbol),
      };
      locate(symbol, &made);
      found(context, &made);
    }
  }
  if (image != NULL) zbar.image_destroy(image);
  if (scanner != NULL) zbar.scanner_destroy(scanner);
  return is_ready;
}
