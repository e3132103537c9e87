#include "CVips.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

/// libjpeg's error handler with the place to go on at. The handler comes first, so that one pointer is both.
typedef struct {
  struct jpeg_error_mgr handler;
  jmp_buf failed;
} Failure;

static void give_up(j_common_ptr common) { longjmp(((Failure *)common->err)->failed, 1); }

/// Whatever libjpeg warns of makes a file one that is not plain.
static void give_up_at_warnings(j_common_ptr common, int level) {
  if (level < 0) {
    give_up(common);
  }
}

static void print_nothing(j_common_ptr common) { (void)common; }

static struct jpeg_error_mgr *install(Failure *failure) {
  struct jpeg_error_mgr *handler = jpeg_std_error(&failure->handler);
  handler->error_exit = give_up;
  handler->emit_message = give_up_at_warnings;
  handler->output_message = print_nothing;
  return handler;
}

struct CVipsPlainJPEG {
  struct jpeg_decompress_struct decoder;
  Failure failure;
  struct jpeg_progress_mgr progress;
  FILE *file;
  int orientation;
  JOCTET *profile;
  unsigned profile_count;
  const JOCTET *xmp;
  size_t xmp_count;
};

/// A file of a few bytes may claim thousands of scans of a large picture.
static void limit_scans(j_common_ptr common) {
  if (((j_decompress_ptr)common)->input_scan_number > 100) {
    give_up(common);
  }
}

/// Unsigned numbers of a TIFF structure, in the order of bytes that it declares.
typedef struct {
  const JOCTET *bytes;
  size_t count;
  int is_big;
} Exif;

static unsigned number16(const Exif *exif, size_t at) {
  unsigned first = exif->bytes[at], second = exif->bytes[at + 1];
  return exif->is_big ? first << 8 | second : second << 8 | first;
}

static size_t number32(const Exif *exif, size_t at) {
  size_t first = number16(exif, at), second = number16(exif, at + 2);
  return exif->is_big ? first << 16 | second : second << 16 | first;
}

/// The orientation that an EXIF segment states, 1 where it states none; 0 where it is not as it should be.
///
/// Source: CIPA DC-008 (Exif 2.32), 4.6.2 and 4.6.4 A; TIFF 6.0, section 2.
static int orientation_of(const JOCTET *bytes, size_t count) {
  if (count < 8) {
    return 0;
  }
  Exif exif = {bytes, count, bytes[0] == 'M'};
  if (memcmp(bytes, exif.is_big ? "MM\0\x2A" : "II\x2A\0", 4) != 0) {
    return 0;
  }
  size_t place = number32(&exif, 4);
  if (place < 8 || place > count - 2) {
    return 0;
  }
  size_t entries = number16(&exif, place);
  if (entries * 12 > count - place - 2) {
    return 0;
  }
  int orientation = 1;
  for (size_t entry = 0; entry < entries; entry++) {
    size_t at = place + 2 + entry * 12;
    if (number16(&exif, at) != 0x0112) {
      continue;
    }
    unsigned value = number16(&exif, at + 8);
    if (number16(&exif, at + 2) != 3 || number32(&exif, at + 4) != 1 || value < 1 || value > 8) {
      return 0;
    }
    orientation = (int)value;
  }
  return orientation;
}

static int begins_with(jpeg_saved_marker_ptr marker, const char *name, size_t count) {
  return marker->data_length >= count && memcmp(marker->data, name, count) == 0;
}

/// Takes what matters from a file's APP1 segments.
///
/// \returns Whether there is at most one of each kind, and the orientation is stated well.
static int read_segments(CVipsPlainJPEG *jpeg) {
  static const char exif[] = "Exif\0", xmp[] = "http://ns.adobe.com/xap/1.0/";
  int has_exif = 0;
  for (jpeg_saved_marker_ptr marker = jpeg->decoder.marker_list; marker; marker = marker->next) {
    if (marker->marker != JPEG_APP0 + 1) {
      continue;
    }
    if (begins_with(marker, exif, sizeof exif)) {
      if (has_exif) {
        return 0;
      }
      has_exif = 1;
      jpeg->orientation = orientation_of(marker->data + sizeof exif, marker->data_length - sizeof exif);
      if (jpeg->orientation == 0) {
        return 0;
      }
    } else if (begins_with(marker, xmp, sizeof xmp)) {
      if (jpeg->xmp != NULL) {
        return 0;
      }
      jpeg->xmp = marker->data + sizeof xmp;
      jpeg->xmp_count = marker->data_length - sizeof xmp;
    }
  }
  return 1;
}

