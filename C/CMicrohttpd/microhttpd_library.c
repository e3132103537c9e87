#include "microhttpd_library.h"

#include <CDynamicLibrary.h>
#include <pthread.h>

mhd_functions mhd_library;

static bool is_loaded;

static void load(void) {
  // The library's name on Debian 12 and Ubuntu 24.04.
  void *library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
#define MHD_NAME(function) "MHD_" #function,
  static const char *const names[] = {MHD_FUNCTIONS(MHD_NAME)};
#undef MHD_NAME
  is_loaded = cdl_find(library, names, sizeof names / sizeof *names, &mhd);
}

bool mhd_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return is_loaded;
}
