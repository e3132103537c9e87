#define _GNU_SOURCE
#include "CAudio.h"

#include <CDynamicLibrary.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

// libsndfile 1.0 and later (ABI libsndfile.so.1): its description of a file, its modes and its functions.
typedef struct {
  int64_t frames;
  int samplerate, channels, format, sections, seekable;
} SndfileInfo;

enum { SNDFILE_READ = 0x10, SNDFILE_WRITE = 0x20, SNDFILE_FROM_START = 0 };

static struct {
  void *(*sf_open)(const char *path, int mode, SndfileInfo *info);
  const char *(*sf_strerror)(void *file);
  int64_t (*sf_readf_float)(void *file, float *samples, int64_t frames);
  int64_t (*sf_writef_float)(void *file, const float *samples, int64_t frames);
  int64_t (*sf_seek)(void *file, int64_t frames, int from);
  int (*sf_close)(void *file);
  int (*sf_command)(void *file, int command, void *data, int size);
} sndfile;

// libsoxr 0.1 (ABI libsoxr.so.0). NULL for the three specifications means float32, interleaved, quality HQ, one thread.
static struct {
  void *(*soxr_create)(
      double input_rate, double output_rate, unsigned channels, const char **error, const void *io,
      const void *quality, const void *runtime);
  const char *(*soxr_process)(
      void *soxr, const void *input, size_t count, size_t *taken, void *output, size_t capacity,
      size_t *written);
  void (*soxr_delete)(void *soxr);
} soxr;

static bool has_sndfile, has_soxr;
static _Thread_local char reason[256];

static void load(void) {
  void *files = dlopen("libsndfile.so.1", RTLD_NOW | RTLD_LOCAL);
  static const char *const file_names[] = {
      "sf_open", "sf_strerror", "sf_readf_float", "sf_writef_float", "sf_seek", "sf_close", "sf_command"};
  has_sndfile = files
      && cdl_find(files, file_names, sizeof file_names / sizeof *file_names, &sndfile);
  void *resampling = dlopen("libsoxr.so.0", RTLD_NOW | RTLD_LOCAL);
  static const char *const resampling_names[] = {"soxr_create", "soxr_process", "soxr_delete"};
  has_soxr = resampling
      && cdl_find(
                 resampling, resampling_names,
                 sizeof resampling_names / sizeof *resampling_names, &soxr);
}

static void load_once(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
}

static void *opened(const char *path, int mode, SndfileInfo *info) {
  load_once();
  if (!has_sndfile) {
    snprintf(
        reason, sizeof reason, "libsndfile.so.1 is missing. Install it (Debian's package libsndfile1)");
    return NULL;
  }
  void *file = sndfile.sf_open(path, mode, info);
  if (file == NULL) snprintf(reason, sizeof reason, "%s", sndfile.sf_strerror(NULL));
  return file;
}

CAudioFile *caudio_open(const char *path, CAudioInfo *info) {
  SndfileInfo found = {0};
  void *file = opened(path, SNDFILE_READ, &found);
  if (file == NULL) return NULL;
  *info = (CAudioInfo){found.frames, found.samplerate, found.channels, found.format};
  return file;
}

CAudioFile *caudio_create(const char *path, const CAudioInfo *info) {
  SndfileInfo wanted = {0, info->sample_rate, info->channels, info->format, 0, 0};
  void *file = opened(path, SNDFILE_WRITE, &wanted);
  // SFC_SET_CLIPPING: numbers beyond ±1 become the largest integers instead of wrapping around.
  if (file) sndfile.sf_command(file, 0x10C0, NULL, 1);
  return file;
}

const char *caudio_error(void) { return reason; }

int64_t caudio_read(CAudioFile *file, float *samples, int64_t frames) {
  return sndfile.sf_readf_float(file, samples, frames);
}

int64_t caudio_write(CAudioFile *file, const float *samples, int64_t frames) {
  int64_t written = sndfile.sf_writef_float(file, samples, frames);
  if (written != frames) snprintf(reason, sizeof reason, "%s", sndfile.sf_strerror(file));
  return written;
}

int64_t caudio_seek(CAudioFile *file, int64_t frame) {
  return sndfile.sf_seek(file, frame, SNDFILE_FROM_START);
}

int caudio_close(CAudioFile *file) { return sndfile.sf_close(file); }

CAudioResampler *caudio_resampler_new(double input_rate, double output_rate, int channels) {
  load_once();
  if (!has_soxr) {
    snprintf(reason, sizeof reason, "libsoxr.so.0 is missing. Install it (Debian's package libsoxr0)");
    return NULL;
  }
  const char *error = NULL;
  void *made =
      soxr.soxr_create(input_rate, output_rate, (unsigned)channels, &error, NULL, NULL, NULL);
  if (made == NULL) snprintf(reason, sizeof reason, "%s", error ? error : "libsoxr failed");
  return made;
}

int caudio_resample(
    CAudioResampler *resampler, const float *input, size_t count, size_t *taken, float *output,
    size_t capacity, size_t *written) {
  const char *error =
      soxr.soxr_process(resampler, input, count, taken, output, capacity, written);
  if (error) snprintf(reason, sizeof reason, "%s", error);
  return error ? -1 : 0;
}

void caudio_resampler_free(CAudioResampler *resampler) {
  if (resampler) soxr.soxr_delete(resampler);
}