static int has_profile(j_decompress_ptr decoder) {
  for (jpeg_saved_marker_ptr marker = decoder->marker_list; marker; marker = marker->next) {
    if (marker->marker == JPEG_APP0 + 2 && begins_with(marker, "ICC_PROFILE", 12)) {
      return 1;
    }
  }
  return 0;
}

/// Reads the header of what the source holds; NULL, with everything given back, where it is not plain.
static CVipsPlainJPEG *open_jpeg(FILE *file, const void *bytes, size_t count) {
  CVipsPlainJPEG *jpeg = calloc(1, sizeof *jpeg);
  if (jpeg == NULL) {
    if (file != NULL) {
      fclose(file);
    }
    return NULL;
  }
  jpeg->file = file;
  jpeg->orientation = 1;
  jpeg->decoder.err = install(&jpeg->failure);
  if (setjmp(jpeg->failure.failed)) {
    cvips_close_jpeg(jpeg);
    return NULL;
  }
  j_decompress_ptr decoder = &jpeg->decoder;
  jpeg_create_decompress(decoder);
  if (file != NULL) {
    jpeg_stdio_src(decoder, file);
  } else {
    jpeg_mem_src(decoder, bytes, (unsigned long)count);
  }
  jpeg_save_markers(decoder, JPEG_APP0 + 1, 0xFFFF);
  jpeg_save_markers(decoder, JPEG_APP0 + 2, 0xFFFF);
  jpeg_read_header(decoder, TRUE);
  int is_plain = decoder->jpeg_color_space == JCS_YCbCr && decoder->num_components == 3 &&
                 decoder->data_precision == 8 && read_segments(jpeg);
  if (is_plain && has_profile(decoder)) {
    is_plain = jpeg_read_icc_profile(decoder, &jpeg->profile, &jpeg->profile_count);
  }
  if (!is_plain) {
    cvips_close_jpeg(jpeg);
    return NULL;
  }
  return jpeg;
}

CVipsPlainJPEG *cvips_open_jpeg_file(const char *path) {
  FILE *file = fopen(path, "rbe");
  if (file == NULL) {
    return NULL;
  }
  unsigned char start[3];
  if (fread(start, 1, 3, file) != 3 || memcmp(start, "\xFF\xD8\xFF", 3) != 0 || fseek(file, 0, SEEK_SET)) {
    fclose(file);
    return NULL;
  }
  return open_jpeg(file, NULL, 0);
}

CVipsPlainJPEG *cvips_open_jpeg_memory(const void *bytes, size_t count) {
  if (count < 3 || memcmp(bytes, "\xFF\xD8\xFF", 3) != 0) {
    return NULL;
  }
  return open_jpeg(NULL, bytes, count);
}

CVipsJPEGHeader cvips_jpeg_header(const CVipsPlainJPEG *jpeg) {
  const struct jpeg_decompress_struct *decoder = &jpeg->decoder;
  const jpeg_component_info *parts = decoder->comp_info;
  CVipsJPEGHeader header = {
      .width = (int)decoder->image_width,
      .height = (int)decoder->image_height,
      .orientation = jpeg->orientation,
      .has_scans = jpeg_has_multiple_scans((j_decompress_ptr)decoder),
      .is_subsampled = parts[0].h_samp_factor == 2 && parts[0].v_samp_factor == 2,
      .profile = jpeg->profile,
      .profile_count = jpeg->profile_count,
      .xmp = jpeg->xmp,
      .xmp_count = jpeg->xmp_count,
  };
  return header;
}

