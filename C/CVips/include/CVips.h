// libvips for Swift: the few calls that pictures need, without varargs, macros and GObject. Builds with
// 8.14 (Debian 12) and 8.15 (Ubuntu 24.04). Only CVips.c sees libvips' headers, so that no Swift file
// waits for the compiler to import them.
//
// libvips is loaded when the first picture needs it: it brings 90 libraries, and the system takes 20 ms to link
// them. JPEGs, which most photos and paintings are, go through libjpeg alone.
//
// Images are opaque and counted: whoever gets one from a function releases it once with
// cvips_release. Functions that return an image or an int return NULL or non-zero on failure;
// cvips_take_error then says why. All are safe to call from any thread after cvips_start.

#ifndef CVIPS_H
#define CVIPS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct _VipsImage CVipsImage;

/// Loads and starts libvips: no operation cache, no leak of untrusted formats, `threads` workers. Nothing else
/// here may be called before it has returned 0, but cvips_take_error and what reads and writes JPEGs alone.
int cvips_start(int threads);

/// The library's words on the last failure, cleared there. Free with cvips_free.
char *cvips_take_error(void);

/// Frees memory that a function here returned.
void cvips_free(void *memory);

/// Gives an image back. NULL is fine.
void cvips_release(CVipsImage *image);

/// How opening a picture ended.
typedef enum {
  CVIPS_OPENED = 0,
  /// The bytes are not in one of the formats that are read.
  CVIPS_UNKNOWN_FORMAT = 1,
  /// The format is known; its header could not be read.
  CVIPS_BROKEN = 2,
} CVipsOpening;

/// What decoding does about data that are missing or contradict each other.
typedef enum {
  /// Decoding fails: of JPEGs at whatever libjpeg warns of, of other formats where data are missing.
  CVIPS_STRICT = 0,
  /// What is missing stays grey.
  CVIPS_LENIENT = 1,
} CVipsStrictness;

/// Opens a picture for one pass from top to bottom. Reads the header, decodes nothing.
/// The path is taken as it is: no options in brackets.
CVipsOpening cvips_open_file(const char *path, CVipsStrictness strictness, CVipsImage **image);

/// Opens a picture in memory, which must stay until the image is released.
CVipsOpening cvips_open_memory(const void *bytes, size_t count, CVipsStrictness strictness,
                               CVipsImage **image);

int cvips_width(CVipsImage *image);
int cvips_height(CVipsImage *image);
int cvips_bands(CVipsImage *image);

/// Whether the last band is alpha.
int cvips_has_alpha(CVipsImage *image);

/// Whether components are unsigned bytes in sRGB's numbers (the profile aside).
int cvips_is_srgb8(CVipsImage *image);

/// The EXIF orientation, 1 to 8; 1 where there is none.
int cvips_orientation(CVipsImage *image);

/// A whole number among the image's metadata, or 0.
int cvips_number(CVipsImage *image, const char *name);

/// A text among the image's metadata, or NULL. The image's own.
const char *cvips_text(CVipsImage *image, const char *name);

/// The embedded XMP packet, or NULL. The image's own.
const void *cvips_xmp(CVipsImage *image, size_t *count);

/// The name of the loader, such as "jpegload_source"; NULL where there is none. The image's own.
const char *cvips_loader(CVipsImage *image);

/// The embedded colour profile, or NULL. The image's own.
const void *cvips_profile(CVipsImage *image, size_t *count);

/// The image in 8-bit sRGB: 3 bands, or 4 with alpha. The embedded profile is used if `use_profile`.
CVipsImage *cvips_to_srgb8(CVipsImage *image, int use_profile);

/// How many tiles of pictures libvips could not compute, and painted black, since the program began. It
/// tells of most such errors otherwise; of one in the last rows it may not, depending on its threads.
long cvips_black_tiles(void);

/// Computes all pixels, rows without gaps. Free with cvips_free.
void *cvips_pixels(CVipsImage *image, size_t *count);

/// An image over pixels of the caller, which must stay until the image is released.
CVipsImage *cvips_wrap(const void *pixels, size_t count, int width, int height, int bands);

/// Two images side by side in the bands of one: colours and alpha.
CVipsImage *cvips_join_bands(CVipsImage *first, CVipsImage *second);

/// The formats that are written.
typedef enum {
  CVIPS_PNG = 1,
  CVIPS_WEBP = 2,
  CVIPS_TIFF = 3,
} CVipsFormat;

/// The image as a file's bytes. `quality` (1 to 100) counts for WebP; `xmp` is embedded unless
/// it is NULL. Free with cvips_free.
void *cvips_encode(CVipsImage *image, CVipsFormat format, int quality, const void *xmp,
                   size_t xmp_count, size_t *count);

/// A JPEG as most are: three components of 8 bits as luminance and colours, nothing that libjpeg warns of, no
/// more than one EXIF and XMP segment. libjpeg decodes it alone, and libvips need not be there.
typedef struct CVipsPlainJPEG CVipsPlainJPEG;

/// What is written before a JPEG's pixels.
typedef struct {
  /// The size as stored.
  int width, height;
  /// The EXIF orientation, 1 to 8.
  int orientation;
  /// Whether several scans follow each other, so that the decoder keeps the whole picture.
  int has_scans;
  /// Whether colours have half the width and height (4:2:0).
  int is_subsampled;
  /// The embedded colour profile and the XMP packet, or NULL. The file's own.
  const void *profile;
  size_t profile_count;
  const void *xmp;
  size_t xmp_count;
} CVipsJPEGHeader;

/// Reads a JPEG's header. NULL for a file that is none, is not plain, or cannot be read: libvips says more.
/// Close it with cvips_close_jpeg. A file or memory must stay as it is until then.
CVipsPlainJPEG *cvips_open_jpeg_file(const char *path);
CVipsPlainJPEG *cvips_open_jpeg_memory(const void *bytes, size_t count);

CVipsJPEGHeader cvips_jpeg_header(const CVipsPlainJPEG *jpeg);

/// Decodes all pixels once, width * height * 3 bytes. Non-zero where data are missing or contradict each other.
int cvips_decode_jpeg(CVipsPlainJPEG *jpeg, uint8_t *pixels);

void cvips_close_jpeg(CVipsPlainJPEG *jpeg);

/// Pixels as a JPEG's bytes; `xmp` is embedded unless it is NULL. Free with free. NULL where memory is short.
void *cvips_encode_jpeg(const uint8_t *pixels, int width, int height, int quality, const void *xmp,
                        size_t xmp_count, size_t *count);

/// What is wrong with a JPEG, as far as its data were decoded.
typedef struct {
  /// Whether the file ends before its end marker.
  int ends_early;
  /// The rows that it claims; 0 where the header cannot be read.
  int height;
  /// The first row with missing or contradictory data, or -1. 0 where scans cover the whole picture.
  int damaged_row;
  /// libjpeg's words on the first damage; empty where there is none.
  char words[256];
} CVipsJPEGReport;

/// Decodes a JPEG up to its first damage to find out what is wrong with it; warnings that cost no pixels (bytes too many
/// between segments, odd version numbers) do not count.
CVipsJPEGReport cvips_examine_jpeg(const void *bytes, size_t count);

#ifdef __cplusplus
}
#endif

#endif
