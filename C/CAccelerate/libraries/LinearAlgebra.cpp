#include "libraries/LinearAlgebra.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstdio>

namespace {

struct Libraries {
  void *handles[3];

  Libraries() {
    const char *const files[3] = {"libopenblas.so.0", "libblas.so.3", "liblapack.so.3"};
    handles[0] = dlopen(files[0], RTLD_NOW | RTLD_LOCAL);
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
