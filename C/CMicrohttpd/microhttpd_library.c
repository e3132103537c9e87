#include "microhttpd_library.h"

#include <dlfcn.h>
#include <pthread.h>

mhd_functions mhd_library;

static bool is_loaded;

static void load(void) {
  // The name that Debian 12 and Ubuntu 24.04 have.
  void *library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
#define MHD_FIND(function)                                               \
  mhd.function = (__typeof__(mhd.function))dlsym(library, "MHD_" #function); \
  if (mhd.function == NULL) return;
  MHD_FUNCTIONS(MHD_FIND)
#undef MHD_FIND
  is_loaded = true;
}

bool mhd_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return is_loaded;
}
