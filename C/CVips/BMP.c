#include "CVips.h"

#include <stdlib.h>
#include <string.h>

// Source: Microsoft, “Bitmap storage” and “BITMAPV5HEADER structure (wingdi.h)”.

typedef struct {
  const uint8_t *bytes;
  size_t count;
} Bytes;

static uint32_t number(Bytes file, size_t at, int size) {
  uint32_t value = 0;
  for (int i = size - 1; i >= 0; i--) {
    value = value << 8 | (at + (size_t)i < file.count ? file.bytes[at + (size_t)i] : 0);
  }
  return value;
}

static const char *read_masks(Bytes file, CVipsBMP *header) {
  int is_deep = header->bits_per_pixel == 32;
  const uint32_t plain[2][4] = {{0x7C00, 0x03E0, 0x001F, 0}, {0xFF0000, 0xFF00, 0xFF, 0}};
  memcpy(header->masks, plain[is_deep], sizeof header->masks);
  if (header->compression != 3 && header->compression != 6) {
    return NULL;
  }
  if (header->bits_per_pixel != 16 && !is_deep) {
    return "its pixels have masks, but neither 16 nor 32 bits";
  }
  int has_alpha = header->compression == 6 || header->header_size >= 56;
  for (int i = 0; i < 3 + has_alpha; i++) {
    header->masks[i] = number(file, 14 + 40 + (size_t)i * 4, 4);
  }
  return NULL;
}

const char *cvips_read_bmp(const void *bytes, size_t count, CVipsBMP *header) {
  Bytes file = {bytes, count};
  memset(header, 0, sizeof *header);
  if (count < 26 || memcmp(bytes, "BM", 2) != 0) {
    return "the header is incomplete";
  }
  header->pixels = number(file, 10, 4);
  header->header_size = number(file, 14, 4);
  int is_core = header->header_size == 12;
  if (!is_core && (header->header_size < 40 || header->header_size > 1 << 16 || count < 54)) {
    return "its header has an unknown version";
  }
  int64_t width = is_core ? (int64_t)number(file, 18, 2) : (int32_t)number(file, 18, 4);
  int64_t height = is_core ? (int64_t)number(file, 20, 2) : (int32_t)number(file, 22, 4);
  header->bits_per_pixel = (int)number(file, is_core ? 24 : 28, 2);
  header->compression = is_core ? 0 : number(file, 30, 4);
  header->is_top_down = height < 0;
  height = height < 0 ? -height : height;
  if (width < 1 || height < 1 || width > 1 << 20 || height > 1 << 20) {
    return "its size is out of range";
  }
  header->width = (int)width;
  header->height = (int)height;
  int bits = header->bits_per_pixel;
  int has_runs = header->compression == 1 || header->compression == 2;
  if ((header->compression > 3 && header->compression != 6) ||
      (has_runs && (bits != (header->compression == 1 ? 8 : 4) || header->is_top_down))) {
    return "its compression is not one of BMP's";
  }
  if (bits != 1 && bits != 4 && bits != 8 && bits != 16 && bits != 24 && bits != 32) {
    return "its number of bits per pixel is none of 1, 4, 8, 16, 24 and 32";
  }
  if (bits <= 8) {
    uint32_t stated = is_core ? 0 : number(file, 46, 4);
    unsigned most = 1u << bits;
    header->color_size = is_core ? 3 : 4;
    header->color_count = stated == 0 || stated > most ? most : stated;
    header->palette = 14 + (size_t)header->header_size;
  }
  return read_masks(file, header);
}

/// Returns a component of a pixel, scaled to 0…255. Returns 255 if the mask is empty.
static uint8_t component(uint32_t pixel, uint32_t mask) {
  if (mask == 0) {
    return 255;
  }
  int shift = __builtin_ctz(mask);
  uint64_t most = mask >> shift;
  return (uint8_t)(((pixel & mask) >> shift) * 255ull / most);
}

typedef struct {
  Bytes file;
  const CVipsBMP *header;
  uint8_t *colours, *alpha;
} Target;

/// The index of a pixel in the result. Row 0 is the first stored row.
static size_t place(const Target *target, int x, int row) {
  int y = target->header->is_top_down ? row : target->header->height - 1 - row;
  return (size_t)y * (size_t)target->header->width + (size_t)x;
}

