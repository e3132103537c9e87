#include "vDSP_transforms.h"

#include <cstring>
#include <new>

#include "kernels/Splitting.hpp"
#include "libraries/FFTW.hpp"

namespace {

using fftw::Kind;

constexpr vDSP_Length greatestLogarithm = 30;

/// A plan for one length and direction. A setup stores the plan, so that calls need not look it up.
struct Transform {
  const fftw::Plan *plan;
  Kind kind;
  /// The number of complex numbers for complex transforms, and of real numbers for real transforms.
  long count;
};

template <class T>
Transform transform(Kind kind, long count) {
  return {fftw::plan<T>(kind, count), kind, count};
}

template <class T>
void complexTransform(
    const Transform &transform, const T *Ir, const T *Ii, long IA, T *Or, T *Oi, long IC) {
  T *output, *input = fftw::buffers<T>(2 * transform.count, output);
  if (!input || !transform.plan) return;
  joinNumbers(Ir, Ii, IA, input, 2, transform.count);
  fftw::execute<T>(transform.plan, transform.kind, input, output);
  splitNumbers(output, 2, Or, Oi, IC, transform.count);
}

/// Doubles a spectrum. Stores the last number, which is real, as the imaginary part of the first number.
template <class T>
void pack(T *spectrum, long half) {
  for (long i = 0; i < 2 * half; i++) spectrum[i] *= 2;
  spectrum[1] = 2 * spectrum[2 * half];
}

/// The inverse of `pack`, without the factor 2.
template <class T>
void unpack(T *spectrum, long half) {
  spectrum[2 * half] = spectrum[1];
  spectrum[2 * half + 1] = 0;
  spectrum[1] = 0;
}

template <class T>
void realTransform(
    const Transform &transform, const T *Ir, const T *Ii, long IA, T *Or, T *Oi, long IC) {
  const long half = transform.count / 2;
  T *output, *input = fftw::buffers<T>(transform.count, output);
  if (!input || !transform.plan) return;
  joinNumbers(Ir, Ii, IA, input, 2, half);
  if (transform.kind == Kind::realInverse) unpack(input, half);
  fftw::execute<T>(transform.plan, transform.kind, input, output);
  if (transform.kind == Kind::realForward) pack(output, half);
  splitNumbers(output, 2, Or, Oi, IC, half);
}

/// True if `length` is f 2^n with f = 1, 3, 5 or 15, and n at least `least`.
bool isSupported(vDSP_Length length, int least) {
  int powers = 0;
  while (length > 0 && length % 2 == 0) length /= 2, powers++;
  return powers >= least && (length == 1 || length == 3 || length == 5 || length == 15);
}

/// The transforms of lengths 1, 2, 4 and so on: complex and real, forward and inverse.
template <class T>
struct Radix2 {
  vDSP_Length most;
  Transform transforms[greatestLogarithm + 1][4];
};

template <class T>
Radix2<T> *makeRadix2(vDSP_Length most, FFTRadix radix) {
  if (radix != kFFTRadix2 || most > greatestLogarithm) return nullptr;
  auto *setup = new (std::nothrow) Radix2<T>();
  if (!setup) return nullptr;
  setup->most = most;
  for (vDSP_Length log = 0; log <= most; log++) {
    // `find` makes a plan when a call needs it. Making all plans here would allocate buffers for the longest.
    setup->transforms[log][0] = {nullptr, Kind::complexForward, long(1) << log};
    setup->transforms[log][1] = {nullptr, Kind::complexInverse, long(1) << log};
    setup->transforms[log][2] = {nullptr, Kind::realForward, long(1) << log};
    setup->transforms[log][3] = {nullptr, Kind::realInverse, long(1) << log};
  }
  if (!fftw::plan<T>(Kind::complexForward, 1)) {
    delete setup;
    return nullptr;
  }
  return setup;
}

/// Returns a transform of a setup. Makes its plan at the first call. Returns NULL beyond the setup's length.
template <class T>
const Transform *find(Radix2<T> *setup, vDSP_Length log, FFTDirection direction, bool isReal) {
  if (log > setup->most) return nullptr;
  Transform &transform = setup->transforms[log][2 * isReal + (direction == kFFTDirection_Inverse)];
  if (!__atomic_load_n(&transform.plan, __ATOMIC_ACQUIRE)) {
    __atomic_store_n(
        &transform.plan, fftw::plan<T>(transform.kind, transform.count), __ATOMIC_RELEASE);
  }
  return &transform;
}

template <class T, class Split>
void radix2(
    Radix2<T> *setup, const Split *A, long IA, const Split *C, long IC, vDSP_Length log,
    FFTDirection direction, bool isReal) {
  if (isReal && log == 0) return;
  const Transform *transform = find(setup, log, direction, isReal);
  if (!transform) return;
  (isReal ? realTransform<T> : complexTransform<T>)(
      *transform, A->realp, A->imagp, IA, C->realp, C->imagp, IC);
}

template <class T, class Setup>
Setup *makeSetup(Kind kind, vDSP_Length length) {
  const Transform made = transform<T>(kind, long(length));
  if (!made.plan) return nullptr;
  auto *setup = new (std::nothrow) Setup();
  if (setup) setup->transform = made;
  return setup;
}

Kind complexKind(int direction) { return direction < 0 ? Kind::complexInverse : Kind::complexForward; }
Kind realKind(int direction) { return direction < 0 ? Kind::realInverse : Kind::realForward; }

}  // namespace