int cvips_decode_jpeg(CVipsPlainJPEG *jpeg, uint8_t *pixels) {
  j_decompress_ptr decoder = &jpeg->decoder;
  if (setjmp(jpeg->failure.failed)) {
    return 1;
  }
  jpeg->progress.progress_monitor = limit_scans;
  decoder->progress = &jpeg->progress;
  decoder->out_color_space = JCS_RGB;
  jpeg_start_decompress(decoder);
  size_t stride = (size_t)decoder->output_width * 3;
  while (decoder->output_scanline < decoder->output_height) {
    JSAMPROW row = pixels + stride * decoder->output_scanline;
    jpeg_read_scanlines(decoder, &row, 1);
  }
  jpeg_finish_decompress(decoder);
  return 0;
}

void cvips_close_jpeg(CVipsPlainJPEG *jpeg) {
  jpeg_destroy_decompress(&jpeg->decoder);
  if (jpeg->file != NULL) {
    fclose(jpeg->file);
  }
  free(jpeg->profile);
  free(jpeg);
}

/// One encoding. What changes after setjmp is no local variable of the function that called it.
typedef struct {
  struct jpeg_compress_struct encoder;
  Failure failure;
  unsigned char *segment;
  unsigned char *result;
  unsigned long size;
} Encoding;

static void write_xmp(Encoding *encoding, const void *xmp, size_t count) {
  static const char name[] = "http://ns.adobe.com/xap/1.0/";
  encoding->segment = count > 65533 - sizeof name ? NULL : malloc(sizeof name + count);
  if (encoding->segment == NULL) {
    give_up((j_common_ptr)&encoding->encoder);
  }
  memcpy(encoding->segment, name, sizeof name);
  memcpy(encoding->segment + sizeof name, xmp, count);
  jpeg_write_marker(&encoding->encoder, JPEG_APP0 + 1, encoding->segment,
                    (unsigned)(sizeof name + count));
}

/// \returns Whether the bytes are complete.
static int encode(Encoding *encoding, const uint8_t *pixels, int width, int height, int quality,
                  const void *xmp, size_t xmp_count) {
  j_compress_ptr encoder = &encoding->encoder;
  encoder->err = install(&encoding->failure);
  jpeg_create_compress(encoder);
  if (setjmp(encoding->failure.failed)) {
    return 0;
  }
  jpeg_mem_dest(encoder, &encoding->result, &encoding->size);
  encoder->image_width = (JDIMENSION)width;
  encoder->image_height = (JDIMENSION)height;
  encoder->input_components = 3;
  encoder->in_color_space = JCS_RGB;
  jpeg_set_defaults(encoder);
  jpeg_set_quality(encoder, quality, TRUE);
  encoder->optimize_coding = TRUE;
  // Colours keep the full size where quality is asked for.
  if (quality >= 90) {
    encoder->comp_info[0].h_samp_factor = 1;
    encoder->comp_info[0].v_samp_factor = 1;
  }
  jpeg_start_compress(encoder, TRUE);
  if (xmp != NULL) {
    write_xmp(encoding, xmp, xmp_count);
  }
  size_t stride = (size_t)width * 3;
  while (encoder->next_scanline < encoder->image_height) {
    JSAMPROW row = (JSAMPROW)(pixels + stride * encoder->next_scanline);
    jpeg_write_scanlines(encoder, &row, 1);
  }
  jpeg_finish_compress(encoder);
  return 1;
}

void *cvips_encode_jpeg(const uint8_t *pixels, int width, int height, int quality, const void *xmp,
                        size_t xmp_count, size_t *count) {
  Encoding encoding;
  memset(&encoding, 0, sizeof encoding);
  int is_complete = encode(&encoding, pixels, width, height, quality, xmp, xmp_count);
  jpeg_destroy_compress(&encoding.encoder);
  free(encoding.segment);
  if (!is_complete) {
    free(encoding.result);
    return NULL;
  }
  *count = encoding.size;
  return encoding.result;
}
