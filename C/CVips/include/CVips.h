// The calls of libvips that Swift needs for images, without varargs, macros and GObject. The module builds with libvips
// 8.14 (Debian 12) and 8.15 (Ubuntu 24.04). Its headers do not include the headers of libvips, so the compiler does not
// import the headers of libvips for Swift files.
//
// libvips is loaded when the first image needs it, because it depends on 90 libraries that take 20 ms to link. JPEG,
// the format of most photos and paintings, needs only libjpeg.
//
// Images are opaque and reference-counted. Release each image that a function returns once with cvips_release.
// A function that opens, makes or encodes an image returns NULL or non-zero on failure. cvips_take_error then returns
// the reason. After cvips_start, any thread may call any function.

#ifndef CVIPS_H
#define CVIPS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct _VipsImage CVipsImage;

/// Loads and starts libvips with `threads` worker threads, without its operation cache, and without the loaders that
/// libvips calls untrusted. Until this function has returned 0, only cvips_take_error and the functions for JPEGs may
/// be called.
int cvips_start(int threads);

/// Returns and clears libvips' message about the last failure. Free it with cvips_free.
char *cvips_take_error(void);

/// Frees memory that a function of this header returned.
void cvips_free(void *memory);

/// Releases an image. NULL is allowed.
void cvips_release(CVipsImage *image);

/// The result of opening an image.
typedef enum {
  CVIPS_OPENED = 0,
  /// The bytes have none of the formats that Atelier reads.
  CVIPS_UNKNOWN_FORMAT = 1,
  /// The format is known, but the header could not be read.
  CVIPS_BROKEN = 2,
} CVipsOpening;

/// How decoding treats missing or contradictory data.
typedef enum {
  /// Decoding a JPEG fails at any warning of libjpeg. Decoding another format fails if data are missing.
  CVIPS_STRICT = 0,
  /// Decoding continues without missing data. The missing pixels stay grey.
  CVIPS_LENIENT = 1,
} CVipsStrictness;

/// Opens an image for one pass from top to bottom. Reads the header but decodes no pixels. The path is literal: text in
/// brackets does not set options of libvips.
CVipsOpening cvips_open_file(const char *path, CVipsStrictness strictness, CVipsImage **image);

/// Opens an image in memory, which must stay valid until the image is released.
CVipsOpening cvips_open_memory(const void *bytes, size_t count, CVipsStrictness strictness,
                               CVipsImage **image);

/// Opens all pictures of an animated GIF or WebP in memory as one tall image, in which they follow each other from top
/// to bottom. The metadata "page-height" holds the height of one picture. The bytes must stay valid until the image is
/// released.
CVipsOpening cvips_open_animation(const void *bytes, size_t count, CVipsImage **image);

/// Returns the duration of each picture of an animation in milliseconds, or NULL. The image owns the numbers.
const int *cvips_delays(CVipsImage *image, int *count);

int cvips_width(CVipsImage *image);
int cvips_height(CVipsImage *image);
int cvips_bands(CVipsImage *image);

/// Returns whether the last band is alpha.
int cvips_has_alpha(CVipsImage *image);

/// Returns whether components are unsigned bytes that libvips labels sRGB. Ignores an embedded profile.
int cvips_is_srgb8(CVipsImage *image);

/// Returns whether components have more than 8 bits.
int cvips_is_deep(CVipsImage *image);

/// Returns the resolution in pixels per millimetre, horizontal and vertical. The result is 1 if the file states no
/// resolution.
double cvips_horizontal_resolution(CVipsImage *image);
double cvips_vertical_resolution(CVipsImage *image);

/// Returns the EXIF orientation, 1 to 8, or 1 if the image states none.
int cvips_orientation(CVipsImage *image);

/// Returns the integer that the image's metadata hold under a name. 0 if there is none.
int cvips_number(CVipsImage *image, const char *name);

/// Returns the text that the image's metadata hold under a name. NULL if there is none. The image owns the text.
const char *cvips_text(CVipsImage *image, const char *name);

/// Returns the bytes that the image's metadata hold under a name, such as "exif-data", "xmp-data" or "iptc-data". NULL
/// if there are none. The image owns the bytes.
const void *cvips_blob(CVipsImage *image, const char *name, size_t *count);

/// Returns the embedded XMP packet, or NULL. The image owns the bytes.
const void *cvips_xmp(CVipsImage *image, size_t *count);

/// Returns the name of the loader that opened the image, such as "jpegload_source", or NULL. The image owns the name.
const char *cvips_loader(CVipsImage *image);

