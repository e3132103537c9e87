#include "CVips.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

/// libjpeg's error handler with the jump target after an error. The handler is the first member, so a pointer to the
/// handler is also a pointer to this struct.
typedef struct {
  struct jpeg_error_mgr handler;
  jmp_buf failed;
} Failure;

static void give_up(j_common_ptr common) { longjmp(((Failure *)common->err)->failed, 1); }

/// Gives up at any warning of libjpeg, because a file with a warning is not plain.
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

/// Gives up after 100 scans. A file of a few bytes may claim thousands of scans, and decoding these takes long for a
/// large image.
static void limit_scans(j_common_ptr common) {
  if (((j_decompress_ptr)common)->input_scan_number > 100) {
    give_up(common);
  }
}

/// A TIFF structure with EXIF data, and its byte order.
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

/// Returns the orientation that an EXIF segment states, or 1 if it states none. Returns 0 if the segment is invalid.
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

/// Reads EXIF and XMP from a file's APP1 segments.
///
/// \returns Whether there is at most one segment of each kind, and the orientation is valid.
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

/// Reads the header of a JPEG in a file or in memory, and takes over the file. If the JPEG is not plain, releases
/// everything and returns NULL.
static CVipsPlainJPEG *open_jpeg(FILE *file, const void *bytes, size_t count, int takes_unusual) {
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
  int has_colours = decoder->jpeg_color_space == JCS_YCbCr && decoder->num_components == 3;
  if (takes_unusual && decoder->jpeg_color_space == JCS_GRAYSCALE) {
    has_colours = 1;
  }
  int is_plain = has_colours && decoder->data_precision == 8 && (read_segments(jpeg) || takes_unusual);
  if (is_plain && jpeg->orientation == 0) {
    jpeg->orientation = 1;
  }
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
  return open_jpeg(file, NULL, 0, 0);
}

CVipsPlainJPEG *cvips_open_jpeg_memory(const void *bytes, size_t count) {
  if (count < 3 || memcmp(bytes, "\xFF\xD8\xFF", 3) != 0) {
    return NULL;
  }
  return open_jpeg(NULL, bytes, count, 0);
}

CVipsPlainJPEG *cvips_open_unusual_jpeg(const void *bytes, size_t count) {
  if (count < 3 || memcmp(bytes, "\xFF\xD8\xFF", 3) != 0) {
    return NULL;
  }
  return open_jpeg(NULL, bytes, count, 1);
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
