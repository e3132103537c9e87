#define _GNU_SOURCE
#include "VipsLibrary.h"

#include <CDynamicLibrary.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

VipsFunctions vips;

static void (*vips_block)(gboolean);

void cvips_block_untrusted(void) {
  if (vips_block != NULL) vips_block(TRUE);
}

static char failure[512] = "it has not been started";

char *cvips_load_error(void) { return g_strdup(failure); }

/// The file name of libvips since version 8.0.
static const char name[] = "libvips.so.42";

static int fail(const char *words) {
  memset(&vips, 0, sizeof vips);
  snprintf(failure, sizeof failure, "%s", words == NULL ? "no reason given" : words);
  return 1;
}

/// Starts libvips without its modules. libvips searches for modules below the folder that VIPSHOME names. This function
/// sets the variable to a folder that does not exist, and restores the variable afterwards.
static int start(void) {
  static const char home[] = "VIPSHOME";
  char *own = g_strdup(g_getenv(home));
  g_setenv(home, "/nonexistent", TRUE);
  int failed = vips.init("atelier");
  if (own != NULL) {
    g_setenv(home, own, TRUE);
  } else {
    g_unsetenv(home);
  }
  g_free(own);
  return failed;
}

int cvips_load(void) {
  void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (library == NULL) {
    return fail(dlerror());
  }
#define CVIPS_NAME(function) "vips_" #function,
  static const char *const names[] = {CVIPS_FUNCTIONS(CVIPS_NAME)};
#undef CVIPS_NAME
  if (!cdl_find(library, names, sizeof names / sizeof *names, &vips)) return fail(dlerror());
  // libvips 8.12 (Ubuntu 22.04) has no such function. CVips.c then still refuses the formats of untrusted loaders.
  vips_block = dlsym(library, "vips_block_untrusted_set");
  if (vips.version(3) - vips.version(5) != VIPS_LIBRARY_CURRENT - VIPS_LIBRARY_AGE) {
    return fail("its version differs from the one that this program was built with");
  }
  return start();
}

static char module_folder[4096];

/// Finds the folder with libvips' modules, which is next to the library.
static void find_modules(void) {
  Dl_info library;
  if (dladdr((void *)vips.init, &library) == 0 || library.dli_fname == NULL) {
    return;
  }
  const char *end = strrchr(library.dli_fname, '/');
  if (end != NULL) {
    snprintf(module_folder, sizeof module_folder, "%.*s/vips-modules-%d.%d",
             (int)(end - library.dli_fname), library.dli_fname, vips.version(0), vips.version(1));
  }
}

void cvips_load_module(const char *module) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  // GModule calls the module's start function, which registers the module's formats with libvips.
  typedef void *(*Open)(const char *, int);
  typedef void (*Keep)(void *);
  static int is_found = 0;
  static char loaded[64] = "";
  pthread_mutex_lock(&lock);
  if (!is_found) {
    find_modules();
    is_found = 1;
  }
  if (module_folder[0] != 0 && strcmp(loaded, module) != 0) {
    snprintf(loaded, sizeof loaded, "%s", module);
    void *library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    Open open = library == NULL ? NULL : (Open)dlsym(library, "g_module_open");
    Keep keep = library == NULL ? NULL : (Keep)dlsym(library, "g_module_make_resident");
    char path[sizeof module_folder + 80];
    snprintf(path, sizeof path, "%s/%s.so", module_folder, module);
    void *opened = open == NULL ? NULL : open(path, 1);
    if (opened != NULL && keep != NULL) {
      keep(opened);
    }
    if (library != NULL) {
      dlclose(library);
    }
  }
  pthread_mutex_unlock(&lock);
}
