#include "CVips.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

/// The state of one encoding: libjpeg's error handler, and the memory to free. The handler is the first member, so a
/// pointer to the handler is also a pointer to this struct. The state is not in local variables, because longjmp makes
/// local variables undefined that have changed since setjmp.
typedef struct {
  struct jpeg_error_mgr handler;
  jmp_buf failed;
  struct jpeg_compress_struct encoder;
  unsigned char *segment;
  unsigned char *result;
  unsigned long size;
} Encoding;

static void give_up(j_common_ptr common) { longjmp(((Encoding *)common->err)->failed, 1); }

static void print_nothing(j_common_ptr common) { (void)common; }

/// Writes a segment that begins with a name. Gives up if the bytes do not fit: a segment has at most 65,533 bytes.
static void write_segment(Encoding *encoding, int marker, const void *name, size_t name_count,
                          CVipsBytes content) {
  if (content.bytes == NULL) {
    return;
  }
  if (name_count + content.count > 65533) {
    give_up((j_common_ptr)&encoding->encoder);
  }
  free(encoding->segment);
  encoding->segment = malloc(name_count + content.count);
  if (encoding->segment == NULL) {
    give_up((j_common_ptr)&encoding->encoder);
  }
  memcpy(encoding->segment, name, name_count);
  memcpy(encoding->segment + name_count, content.bytes, content.count);
  jpeg_write_marker(&encoding->encoder, JPEG_APP0 + marker, encoding->segment,
                    (unsigned)(name_count + content.count));
}

static void write_metadata(Encoding *encoding, const CVipsEncoding *settings) {
  static const char exif[] = "Exif\0", xmp[] = "http://ns.adobe.com/xap/1.0/",
                    photoshop[] = "Photoshop 3.0";
  write_segment(encoding, 1, exif, sizeof exif, settings->exif);
  write_segment(encoding, 1, xmp, sizeof xmp, settings->xmp);
  write_segment(encoding, 13, photoshop, sizeof photoshop, settings->iptc);
  if (settings->profile.bytes != NULL) {
    jpeg_write_icc_profile(&encoding->encoder, settings->profile.bytes,
                           (unsigned)settings->profile.count);
  }
}

/// States the resolution in the JFIF segment, in pixels per inch.
static void set_resolution(j_compress_ptr encoder, const CVipsEncoding *settings) {
  double across = settings->horizontal_resolution * 25.4 + 0.5;
  double down = settings->vertical_resolution * 25.4 + 0.5;
  if (across >= 1 && down >= 1 && across < 65536 && down < 65536) {
    encoder->density_unit = 1;
    encoder->X_density = (UINT16)across;
    encoder->Y_density = (UINT16)down;
  }
}

/// The largest number of pixels for which the best Huffman tables are found. That needs all coefficients in memory, up to six
/// bytes a pixel. Larger pictures get the usual tables, which make the file a little larger.
static const int64_t most_pixels_with_best_tables = 8000000;

/// Encodes pixels as a JPEG in memory.
///
/// \returns Whether encoding succeeded, so that the bytes are complete.
static int encode(Encoding *encoding, const uint8_t *pixels, int width, int height,
                  const CVipsEncoding *settings) {
  j_compress_ptr encoder = &encoding->encoder;
  encoder->err = jpeg_std_error(&encoding->handler);
  encoding->handler.error_exit = give_up;
  encoding->handler.output_message = print_nothing;
  jpeg_create_compress(encoder);
  if (setjmp(encoding->failed)) {
    return 0;
  }
  jpeg_mem_dest(encoder, &encoding->result, &encoding->size);
  encoder->image_width = (JDIMENSION)width;
  encoder->image_height = (JDIMENSION)height;
  encoder->input_components = 3;
  encoder->in_color_space = JCS_RGB;
  jpeg_set_defaults(encoder);
  jpeg_set_quality(encoder, settings->quality, TRUE);
  encoder->optimize_coding = (int64_t)width * height <= most_pixels_with_best_tables;
  if (!settings->is_subsampled) {
    encoder->comp_info[0].h_samp_factor = 1;
    encoder->comp_info[0].v_samp_factor = 1;
  }
  if (settings->is_progressive) {
    jpeg_simple_progression(encoder);
  }
  set_resolution(encoder, settings);
  jpeg_start_compress(encoder, TRUE);
  write_metadata(encoding, settings);
  size_t stride = (size_t)width * 3;
  while (encoder->next_scanline < encoder->image_height) {
    JSAMPROW row = (JSAMPROW)(pixels + stride * encoder->next_scanline);
    jpeg_write_scanlines(encoder, &row, 1);
  }
  jpeg_finish_compress(encoder);
  return 1;
}

void *cvips_encode_jpeg(const uint8_t *pixels, int width, int height,
                        const CVipsEncoding *settings, size_t *count) {
  Encoding encoding;
  memset(&encoding, 0, sizeof encoding);
  int is_complete = encode(&encoding, pixels, width, height, settings);
  jpeg_destroy_compress(&encoding.encoder);
  free(encoding.segment);
  if (!is_complete) {
    free(encoding.result);
    return NULL;
  }
  *count = encoding.size;
  return encoding.result;
}
