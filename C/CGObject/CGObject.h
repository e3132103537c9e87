// Only here for its compiler flags: libvips' own pkg-config file carries -pthread, which SwiftPM
// refuses with a warning; GObject's has the include paths that libvips' headers need, and no more.
#include <glib-object.h>
