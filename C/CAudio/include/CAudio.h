// Audio files through libsndfile, and resampling through libsoxr. Both libraries are loaded when they are first needed.
// Their few functions are declared in CAudio.c, so that building needs no headers of the libraries.

#ifndef CAUDIO_H
#define CAUDIO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// An open file of libsndfile.
typedef struct CAudioFile CAudioFile;

/// The description of a file.
typedef struct {
  /// The number of frames; 0 for a file to write.
  int64_t frames;
  /// The frames per second.
  int sample_rate;
  int channels;
  /// The container (bits 16 to 27) and the type of the samples (bits 0 to 15), as libsndfile numbers them.
  int format;
} CAudioInfo;

/// Opens a file and fills `info`. Returns NULL on failure; caudio_error then returns the reason.
CAudioFile *caudio_open(const char *path, CAudioInfo *info);

/// Creates a file as `info` states. Returns NULL on failure; caudio_error then returns the reason.
CAudioFile *caudio_create(const char *path, const CAudioInfo *info);

/// Returns the reason of this thread's last failure.
const char *caudio_error(void);

/// Reads at most `frames` frames with interleaved channels. Returns the number of frames that it read.
int64_t caudio_read(CAudioFile *file, float *samples, int64_t frames);

/// Writes frames with interleaved channels. Returns the number of frames that it wrote.
int64_t caudio_write(CAudioFile *file, const float *samples, int64_t frames);

/// Moves to a frame. Returns the frame, or -1.
int64_t caudio_seek(CAudioFile *file, int64_t frame);

/// Completes and closes a file. Returns 0 on success.
int caudio_close(CAudioFile *file);

/// A resampler of libsoxr with its quality HQ, for interleaved channels.
typedef struct CAudioResampler CAudioResampler;

/// Makes a resampler. Returns NULL on failure; caudio_error then returns the reason.
CAudioResampler *caudio_resampler_new(double input_rate, double output_rate, int channels);

/// Reads at most `count` frames and writes at most `capacity` frames. Sets `taken` and `written` to the numbers of
/// frames. If `input` is NULL, the input has ended. This and later calls then write the rest, until a call writes 0
/// frames. Returns 0 on success.
int caudio_resample(
    CAudioResampler *resampler, const float *input, size_t count, size_t *taken, float *output,
    size_t capacity, size_t *written);

/// Frees a resampler. NULL is allowed.
void caudio_resampler_free(CAudioResampler *resampler);

#ifdef __cplusplus
}
#endif

#endif
