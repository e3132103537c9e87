// This module exists only for its compiler flags. The pkg-config file of libvips contains -pthread, which SwiftPM
// refuses with a warning. The pkg-config file of GObject contains only the include paths that libvips' headers need.
#include <glib-object.h>
