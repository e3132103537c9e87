#ifndef ATELIER_CK_SAMPLING_H
#define ATELIER_CK_SAMPLING_H

/// Elements picked axis by axis, and pictures read at given places.

#include "ck_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Copies runs of bytes from where one offset an axis says: `to[i, j, …] = from[places₀[i] + places₁[j] + …]`.
typedef struct ck_pick {
  /// The number of axes, at least one.
  int64_t rank;
  /// The extents of the output, outermost first, in runs.
  const int64_t *extents;
  /// Offsets in bytes: those of the first axis, then those of the second, and so on.
  const int64_t *places;
  /// The bytes of a run.
  int64_t run;
} ck_pick;

void ck_pick_run(const ck_pick *pick, const void *source, void *destination);

/// What stands outside of a picture.
typedef enum ck_border {
  CK_BORDER_CONSTANT = 0,
  /// The edge repeated: 1 1 | 1 2 3.
  CK_BORDER_EDGE = 1,
  /// Mirrored without the edge: 3 2 | 1 2 3.
  CK_BORDER_REFLECTION = 2,
  /// Mirrored with the edge: 2 1 | 1 2 3.
  CK_BORDER_SYMMETRY = 3,
} ck_border;

/// Pictures [batch, channels, height, width] read at places [batch or 1, rows, columns, 2] (x before y).
typedef struct ck_resample {
  int64_t batch, channels, height, width, rows, columns;
  /// Whether all pictures are read at the same places.
  int32_t shares_places;
  /// Whether channels lie side by side, in pictures and result.
  int32_t channels_last;
  /// The nearest pixel, or else between four.
  int32_t nearest;
  ck_border border;
  /// What stands outside with a constant border.
  float outside;
  /// Pixel = place · scale + offset.
  double x_scale, x_offset, y_scale, y_offset;
  /// float32 or bfloat16; places are float32.
  ck_type type;
} ck_resample;

void ck_resample_run(
    const ck_resample *description, const void *pictures, const float *places, void *destination);

#ifdef __cplusplus
}
#endif
#endif
