#include "libraries/LinearAlgebra.hpp"

#include <CKernels.h>
#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

/// Opens OpenBLAS with kernels for this processor, or returns NULL.
///
/// OpenBLAS takes processors that are newer than itself for a Prescott of 2004, and then computes matrix products in four
/// times the time. It chooses its kernels when it is opened, by an environment variable if there is one. So the library
/// is opened again with that variable, unless the user has set it or another part of the process holds the library.
void *openBLAS() {
  const char *const file = "libopenblas.so.0", *const variable = "OPENBLAS_CORETYPE";
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
#if defined(__x86_64__)
  const int instructions = ck_instructions();
  if (!library || instructions == 0 || std::getenv(variable)) return library;
  const auto name = reinterpret_cast<const char *(*)()>(dlsym(library, "openblas_get_corename"));
  if (!name || std::strcmp(name(), "Prescott") != 0) return library;
  dlclose(library);
  setenv(variable, instructions == 1 ? "Haswell" : "SkylakeX", 0);
  library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  unsetenv(variable);
#endif
  return library;
}

struct Libraries {
  void *handles[3];

  Libraries() {
    const char *const files[3] = {"libopenblas.so.0", "libblas.so.3", "liblapack.so.3"};
    handles[0] = openBLAS();
    for (int i = 1; i < 3; i++) handles[i] = handles[0] ? nullptr : dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
  }
};

}  // namespace

void *linearAlgebraFunction(const char *name) {
  static const Libraries libraries;
  for (void *handle : libraries.handles)
    if (void *function = handle ? dlsym(handle, name) : nullptr) return function;
  static std::atomic<bool> reported{false};
  if (!reported.exchange(true))
    std::fprintf(stderr, "Accelerate: %s needs OpenBLAS, which cannot be opened. Install libopenblas0.\n", name);
  return nullptr;
}
