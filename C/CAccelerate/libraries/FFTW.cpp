#include "libraries/FFTW.hpp"

#include <CDynamicLibrary.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>

namespace fftw {
namespace {

// FFTW's interface, from its manual: flags and kinds of real transforms.
constexpr unsigned estimate = 1u << 6, destroyInput = 1u << 0;
constexpr int cosineKind2 = 5, cosineKind3 = 4, cosineKind4 = 6;
constexpr size_t alignment = 64;

template <class T>
struct Functions {
  void *(*planComplex)(int n, T *in, T *out, int sign, unsigned flags);
  void *(*planForward)(int n, T *in, T *out, unsigned flags);
  void *(*planInverse)(int n, T *in, T *out, unsigned flags);
  void *(*planReal)(int n, T *in, T *out, int kind, unsigned flags);
  void (*executeComplex)(const void *plan, T *in, T *out);
  void (*executeForward)(const void *plan, T *in, T *out);
  void (*executeInverse)(const void *plan, T *in, T *out);
  void (*executeReal)(const void *plan, T *in, T *out);
};

#define NAMES(prefix) \
  { \
    prefix "_plan_dft_1d", prefix "_plan_dft_r2c_1d", prefix "_plan_dft_c2r_1d", prefix "_plan_r2r_1d", \
        prefix "_execute_dft", prefix "_execute_dft_r2c", prefix "_execute_dft_c2r", prefix "_execute_r2r" \
  }

template <class T>
struct Library;

template <>
struct Library<float> {
  static constexpr const char *file = "libfftw3f.so.3";
  static constexpr const char *names[] = NAMES("fftwf");
};

template <>
struct Library<double> {
  static constexpr const char *file = "libfftw3.so.3";
  static constexpr const char *names[] = NAMES("fftw");
};

/// The functions of the library, or NULL.
template <class T>
const Functions<T> *open() {
  static const Functions<T> *const functions = []() -> const Functions<T> * {
    static Functions<T> table;
    void *library = dlopen(Library<T>::file, RTLD_NOW | RTLD_LOCAL);
    if (library && cdl_find(library, Library<T>::names, sizeof table / sizeof(void *), &table)) return &table;
    std::fprintf(
        stderr, "Accelerate: Fourier transforms need FFTW, but it cannot be opened: %s. Install libfftw3-single3 "
                "and libfftw3-double3.\n", dlerror());
    return nullptr;
  }();
  return functions;
}

template <class T>
struct Buffers {
  T *memory = nullptr;
  long capacity = 0;
  ~Buffers() { std::free(memory); }
};

std::mutex planning;

}  // namespace

template <class T>
T *buffers(long count, T *&second) {
  thread_local Buffers<T> own;
  // Adds two numbers for the last element of a real spectrum, and rounds up to a multiple of the alignment.
  const long step = long(alignment / sizeof(T));
  const long rounded = (count + 2 + step - 1) / step * step;
  if (own.capacity < rounded) {
    std::free(own.memory);
    own.memory = static_cast<T *>(std::aligned_alloc(alignment, size_t(rounded) * 2 * sizeof(T)));
    own.capacity = own.memory ? rounded : 0;
  }
  second = own.memory ? own.memory + own.capacity : nullptr;
  return own.memory;
}

template <class T>
const Plan *plan(Kind kind, long count) {
  const Functions<T> *functions = open<T>();
  if (!functions || count < 1 || count > INT32_MAX) return nullptr;
  // FFTW makes one plan at a time.
  const std::lock_guard<std::mutex> lock(planning);
  static std::map<std::pair<Kind, long>, void *> plans;
  void *&made = plans[{kind, count}];
  if (made) return static_cast<const Plan *>(made);
  const bool isComplex = kind == Kind::complexForward || kind == Kind::complexInverse;
  T *output = nullptr, *input = buffers<T>(isComplex ? 2 * count : count, output);
  if (!input) return nullptr;
  const int n = int(count);
  const unsigned flags = estimate | destroyInput;
  switch (kind) {
    case Kind::complexForward: made = functions->planComplex(n, input, output, -1, flags); break;
    case Kind::complexInverse: made = functions->planComplex(n, input, output, 1, flags); break;
    case Kind::realForward: made = functions->planForward(n, input, output, flags); break;
    case Kind::realInverse: made = functions->planInverse(n, input, output, flags); break;
    case Kind::cosine2: made = functions->planReal(n, input, output, cosineKind2, flags); break;
    case Kind::cosine3: made = functions->planReal(n, input, output, cosineKind3, flags); break;
    case Kind::cosine4: made = functions->planReal(n, input, output, cosineKind4, flags); break;
  }
  return static_cast<const Plan *>(made);
}

template <class T>
void execute(const Plan *plan, Kind kind, T *input, T *output) {
  const Functions<T> *functions = open<T>();
  switch (kind) {
    case Kind::complexForward:
    case Kind::complexInverse: return functions->executeComplex(plan, input, output);
    case Kind::realForward: return functions->executeForward(plan, input, output);
    case Kind::realInverse: return functions->executeInverse(plan, input, output);
    default: return functions->executeReal(plan, input, output);
  }
}

template const Plan *plan<float>(Kind, long);
template const Plan *plan<double>(Kind, long);
template float *buffers<float>(long, float *&);
template double *buffers<double>(long, double *&);
template void execute<float>(const Plan *, Kind, float *, float *);
template void execute<double>(const Plan *, Kind, double *, double *);

}  // namespace fftw
