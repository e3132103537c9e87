// Reads barcodes and QR codes with libzbar, which is loaded on first use.

#ifndef CBARCODE_H
#define CBARCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A code in a picture.
typedef struct {
  /// zbar's number of the symbology, such as 64 for QR codes.
  int kind;
  /// How often zbar saw the code: a number without a unit.
  int quality;
  /// The content. Valid only inside of the callback.
  const char *data;
  /// The number of bytes of `data`.
  size_t count;
  /// The corners of the code, as x and y in pixels. For a QR code: the upper left, lower left, lower right and upper
  /// right corner of the upright code. For other codes: the corners of a box around the points that zbar saw.
  int corners[8];
} CBarcodeSymbol;

/// Returns whether libzbar can be loaded.
bool cbarcode_is_available(void);

/// Finds codes in a grey picture, and passes each to `found`.
///
/// - pixels: `width * height` bytes, row by row.
///
/// Returns false if libzbar cannot be loaded or has no memory.
bool cbarcode_scan(const uint8_t *pixels, unsigned width, unsigned height, void *context,
                   void (*found)(void *context, const CBarcodeSymbol *symbol));

#endif