/// Returns the embedded colour profile, or NULL. The image owns the bytes.
const void *cvips_profile(CVipsImage *image, size_t *count);

/// Converts an image to sRGB with 3 bands, or 4 with alpha, and `depth` bits (8 or 16) for each component.
///
/// `intent` is the rendering intent for the embedded profile, numbered as in ICC profiles. If it is negative, the embedded
/// profile is ignored. libvips ignores it, too, if it has no table for the intent.
CVipsImage *cvips_to_srgb(CVipsImage *image, int intent, int depth);

/// Converts an image of 3 bands from sRGB to the colours of an RGB profile, with a rendering intent that the profile has,
/// and with `depth` bits (8 or 16).
CVipsImage *cvips_from_srgb(CVipsImage *image, const void *profile, size_t count, int intent,
                            int depth);

/// Returns the number of tiles that libvips could not compute and painted black since the program began. libvips
/// reports most of these errors as failures, too. Depending on its number of threads, libvips may miss an error in the
/// last rows.
long cvips_black_tiles(void);

/// Computes all pixels and returns them without gaps between rows. Free the pixels with cvips_free.
void *cvips_pixels(CVipsImage *image, size_t *count);

/// Makes an image over the caller's pixels, which must stay valid until the image is released. Components are unsigned
/// integers of `depth` bits, 8 or 16.
CVipsImage *cvips_wrap(const void *pixels, size_t count, int width, int height, int bands,
                       int depth);

/// Makes an image with the bands of two images, such as colours and alpha.
CVipsImage *cvips_join_bands(CVipsImage *first, CVipsImage *second);

/// The file formats that cvips_encode writes.
typedef enum {
  CVIPS_PNG = 1,
  CVIPS_WEBP = 2,
  CVIPS_TIFF = 3,
  CVIPS_GIF = 4,
  CVIPS_HEIC = 5,
  CVIPS_AVIF = 6,
} CVipsFormat;

/// The compression of a TIFF.
typedef enum {
  CVIPS_TIFF_NONE = 0,
  CVIPS_TIFF_LZW = 1,
  CVIPS_TIFF_DEFLATE = 2,
} CVipsCompression;

/// Bytes of the caller. `bytes` is NULL if there are none.
typedef struct {
  const void *bytes;
  size_t count;
} CVipsBytes;

/// The settings for writing an image.
typedef struct {
  /// The quality of lossy formats, 1 to 100.
  int quality;
  /// JPEG: whether chroma has half the width and height of luminance (4:2:0).
  int is_subsampled;
  /// JPEG and PNG: whether the file shows a coarse image first (progressive, interlaced).
  int is_progressive;
  CVipsCompression compression;
  /// The resolution in pixels per millimetre; 0 to state none.
  double horizontal_resolution, vertical_resolution;
  /// The metadata to embed. `exif` begins with the TIFF header. cvips_encode embeds it only in HEIC and AVIF. `iptc` is
  /// the content of a Photoshop segment for JPEG, and an IPTC record for TIFF. Other formats ignore it.
  CVipsBytes profile, xmp, iptc, exif;
  /// For an animation: the height of one picture, the duration of each picture in milliseconds, and how often the
  /// animation runs (0: without end). The height is 0 for a single picture.
  int page_height;
  const int *delays;
  int delay_count;
  int loop_count;
} CVipsEncoding;

/// Encodes an image as the bytes of a file. Free the bytes with cvips_free.
void *cvips_encode(CVipsImage *image, CVipsFormat format, const CVipsEncoding *encoding,
                   size_t *count);

/// A plain JPEG, which is decoded by libjpeg without libvips. A plain JPEG has three 8-bit components (YCbCr) and at
/// most one EXIF and one XMP segment, and libjpeg gives no warning for the file.
typedef struct CVipsPlainJPEG CVipsPlainJPEG;

/// The data that a JPEG file has before its pixels.
typedef struct {
  /// The size in pixels as stored, before the orientation is applied.
  int width, height;
  /// The EXIF orientation, 1 to 8.
  int orientation;
  /// Whether there are several scans. The decoder then holds the whole image in memory.
  int has_scans;
  /// Whether chroma has half the width and height of luminance (4:2:0).
  int is_subsampled;
  /// The embedded colour profile and the XMP packet, or NULL. The CVipsPlainJPEG owns them.
  const void *profile;
  size_t profile_count;
  const void *xmp;
  size_t xmp_count;
} CVipsJPEGHeader;

