#include "CCairo.h"

#include <CDynamicLibrary.h>
#include <pthread.h>
#include <stdio.h>

// cairo 1.2 and later (ABI libcairo.so.2).
enum { FORMAT_A8 = 2, ANTIALIAS_NONE = 1, ANTIALIAS_BEST = 6 };

typedef struct {
  double xx, yx, xy, yy, x0, y0;
} Matrix;

static struct {
  void *(*image_surface_create)(int format, int width, int height);
  unsigned char *(*image_surface_get_data)(void *surface);
  int (*image_surface_get_stride)(void *surface);
  void (*surface_flush)(void *surface);
  void (*surface_destroy)(void *surface);
  void *(*create)(void *surface);
  void (*destroy)(void *context);
  int (*status)(void *context);
  const char *(*status_to_string)(int status);
  void (*move_to)(void *context, double x, double y);
  void (*line_to)(void *context, double x, double y);
  void (*curve_to)(void *context, double x1, double y1, double x2, double y2, double x3, double y3);
  void (*close_path)(void *context);
  void (*set_antialias)(void *context, int kind);
  void (*set_tolerance)(void *context, double pixels);
  void (*set_fill_rule)(void *context, int rule);
  void (*set_line_width)(void *context, double width);
  void (*set_line_cap)(void *context, int cap);
  void (*set_line_join)(void *context, int join);
  void (*set_miter_limit)(void *context, double limit);
  void (*set_dash)(void *context, const double *dashes, int count, double phase);
  void (*set_matrix)(void *context, const Matrix *matrix);
  void (*fill)(void *context);
  void (*stroke)(void *context);
} cairo;

static bool has_cairo;
static _Thread_local char reason[256];

static void load(void) {
  void *library = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
  static const char *const names[] = {
      "cairo_image_surface_create", "cairo_image_surface_get_data", "cairo_image_surface_get_stride",
      "cairo_surface_flush", "cairo_surface_destroy", "cairo_create", "cairo_destroy", "cairo_status",
      "cairo_status_to_string", "cairo_move_to", "cairo_line_to", "cairo_curve_to", "cairo_close_path",
      "cairo_set_antialias", "cairo_set_tolerance", "cairo_set_fill_rule", "cairo_set_line_width", "cairo_set_line_cap",
      "cairo_set_line_join", "cairo_set_miter_limit", "cairo_set_dash", "cairo_set_matrix", "cairo_fill",
      "cairo_stroke"};
  has_cairo = library && cdl_find(library, names, sizeof names / sizeof *names, &cairo);
}

const char *ccairo_error(void) { return reason; }

static void add(void *context, const CCairoElement *element) {
  const double *p = element->points;
  switch (element->kind) {
  case 0: cairo.move_to(context, p[0], p[1]); break;
  case 1: cairo.line_to(context, p[0], p[1]); break;
  case 2: cairo.curve_to(context, p[0], p[1], p[2], p[3], p[4], p[5]); break;
  default: cairo.close_path(context);
  }
}

bool ccairo_cover(
    const CCairoElement *elements, int count, const CCairoDrawing *drawing, uint8_t *mask, int width,
    int height) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  if (!has_cairo) {
    snprintf(
        reason, sizeof reason, "libcairo.so.2 is missing. Install it (Debian's package libcairo2)");
    return false;
  }
  void *surface = cairo.image_surface_create(FORMAT_A8, width, height);
  void *context = cairo.create(surface);
  cairo.set_antialias(context, drawing->smooth ? ANTIALIAS_BEST : ANTIALIAS_NONE);
  // cairo's default, 0.1 pixels, makes curved areas visibly smaller.
  cairo.set_tolerance(context, 0.01);
  for (int index = 0; index < count; index++) add(context, elements + index);
  if (drawing->strokes) {
    const double *t = drawing->transform;
    cairo.set_matrix(context, &(Matrix){t[0], t[1], t[2], t[3], t[4], t[5]});
    cairo.set_line_width(context, drawing->width);
    cairo.set_line_cap(context, drawing->cap);
    cairo.set_line_join(context, drawing->join);
    cairo.set_miter_limit(context, drawing->miter_limit);
    if (drawing->dash_count > 0) {
      cairo.set_dash(context, drawing->dashes, drawing->dash_count, drawing->dash_phase);
    }
    cairo.stroke(context);
  } else {
    cairo.set_fill_rule(context, drawing->even_odd);
    cairo.fill(context);
  }
  int status = cairo.status(context);
  if (status == 0) {
    cairo.surface_flush(surface);
    const unsigned char *data = cairo.image_surface_get_data(surface);
    int stride = cairo.image_surface_get_stride(surface);
    for (int row = 0; row < height; row++) {
      memcpy(mask + (size_t)row * width, data + (size_t)row * stride, (size_t)width);
    }
  } else {
    snprintf(reason, sizeof reason, "cairo cannot draw the path: %s", cairo.status_to_string(status));
  }
  cairo.destroy(context);
  cairo.surface_destroy(surface);
  return status == 0;
}
