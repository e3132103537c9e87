#pragma once

#include "CFilm.h"

namespace film {

/// One level of a picture pyramid.
struct Plane {
  const float *samples;
  int64_t width, height;
};

/// How far an earlier painting counts whose motion has a confidence. Below one half, it does not count. It counts fully
/// below 1, because mixing two paintings blurs both.
inline float trustIn(float confidence) {
  const float trust = (confidence - 0.5f) * 2.5f;
  return trust < 0 ? 0 : trust > 1 ? 1 : trust;
}

/// The functions that exist once for each instruction set.
struct Kernels {
  void (*reducedLuma)(const uint8_t *, int64_t, int64_t, int64_t, float *);
  /// Searches the flow of one level. On entry, `flow` is the flow of the coarser level, scaled to this level. On
  /// return, it is the result. `patches` has space for five floats per patch.
  void (*searchLevel)(const Plane &reference, const Plane &target, float *flow, float *patches);
  /// The same of the finest level. If most of the picture moves as a whole, searches relative to that motion.
  void (*searchFinest)(const Plane &reference, const Plane &target, float *flow, float *patches,
      float *global);
  void (*confidence)(
      const float *, const float *, const float *, const float *, int64_t, int64_t, float *);
  void (*followKey)(const cf_motion &, const float *, const float *, float *, float *);
  void (*checkKey)(
      const float *, const float *, int64_t, int64_t, const float *, const float *, const float *,
      float *, float *);
  void (*blend)(const uint8_t *, const cf_painted *, const uint16_t *, const cf_motion &,
      const uint16_t *, const cf_motion &, const cf_weights &, int64_t, int64_t, uint16_t *,
      uint8_t *);
  void (*renew)(const uint8_t *, const uint16_t *, float, float, float, int64_t, int64_t, uint16_t *,
      uint8_t *);
  void (*makeKey)(const uint16_t *, int64_t, int64_t, uint16_t *);
  void (*warpingError)(
      const uint8_t *, const uint16_t *, const cf_motion &, int64_t, int64_t, double *, double *);
  void (*applyColors)(const float *, int64_t, const uint8_t *, int64_t, uint8_t *);
  void (*keepColors)(const uint8_t *, const uint8_t *, int64_t, uint8_t *);
  void (*mix)(const uint8_t *, const uint8_t *, const float *, float, int64_t, uint8_t *);
  void (*soften)(const uint8_t *, int64_t, int64_t, float, uint8_t *);
  void (*reduce)(const uint8_t *, int64_t, int64_t, int64_t, uint8_t *);
  void (*enlarge)(const uint8_t *, const uint8_t *, const uint8_t *, int64_t, int64_t, int64_t,
      uint8_t *);
  void (*toPlanes)(const uint8_t *, int64_t, int64_t, const cf_color_matrix &, uint8_t *);
  void (*fromPlanes)(const uint8_t *, int64_t, int64_t, const cf_color_matrix &, uint8_t *);
};

extern const Kernels plainKernels, avx2Kernels, avx512Kernels;

/// The side and the distance of the patches of the flow search, in samples.
constexpr int64_t kPatch = 8, kStep = 4;

inline int64_t patchCount(int64_t length) { return length < kPatch ? 0 : (length - kPatch) / kStep + 1; }

}  // namespace film
