#include "CVips.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

/// The state of one examination: libjpeg's error handler and the report. The handler is the first member, so a pointer
/// to the handler is also a pointer to the examination.
typedef struct {
  struct jpeg_error_mgr handler;
  jmp_buf failed;
  CVipsJPEGReport *report;
  /// Whether a single scan contains the whole image, row after row.
  int is_sequential;
} Examination;

/// Returns whether a warning of libjpeg means that pixels are lost.
static int costs_pixels(int code) {
  switch (code) {
    case JWRN_ADOBE_XFORM:
    case JWRN_EXTRANEOUS_DATA:
    case JWRN_JFIF_MAJOR:
    case JWRN_JPEG_EOF:
    case JWRN_NOT_SEQUENTIAL:
    case JWRN_TOO_MUCH_DATA:
      return 0;
    default:
      return 1;
  }
}

/// Writes the first damage to the report and ends the examination.
static void end_with_damage(j_common_ptr common) {
  Examination *examination = (Examination *)common->err;
  CVipsJPEGReport *report = examination->report;
  report->damaged_row = 0;
  // If there are several scans, the data of each row are spread over the whole file, so the damaged row stays 0.
  if (examination->is_sequential) {
    j_decompress_ptr decoder = (j_decompress_ptr)common;
    report->damaged_row = (int)decoder->input_iMCU_row * decoder->max_v_samp_factor * DCTSIZE;
  }
  char words[JMSG_LENGTH_MAX];
  common->err->format_message(common, words);
  snprintf(report->words, sizeof report->words, "%s", words);
  longjmp(examination->failed, 1);
}

static void take_message(j_common_ptr common, int level) {
  if (level < 0 && costs_pixels(common->err->msg_code)) {
    end_with_damage(common);
  }
}

/// Returns whether the scans of a progressive JPEG contain every bit of every coefficient. Returns 1 for other JPEGs.
static int is_complete(j_decompress_ptr decoder) {
  if (decoder->coef_bits == NULL) {
    return 1;
  }
  for (int component = 0; component < decoder->num_components; component++) {
    for (int coefficient = 0; coefficient < DCTSIZE2; coefficient++) {
      if (decoder->coef_bits[component][coefficient] != 0) {
        return 0;
      }
    }
  }
  return 1;
}

static void print_nothing(j_common_ptr common) { (void)common; }

static void start_source(j_decompress_ptr decoder) { (void)decoder; }

/// Appends an end marker to a file without an end marker, so that libjpeg decodes all data of the file.
static boolean fill_source(j_decompress_ptr decoder) {
  static const JOCTET end[] = {0xFF, JPEG_EOI};
  ((Examination *)decoder->err)->report->ends_early = 1;
  decoder->src->next_input_byte = end;
  decoder->src->bytes_in_buffer = sizeof end;
  return TRUE;
}

static void skip_source(j_decompress_ptr decoder, long count) {
  struct jpeg_source_mgr *source = decoder->src;
  if (count <= 0) {
    return;
  }
  if ((size_t)count > source->bytes_in_buffer) {
    fill_source(decoder);
    return;
  }
  source->next_input_byte += count;
  source->bytes_in_buffer -= (size_t)count;
}

CVipsJPEGReport cvips_examine_jpeg(const void *bytes, size_t count) {
  CVipsJPEGReport report = {0, 0, -1, ""};
  Examination examination;
  struct jpeg_decompress_struct decoder;
  struct jpeg_source_mgr source;
  memset(&source, 0, sizeof source);
  examination.report = &report;
  examination.is_sequential = 0;
  decoder.err = jpeg_std_error(&examination.handler);
  examination.handler.emit_message = take_message;
  examination.handler.error_exit = end_with_damage;
  examination.handler.output_message = print_nothing;
  jpeg_create_decompress(&decoder);
  if (setjmp(examination.failed)) {
    jpeg_destroy_decompress(&decoder);
    return report;
  }
  source.next_input_byte = bytes;
  source.bytes_in_buffer = count;
  source.init_source = start_source;
  source.fill_input_buffer = fill_source;
  source.skip_input_data = skip_source;
  source.resync_to_restart = jpeg_resync_to_restart;
  source.term_source = start_source;
  decoder.src = &source;
  jpeg_read_header(&decoder, TRUE);
  report.height = (int)decoder.image_height;
  examination.is_sequential = !jpeg_has_multiple_scans(&decoder);
  // Computes pixels at an eighth of the size to save time. libjpeg still decodes all data of the file.
  decoder.scale_num = 1;
  decoder.scale_denom = 8;
  decoder.do_fancy_upsampling = FALSE;
  decoder.do_block_smoothing = FALSE;
  jpeg_start_decompress(&decoder);
  if (report.ends_early && !is_complete(&decoder)) {
    report.damaged_row = 0;
    snprintf(report.words, sizeof report.words, "%s", "scans are missing");
    longjmp(examination.failed, 1);
  }
  JSAMPARRAY row = (*decoder.mem->alloc_sarray)(
      (j_common_ptr)&decoder, JPOOL_IMAGE,
      decoder.output_width * (JDIMENSION)decoder.output_components, 1);
  while (decoder.output_scanline < decoder.output_height) {
    jpeg_read_scanlines(&decoder, row, 1);
  }
  jpeg_finish_decompress(&decoder);
  jpeg_destroy_decompress(&decoder);
  return report;
}
