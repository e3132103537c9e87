// The studio's pages, which are part of the program, so that an installed program has them.
#pragma once

#include <stddef.h>

/// A file that the browser gets.
typedef struct {
  /// Its path without the first slash.
  const char *path;
  /// Its type.
  const char *type;
  const unsigned char *bytes;
  size_t count;
} studio_page;

/// The files, and how many there are.
const studio_page *studio_pages(size_t *count);
