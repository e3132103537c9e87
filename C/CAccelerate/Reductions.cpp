#include "vDSP_reductions.h"

#include "vDSP_elementwise.h"

#include "kernels/Common.hpp"

#define CA_KERNELS "kernels/Reductions.inl.hpp"
#include "kernels/Instances.hpp"

namespace {

#define F(name, term) \
  template <class T> \
  double name(const T *A, vDSP_Stride IA, vDSP_Length N) { \
    CA_CALL(name<T>(A, IA, N)) \
  }
VDSP_SUM_FUNCTIONS(F)
#undef F

template <class T>
double dotpr(const T *A, vDSP_Stride IA, const T *B, vDSP_Stride IB, vDSP_Length N) {
  CA_CALL(dotpr<T>(A, IA, B, IB, N))
}

template <class T>
double distancesq(const T *A, vDSP_Stride IA, const T *B, vDSP_Stride IB, vDSP_Length N) {
  CA_CALL(distancesq<T>(A, IA, B, IB, N))
}

template <class T>
double squaredDeviations(const T *A, vDSP_Stride IA, T mean, vDSP_Length N) {
  CA_CALL(squaredDeviations<T>(A, IA, mean, N))
}

#define F(name, value, comparison, first) \
  template <class T> \
  T name(const T *A, vDSP_Stride IA, vDSP_Length N) { \
    CA_CALL(name<T>(A, IA, N)) \
  } \
  template <class T> \
  T name##i(const T *A, vDSP_Stride IA, vDSP_Length *I, vDSP_Length N) { \
    CA_CALL(name##i<T>(A, IA, I, N)) \
  }
VDSP_EXTREME_FUNCTIONS(F)
#undef F

template <class T>
void normalize(
    const T *A, vDSP_Stride IA, T *C, vDSP_Stride IC, T *Mean, T *StandardDeviation, vDSP_Length N,
    void scaleAndShift(const T *, vDSP_Stride, const T *, const T *, T *, vDSP_Stride, vDSP_Length)) {
  const double mean = sve<T>(A, IA, N) / double(N);
  // The deviations are from the mean rounded to T. Subtracts the error that this rounding adds to the variance.
  const double error = mean - double(T(mean));
  const double variance = squaredDeviations<T>(A, IA, T(mean), N) / double(N) - error * error;
  const double deviation = std::sqrt(std::max(variance, 0.0));
  if (C) {
    const T factor = T(1 / deviation), offset = T(-mean / deviation);
    scaleAndShift(A, IA, &factor, &offset, C, IC, N);
  }
  *Mean = T(mean);
  *StandardDeviation = T(deviation);
}

template <class T>
void zeroCrossings(
    const T *A, vDSP_Stride IA, vDSP_Length most, vDSP_Length *last, vDSP_Length *found, vDSP_Length N) {
  vDSP_Length count = 0, index = 0;
  for (long i = 1; i < long(N) && count < most; i++) {
    if (std::signbit(A[i * IA]) == std::signbit(A[(i - 1) * IA])) continue;
    count++;
    if (count == most) index = vDSP_Length(i * IA);
  }
  *found = count;
  *last = index;
}

}  // namespace

extern "C" {


#define F(name, term) \
  void vDSP_##name(const float *A, vDSP_Stride IA, float *C, vDSP_Length N) { \
    *C = float(name<float>(A, IA, N)); \
  } \
  void vDSP_##name##D(const double *A, vDSP_Stride IA, double *C, vDSP_Length N) { \
    *C = name<double>(A, IA, N); \
  }
VDSP_SUM_FUNCTIONS(F)
#undef F

#define DEFINE_MEAN(name, sum, ROOT) \
  void vDSP_##name(const float *A, vDSP_Stride IA, float *C, vDSP_Length N) { \
    *C = float(ROOT(sum<float>(A, IA, N) / double(N))); \
  } \
  void vDSP_##name##D(const double *A, vDSP_Stride IA, double *C, vDSP_Length N) { \
    *C = ROOT(sum<double>(A, IA, N) / double(N)); \
  }