static void set_palette(const Target *target, int x, int row, unsigned index) {
  const CVipsBMP *header = target->header;
  uint8_t *colour = target->colours + place(target, x, row) * 3;
  size_t at = header->palette + (size_t)index * header->color_size;
  int is_known = index < header->color_count && at + 3 <= target->file.count;
  for (int i = 0; i < 3; i++) {
    colour[i] = is_known ? target->file.bytes[at + 2 - (size_t)i] : 0;
  }
}

/// Decodes run lengths. Pixels that no run sets keep the first colour of the palette.
static const char *decode_runs(const Target *target) {
  const CVipsBMP *header = target->header;
  int is_half = header->compression == 2;
  size_t at = header->pixels;
  int x = 0, row = 0;
  for (int y = 0; y < header->height; y++) {
    for (int column = 0; column < header->width; column++) {
      set_palette(target, column, y, 0);
    }
  }
  while (at + 2 <= target->file.count) {
    unsigned first = target->file.bytes[at], second = target->file.bytes[at + 1];
    at += 2;
    if (first > 0) {
      for (unsigned i = 0; i < first; i++, x++) {
        if (x < header->width && row < header->height) {
          set_palette(target, x, row, !is_half ? second : i % 2 ? second & 15 : second >> 4);
        }
      }
    } else if (second == 0) {
      x = 0;
      row++;
    } else if (second == 1) {
      return NULL;
    } else if (second == 2) {
      if (at + 2 > target->file.count) break;
      x += target->file.bytes[at];
      row += target->file.bytes[at + 1];
      at += 2;
    } else {
      size_t size = is_half ? (second + 1) / 2 : second;
      if (at + size > target->file.count) break;
      for (unsigned i = 0; i < second; i++, x++) {
        unsigned byte = target->file.bytes[at + (is_half ? i / 2 : i)];
        if (x < header->width && row < header->height) {
          set_palette(target, x, row, !is_half ? byte : i % 2 ? byte & 15 : byte >> 4);
        }
      }
      at += (size + 1) / 2 * 2;
    }
    // A run that jumps past the end of the picture ends the picture.
    if (row >= header->height) return NULL;
    if (x > header->width) x = header->width;
  }
  return "its pixels end early";
}

static void decode_row(const Target *target, int row, const uint8_t *stored) {
  const CVipsBMP *header = target->header;
  int bits = header->bits_per_pixel;
  for (int x = 0; x < header->width; x++) {
    if (bits <= 8) {
      int position = x * bits, shift = 8 - bits - position % 8;
      set_palette(target, x, row, (unsigned)(stored[position / 8] >> shift & ((1 << bits) - 1)));
      continue;
    }
    size_t index = place(target, x, row);
    uint8_t *colour = target->colours + index * 3;
    const uint8_t *pixel = stored + (size_t)x * (size_t)(bits / 8);
    if (bits == 24) {
      colour[0] = pixel[2];
      colour[1] = pixel[1];
      colour[2] = pixel[0];
      continue;
    }
    uint32_t value = (uint32_t)pixel[0] | (uint32_t)pixel[1] << 8;
    if (bits == 32) value |= (uint32_t)pixel[2] << 16 | (uint32_t)pixel[3] << 24;
    for (int i = 0; i < 3; i++) colour[i] = component(value, header->masks[i]);
    target->alpha[index] = component(value, header->masks[3]);
  }
}

const char *cvips_decode_bmp(const void *bytes, size_t count, const CVipsBMP *header,
                             uint8_t *colours, uint8_t *alpha) {
  Target target = {{bytes, count}, header, colours, alpha};
  size_t area = (size_t)header->width * (size_t)header->height;
  memset(alpha, 255, area);
  if (header->compression == 1 || header->compression == 2) {
    // Two bytes set at most 255 pixels. In a far larger picture, most pixels would have no data.
    if (area / 4096 > count) return "its pixels end early";
    return decode_runs(&target);
  }
  size_t stride = ((size_t)header->width * (size_t)header->bits_per_pixel + 31) / 32 * 4;
  if (header->pixels > count || stride * (size_t)header->height > count - header->pixels) {
    // Some programs leave out the padding of the last row.
    size_t last = ((size_t)header->width * (size_t)header->bits_per_pixel + 7) / 8;
    if (header->pixels > count ||
        stride * (size_t)(header->height - 1) + last > count - header->pixels) {
      return "its pixels end early";
    }
  }
  for (int row = 0; row < header->height; row++) {
    decode_row(&target, row, target.file.bytes + header->pixels + stride * (size_t)row);
  }
  return NULL;
}
