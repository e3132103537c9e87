// The web pages of the studio. They are compiled into the program, so an installed program needs no further files.
#pragma once

#include <stddef.h>

/// A file that the studio sends to the browser.
typedef struct {
  /// The file's path in its URL, without the first slash.
  const char *path;
  /// The file's MIME type.
  const char *type;
  const unsigned char *bytes;
  size_t count;
} studio_page;

/// Returns the files and sets `count` to their number.
const studio_page *studio_pages(size_t *count);