/// Reads the header of a JPEG. Returns NULL if the file is not a JPEG, is not plain, or cannot be read. Open such a
/// file with libvips to get the reason. Close the result with cvips_close_jpeg. The file or memory must not change
/// until then.
CVipsPlainJPEG *cvips_open_jpeg_file(const char *path);
CVipsPlainJPEG *cvips_open_jpeg_memory(const void *bytes, size_t count);

CVipsJPEGHeader cvips_jpeg_header(const CVipsPlainJPEG *jpeg);

/// Decodes all pixels into width * height * 3 bytes. Call it once. Returns non-zero if data are missing or
/// contradictory.
int cvips_decode_jpeg(CVipsPlainJPEG *jpeg, uint8_t *pixels);

void cvips_close_jpeg(CVipsPlainJPEG *jpeg);

/// Encodes pixels as the bytes of a JPEG. Free the bytes with free. Returns NULL if memory is short or a part of the
/// metadata does not fit a segment.
void *cvips_encode_jpeg(const uint8_t *pixels, int width, int height,
                        const CVipsEncoding *encoding, size_t *count);

/// Reads the header of a JPEG as cvips_open_jpeg_file and cvips_open_jpeg_memory do. Also accepts grey JPEGs, and JPEGs
/// whose EXIF or XMP segments are unusual. For machines without libvips.
CVipsPlainJPEG *cvips_open_unusual_jpeg(const void *bytes, size_t count);

/// The header of a PNG.
typedef struct {
  int width, height;
  int has_alpha;
} CVipsPNGHeader;

/// Reads the header of a PNG with libpng alone, for machines without libvips. Returns non-zero if the bytes are not the
/// start of a PNG. `words` then holds libpng's message.
int cvips_png_header(const void *bytes, size_t count, CVipsPNGHeader *header, char words[64]);

/// Decodes a PNG to 8-bit sRGB with 3 bytes per pixel, or 4 with alpha. Returns non-zero if data are missing or damaged.
/// `words` then holds libpng's message.
int cvips_decode_png(const void *bytes, size_t count, uint8_t *pixels, char words[64]);

/// Encodes pixels with 3 bytes, or 4 with alpha, as the bytes of a PNG. Embeds `xmp` if it is not NULL. Free the bytes
/// with free. Returns NULL if memory is short.
void *cvips_encode_png(const uint8_t *pixels, int width, int height, int has_alpha, const void *xmp,
                       size_t xmp_count, size_t *count);

/// The first damage of a JPEG. Decoding ended there.
typedef struct {
  /// Whether the file ends before its end marker.
  int ends_early;
  /// The number of rows that the header states; 0 if the header cannot be read.
  int height;
  /// The first row with missing or contradictory data, or -1 if there is none. If the file has several scans, each scan
  /// contains data of the whole image, so damage counts from row 0.
  int damaged_row;
  /// libjpeg's message about the first damage; empty if there is none.
  char words[256];
} CVipsJPEGReport;

/// Decodes a JPEG up to its first damage and returns the reason. Ignores warnings that cost no pixels (extra bytes
/// between segments, odd version numbers).
CVipsJPEGReport cvips_examine_jpeg(const void *bytes, size_t count);

/// The header of a BMP file.
typedef struct {
  int width, height;
  /// The header's size, which tells its version.
  unsigned header_size;
  int bits_per_pixel;
  int is_top_down;
  /// How pixels are stored: 0 plain, 1 run lengths of bytes, 2 run lengths of half bytes, 3 and 6 with masks.
  unsigned compression;
  /// The bits of red, green, blue and alpha in a pixel of 16 or 32 bits.
  uint32_t masks[4];
  /// The offset of the palette in bytes, its number of colours, and the number of bytes per colour.
  size_t palette;
  unsigned color_count, color_size;
  /// The offset of the pixels in bytes.
  size_t pixels;
} CVipsBMP;

/// Reads the header of a BMP. Returns NULL, or the reason why the file cannot be read.
const char *cvips_read_bmp(const void *bytes, size_t count, CVipsBMP *header);

/// Decodes the pixels of a BMP into width * height * 3 bytes of colour and width * height bytes of alpha. Returns NULL,
/// or the reason why the file cannot be read.
const char *cvips_decode_bmp(const void *bytes, size_t count, const CVipsBMP *header,
                             uint8_t *colours, uint8_t *alpha);

#ifdef __cplusplus
}
#endif

#endif
