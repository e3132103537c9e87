// Coverage masks of paths through cairo. The library is loaded when the first path is drawn. The few functions are
// declared in CCairo.c, so that building needs no headers of cairo.

#ifndef CCAIRO_H
#define CCAIRO_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// An element of a path.
typedef struct {
  /// 0 moves to a point, 1 adds a line, 2 adds a cubic Bézier curve, 3 closes the subpath.
  int32_t kind;
  /// The coordinates: up to three points, the two control points of a curve first.
  double points[6];
} CCairoElement;

/// How to draw a path. The numbers of caps and joins are those of cairo and of Core Graphics.
typedef struct {
  /// Whether to stroke the path instead of filling it.
  bool strokes;
  /// Whether to fill by the even-odd rule instead of the winding rule.
  bool even_odd;
  /// Whether pixels on the edge are covered in part.
  bool smooth;
  /// 0 butt, 1 round, 2 square.
  int32_t cap;
  /// 0 miter, 1 round, 2 bevel.
  int32_t join;
  double width, miter_limit, dash_phase;
  /// Lengths of dashes and gaps, or NULL for a solid line.
  const double *dashes;
  int32_t dash_count;
  /// The transform from user space to pixels, in the order a, b, c, d, tx, ty. It shapes the pen and its dashes. The
  /// path's coordinates are already pixels.
  double transform[6];
} CCairoDrawing;

/// Writes the coverage of each pixel, from 0 to 255, into `mask`. The rows of the mask follow each other without padding.
/// The origin of coordinates is at the mask's top left. Returns false if cairo fails. `ccairo_error` then says why.
bool ccairo_cover(
    const CCairoElement *elements, int count, const CCairoDrawing *drawing, uint8_t *mask, int width,
    int height);

/// The reason of this thread's last failure.
const char *ccairo_error(void);

#ifdef __cplusplus
}
#endif

#endif