DEFINE_MEAN(meanv, sve, )
DEFINE_MEAN(meamgv, svemg, )
DEFINE_MEAN(measqv, svesq, )
DEFINE_MEAN(mvessq, svs, )
DEFINE_MEAN(rmsqv, svesq, std::sqrt)

#define F(name, value, comparison, first) \
  void vDSP_##name(const float *A, vDSP_Stride IA, float *C, vDSP_Length N) { \
    *C = name<float>(A, IA, N); \
  } \
  void vDSP_##name##D(const double *A, vDSP_Stride IA, double *C, vDSP_Length N) { \
    *C = name<double>(A, IA, N); \
  } \
  void vDSP_##name##i(const float *A, vDSP_Stride IA, float *C, vDSP_Length *I, vDSP_Length N) { \
    *C = name##i<float>(A, IA, I, N); \
  } \
  void vDSP_##name##iD(const double *A, vDSP_Stride IA, double *C, vDSP_Length *I, vDSP_Length N) { \
    *C = name##i<double>(A, IA, I, N); \
  }
VDSP_EXTREME_FUNCTIONS(F)
#undef F

void vDSP_sve_svesq(const float *A, vDSP_Stride IA, float *Sum, float *SumOfSquares, vDSP_Length N) {
  const double sum = sve<float>(A, IA, N);
  *SumOfSquares = float(svesq<float>(A, IA, N));
  *Sum = float(sum);
}

void vDSP_sve_svesqD(
    const double *A, vDSP_Stride IA, double *Sum, double *SumOfSquares, vDSP_Length N) {
  const double sum = sve<double>(A, IA, N);
  *SumOfSquares = svesq<double>(A, IA, N);
  *Sum = sum;
}

void vDSP_dotpr(
    const float *A, vDSP_Stride IA, const float *B, vDSP_Stride IB, float *C, vDSP_Length N) {
  *C = float(dotpr<float>(A, IA, B, IB, N));
}

void vDSP_dotprD(
    const double *A, vDSP_Stride IA, const double *B, vDSP_Stride IB, double *C, vDSP_Length N) {
  *C = dotpr<double>(A, IA, B, IB, N);
}

void vDSP_distancesq(
    const float *A, vDSP_Stride IA, const float *B, vDSP_Stride IB, float *C, vDSP_Length N) {
  *C = float(distancesq<float>(A, IA, B, IB, N));
}

void vDSP_distancesqD(
    const double *A, vDSP_Stride IA, const double *B, vDSP_Stride IB, double *C, vDSP_Length N) {
  *C = distancesq<double>(A, IA, B, IB, N);
}

void vDSP_normalize(
    const float *A, vDSP_Stride IA, float *C, vDSP_Stride IC, float *Mean, float *StandardDeviation,
    vDSP_Length N) {
  normalize<float>(A, IA, C, IC, Mean, StandardDeviation, N, vDSP_vsmsa);
}

void vDSP_normalizeD(
    const double *A, vDSP_Stride IA, double *C, vDSP_Stride IC, double *Mean,
    double *StandardDeviation, vDSP_Length N) {
  normalize<double>(A, IA, C, IC, Mean, StandardDeviation, N, vDSP_vsmsaD);
}

void vDSP_nzcros(
    const float *A, vDSP_Stride IA, vDSP_Length B, vDSP_Length *C, vDSP_Length *D, vDSP_Length N) {
  zeroCrossings<float>(A, IA, B, C, D, N);
}

void vDSP_nzcrosD(
    const double *A, vDSP_Stride IA, vDSP_Length B, vDSP_Length *C, vDSP_Length *D, vDSP_Length N) {
  zeroCrossings<double>(A, IA, B, C, D, N);
}
}
