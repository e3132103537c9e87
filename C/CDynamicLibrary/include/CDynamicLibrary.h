// Tables of function pointers that are filled when a library is loaded at run time.

#ifndef CDYNAMICLIBRARY_H
#define CDYNAMICLIBRARY_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/// Finds functions by their names and writes their addresses into `table`. The table is a struct that has one function
/// pointer for each name, in the order of the names. Returns false at the first name that the library lacks. The
/// message of `dlerror` then contains that name.
static inline bool cdl_find(void *library, const char *const names[], size_t count, void *table) {
  for (size_t index = 0; index < count; index++) {
    void *function = dlsym(library, names[index]);
    if (function == NULL) return false;
    // Safe: in POSIX, object pointers and function pointers have the same size.
    memcpy((char *)table + index * sizeof function, &function, sizeof function);
  }
  return true;
}

#endif