struct OpaqueFFTSetup : Radix2<float> {};
struct OpaqueFFTSetupD : Radix2<double> {};
struct vDSP_DFT_SetupStruct { Transform transform; };
struct vDSP_DFT_SetupStructD { Transform transform; };

extern "C" {

#define DEFINE(T, Split, D) \
  FFTSetup##D vDSP_create_fftsetup##D(vDSP_Length Log2n, FFTRadix Radix) { \
    return static_cast<FFTSetup##D>(makeRadix2<T>(Log2n, Radix)); \
  } \
  void vDSP_destroy_fftsetup##D(FFTSetup##D Setup) { delete static_cast<Radix2<T> *>(Setup); } \
  void vDSP_fft_zip##D( \
      FFTSetup##D Setup, const Split *C, vDSP_Stride IC, vDSP_Length Log2N, FFTDirection Direction) { \
    radix2<T>(Setup, C, IC, C, IC, Log2N, Direction, false); \
  } \
  void vDSP_fft_zop##D( \
      FFTSetup##D Setup, const Split *A, vDSP_Stride IA, const Split *C, vDSP_Stride IC, \
      vDSP_Length Log2N, FFTDirection Direction) { \
    radix2<T>(Setup, A, IA, C, IC, Log2N, Direction, false); \
  } \
  void vDSP_fft_zrip##D( \
      FFTSetup##D Setup, const Split *C, vDSP_Stride IC, vDSP_Length Log2N, FFTDirection Direction) { \
    radix2<T>(Setup, C, IC, C, IC, Log2N, Direction, true); \
  } \
  void vDSP_fft_zrop##D( \
      FFTSetup##D Setup, const Split *A, vDSP_Stride IA, const Split *C, vDSP_Stride IC, \
      vDSP_Length Log2N, FFTDirection Direction) { \
    radix2<T>(Setup, A, IA, C, IC, Log2N, Direction, true); \
  } \
  void vDSP_fft_zipt##D( \
      FFTSetup##D Setup, const Split *C, vDSP_Stride IC, const Split *, vDSP_Length Log2N, \
      FFTDirection Direction) { \
    radix2<T>(Setup, C, IC, C, IC, Log2N, Direction, false); \
  } \
  void vDSP_fft_zript##D( \
      FFTSetup##D Setup, const Split *C, vDSP_Stride IC, const Split *, vDSP_Length Log2N, \
      FFTDirection Direction) { \
    radix2<T>(Setup, C, IC, C, IC, Log2N, Direction, true); \
  } \
  vDSP_DFT_Setup##D vDSP_DFT_zop_CreateSetup##D( \
      vDSP_DFT_Setup##D, vDSP_Length Length, vDSP_DFT_Direction Direction) { \
    if (!isSupported(Length, 3)) return nullptr; \
    return makeSetup<T, vDSP_DFT_SetupStruct##D>(complexKind(Direction), Length); \
  } \
  vDSP_DFT_Setup##D vDSP_DFT_zrop_CreateSetup##D( \
      vDSP_DFT_Setup##D, vDSP_Length Length, vDSP_DFT_Direction Direction) { \
    if (!isSupported(Length, 4)) return nullptr; \
    return makeSetup<T, vDSP_DFT_SetupStruct##D>(realKind(Direction), Length); \
  } \
  void vDSP_DFT_Execute##D( \
      const vDSP_DFT_SetupStruct##D *Setup, const T *Ir, const T *Ii, T *Or, T *Oi) { \
    const Kind kind = Setup->transform.kind; \
    const bool isReal = kind == Kind::realForward || kind == Kind::realInverse; \
    (isReal ? realTransform<T> : complexTransform<T>)(Setup->transform, Ir, Ii, 1, Or, Oi, 1); \
  } \
  void vDSP_DFT_DestroySetup##D(vDSP_DFT_Setup##D Setup) { delete Setup; }

DEFINE(float, DSPSplitComplex, )
DEFINE(double, DSPDoubleSplitComplex, D)

vDSP_DFT_Setup vDSP_DCT_CreateSetup(vDSP_DFT_Setup, vDSP_Length Length, vDSP_DCT_Type Type) {
  if (!isSupported(Length, 4)) return nullptr;
  switch (Type) {
    case vDSP_DCT_II: return makeSetup<float, vDSP_DFT_SetupStruct>(Kind::cosine2, Length);
    case vDSP_DCT_III: return makeSetup<float, vDSP_DFT_SetupStruct>(Kind::cosine3, Length);
    case vDSP_DCT_IV: return makeSetup<float, vDSP_DFT_SetupStruct>(Kind::cosine4, Length);
  }
  return nullptr;
}

void vDSP_DCT_Execute(const vDSP_DFT_SetupStruct *Setup, const float *Input, float *Output) {
  const Transform &transform = Setup->transform;
  float *output, *input = fftw::buffers<float>(transform.count, output);
  if (!input) return;
  memcpy(input, Input, size_t(transform.count) * sizeof(float));
  fftw::execute<float>(transform.plan, transform.kind, input, output);
  // FFTW's cosine transforms are twice Apple's.
  for (long i = 0; i < transform.count; i++) Output[i] = output[i] / 2;
}
}
