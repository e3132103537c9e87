// The functions of GLib that CVips calls, so that the program is not linked with GLib. libvips loads GLib. These
// functions are hidden, so that only CVips calls them, and not GLib itself.

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define HIDDEN __attribute__((visibility("hidden")))

/// Returns a function of the GLib that libvips has loaded, or NULL.
static void *found(const char *library, const char *name) {
  void *opened = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  return opened == NULL ? NULL : dlsym(opened, name);
}

// GLib allocates with the C library's malloc (since GLib 2.46).
HIDDEN void g_free(void *memory) { free(memory); }
HIDDEN char *g_strdup(const char *text) { return text == NULL ? NULL : strdup(text); }

HIDDEN const char *g_getenv(const char *name) { return getenv(name); }
HIDDEN int g_setenv(const char *name, const char *value, int replaces) {
  return setenv(name, value, replaces) == 0;
}
HIDDEN void g_unsetenv(const char *name) { unsetenv(name); }

HIDDEN int g_str_has_prefix(const char *text, const char *start) {
  return strncmp(text, start, strlen(start)) == 0;
}

HIDDEN void *g_object_ref(void *object) {
  static void *(*function)(void *);
  if (function == NULL) function = (void *(*)(void *))found("libgobject-2.0.so.0", "g_object_ref");
  return function == NULL ? object : function(object);
}

HIDDEN void g_object_unref(void *object) {
  static void (*function)(void *);
  if (function == NULL) function = (void (*)(void *))found("libgobject-2.0.so.0", "g_object_unref");
  if (function != NULL) function(object);
}

HIDDEN unsigned g_log_set_handler(
    const char *domain, int levels, void (*handler)(const char *, int, const char *, void *),
    void *context) {
  typedef unsigned (*Function)(
      const char *, int, void (*)(const char *, int, const char *, void *), void *);
  Function function = (Function)found("libglib-2.0.so.0", "g_log_set_handler");
  return function == NULL ? 0 : function(domain, levels, handler, context);
}
