#include "vDSP_series.h"

#include <functional>
#include <memory>
#include <new>
#include <type_traits>

#include "kernels/Common.hpp"

#define CA_KERNELS "kernels/Series.inl.hpp"
#include "kernels/Instances.hpp"

namespace {

template <class T>
T correlation(const T *A, vDSP_Stride IA, const T *F, vDSP_Stride IF, long count) {
  T sum = 0;
  for (long p = 0; p < count; p++) sum += A[p * IA] * F[p * IF];
  return sum;
}

template <class T, class Value>
void makeWindow(T *C, vDSP_Length N, int flag, Value value) {
  const vDSP_Length count = flag & vDSP_HALF_WINDOW ? (N + 1) / 2 : N;
  for (vDSP_Length n = 0; n < count; n++) C[n] = T(value(2 * M_PI * double(n) / double(N)));
}

/// True if `a` comes before `b`. NaN comes last in both orders.
template <class T>
bool comesBefore(T a, T b, int order) {
  if (a != a) return false;
  if (b != b) return true;
  return order >= 0 ? a < b : b < a;
}

/// From this length on, a radix sort is faster than a sort by comparisons.
constexpr vDSP_Length radixSortLength = 512;
constexpr int digitBits = 11;

/// Sorts numbers that are not NaN by the digits of their bits. Returns false if there is no memory.
template <class T, class Bits>
bool radixSort(T *C, size_t count, bool isAscending) {
  constexpr int bits = int(sizeof(Bits) * 8), digits = (bits + digitBits - 1) / digitBits;
  constexpr size_t values = size_t(1) << digitBits;
  constexpr Bits sign = Bits(1) << (bits - 1);
  std::unique_ptr<Bits[]> memory(new (std::nothrow) Bits[2 * count + digits * values]());
  if (!memory) return false;
  Bits *keys = memory.get(), *sorted = keys + count, *counts = sorted + count;
  for (size_t i = 0; i < count; i++) {
    Bits key;
    memcpy(&key, &C[i], sizeof key);
    // Makes keys with the order of the numbers: complements the bits of negative numbers, and sets the sign of others.
    key = key & sign ? ~key : key | sign;
    keys[i] = isAscending ? key : ~key;
    for (int digit = 0; digit < digits; digit++)
      counts[size_t(digit) * values + ((keys[i] >> (digit * digitBits)) & (values - 1))]++;
  }
  for (int digit = 0; digit < digits; digit++) {
    Bits *places = counts + size_t(digit) * values, sum = 0;
    for (size_t value = 0; value < values; value++) {
      const Bits number = places[value];
      places[value] = sum;
      sum += number;
    }
    for (size_t i = 0; i < count; i++)
      sorted[places[(keys[i] >> (digit * digitBits)) & (values - 1)]++] = keys[i];
    std::swap(keys, sorted);
  }
  for (size_t i = 0; i < count; i++) {
    Bits key = isAscending ? keys[i] : ~keys[i];
    key = key & sign ? key ^ sign : ~key;
    memcpy(&C[i], &key, sizeof key);
  }
  return true;
}

bool sortVectors(float *C, long count, bool isAscending) { CA_CALL(sortFloats(C, count, isAscending)) }
bool sortVectors(double *, long, bool) { return false; }

template <class T>
void sort(T *C, vDSP_Length N, int order) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  bool hasNaN = false;
  for (vDSP_Length i = 0; i < N; i++) hasNaN |= C[i] != C[i];
  T *const end = hasNaN ? std::partition(C, C + N, [](T value) { return value == value; }) : C + N;
  const size_t count = size_t(end - C);
  if (sortVectors(C, long(count), order >= 0)) return;
  if (N >= radixSortLength && count <= UINT32_MAX && radixSort<T, Bits>(C, count, order >= 0)) return;
  if (order >= 0) {
    std::sort(C, end);
  } else {
    std::sort(C, end, std::greater<T>());
  }
}

}  // namespace

extern "C" {

#define DEFINE(T, D) \
  void vDSP_vclr##D(T *C, vDSP_Stride IC, vDSP_Length N) { \
    if (IC == 1) return void(memset(C, 0, N * sizeof(T))); \
    for (long n = 0; n < long(N); n++) C[n * IC] = 0; \
  } \
  void vDSP_vfill##D(const T *A, T *C, vDSP_Stride IC, vDSP_Length N) { \
    CA_CALL(ramp<T>(*A, 0, C, IC, long(N))) \
  } \
  void vDSP_vramp##D(const T *A, const T *B, T *C, vDSP_Stride IC, vDSP_Length N) { \
    CA_CALL(ramp<T>(*A, *B, C, IC, long(N))) \
  } \
  void vDSP_vgen##D(const T *A, const T *B, T *C, vDSP_Stride IC, vDSP_Length N) { \
    const T step = N > 1 ? (*B - *A) / T(N - 1) : T(0); \
    CA_CALL(ramp<T>(*A, step, C, IC, long(N))) \
  } \
  void vDSP_vrampmul##D( \
      const T *I, vDSP_Stride IS, T *Start, const T *Step, T *O, vDSP_Stride OS, vDSP_Length N) { \
    const T start = *Start, step = *Step; \
    for (long n = 0; n < long(N); n++) O[n * OS] = (start + T(n) * step) * I[n * IS]; \
    *Start = start + T(N) * step; \
  } \
  void vDSP_vrampmuladd##D( \
      const T *I, vDSP_Stride IS, T *Start, const T *Step, T *O, vDSP_Stride OS, vDSP_Length N) { \
    const T start = *Start, step = *Step; \
    for (long n = 0; n < long(N); n++) O[n * OS] += (start + T(n) * step) * I[n * IS]; \
    *Start = start + T(N) * step; \
  } \
  void vDSP_vswap##D(T *A, vDSP_Stride IA, T *B, vDSP_Stride IB, vDSP_Length N) { \
    for (long n = 0; n < long(N); n++) std::swap(A[n * IA], B[n * IB]); \
  } \
  void vDSP_vrvrs##D(T *C, vDSP_Stride IC, vDSP_Length N) { \
    if (IC == 1) CA_CALL(reverse<T>(C, long(N))) \
    for (long n = 0; n < long(N) / 2; n++) std::swap(C[n * IC], C[(long(N) - 1 - n) * IC]); \
  } \
  void vDSP_vsort##D(T *C, vDSP_Length N, int Order) { sort<T>(C, N, Order); } \
  void vDSP_vsorti##D(const T *C, vDSP_Length *I, vDSP_Length *, vDSP_Length N, int Order) { \
    std::stable_sort( \
        I, I + N, [=](vDSP_Length a, vDSP_Length b) { return comesBefore(C[a], C[b], Order); }); \
  } \
  void vDSP_vcmprs##D( \
      const T *A, vDSP_Stride IA, const T *B, vDSP_Stride IB, T *C, vDSP_Stride IC, vDSP_Length N) { \
    long written = 0; \
    for (long n = 0; n < long(N); n++) \
      if (B[n * IB] != 0) C[written++ * IC] = A[n * IA]; \
  } \
  void vDSP_vgathr##D( \
      const T *A, const vDSP_Length *B, vDSP_Stride IB, T *C, vDSP_Stride IC, vDSP_Length N) { \
    for (long n = 0; n < long(N); n++) C[n * IC] = A[B[n * IB] - 1]; \
  } \
  void vDSP_vindex##D( \
      const T *A, const T *B, vDSP_Stride IB, T *C, vDSP_Stride IC, vDSP_Length N) { \
    for (long n = 0; n < long(N); n++) C[n * IC] = A[long(B[n * IB])]; \
  } \
  void vDSP_vlint##D( \
      const T *A, const T *B, vDSP_Stride IB, T *C, vDSP_Stride IC, vDSP_Length N, vDSP_Length M) { \
    for (long n = 0; n < long(N); n++) { \
      const long index = long(B[n * IB]); \
      const T fraction = B[n * IB] - T(index); \
      C[n * IC] = index + 1 < long(M) ? A[index] + fraction * (A[index + 1] - A[index]) : A[M - 1]; \
    } \
  } \
  void vDSP_vpoly##D( \
      const T *A, vDSP_Stride IA, const T *B, vDSP_Stride IB, T *C, vDSP_Stride IC, vDSP_Length N, \
      vDSP_Length P) { \
    for (long n = 0; n < long(N); n++) { \
      const T b = B[n * IB]; \
      T sum = A[0]; \
      for (long p = 1; p <= long(P); p++) sum = sum * b + A[p * IA]; \
      C[n * IC] = sum; \
    } \
  } \
  void vDSP_vdbcon##D( \
      const T *A, vDSP_Stride IA, const T *B, T *C, vDSP_Stride IC, vDSP_Length N, unsigned int F) { \
    const T factor = F ? T(20) : T(10), reference = *B; \
    for (long n = 0; n < long(N); n++) C[n * IC] = factor * std::log10(A[n * IA] / reference); \
  } \
  void vDSP_vrsum##D(const T *A, vDSP_Stride IA, const T *S, T *C, vDSP_Stride IC, vDSP_Length N) { \
    const double scale = double(*S); \
    double sum = 0; \
    for (long n = 0; n < long(N); n++) { \
      if (n > 0) sum += double(A[n * IA]); \
      C[n * IC] = T(scale * sum); \
    } \
  } \
  void vDSP_vtrapz##D(const T *A, vDSP_Stride IA, const T *B, T *C, vDSP_Stride IC, vDSP_Length N) { \
    const double scale = double(*B); \
    double sum = 0, previous = N > 0 ? double(A[0]) : 0; \
    for (long n = 0; n < long(N); n++) { \
      const double value = double(A[n * IA]); \
      if (n > 0) sum += (previous + value) / 2; \
      previous = value; \
      C[n * IC] = T(scale * sum); \
    } \
  } \
  void vDSP_vswsum##D(const T *A, vDSP_Stride IA, T *C, vDSP_Stride IC, vDSP_Length N, vDSP_Length P) { \
    double sum = 0; \
    for (long p = 0; p + 1 < long(P); p++) sum += double(A[p * IA]); \
    for (long n = 0; n < long(N); n++) { \
      const double first = P > 0 ? double(A[n * IA]) : 0; \
      if (P > 0) sum += double(A[(n + long(P) - 1) * IA]); \
      C[n * IC] = T(sum); \
      sum -= first; \
    } \
  } \
  void vDSP_vswmax##D(const T *A, vDSP_Stride IA, T *C, vDSP_Stride IC, vDSP_Length N, vDSP_Length P) { \
    for (long n = 0; n < long(N); n++) { \
      T most = -std::numeric_limits<T>::infinity(); \
      for (long p = 0; p < long(P); p++) most = std::max(most, A[(n + p) * IA]); \
      C[n * IC] = most; \
    } \
  } \
  void vDSP_conv##D( \
      const T *A, vDSP_Stride IA, const T *F, vDSP_Stride IF, T *C, vDSP_Stride IC, vDSP_Length N, \
      vDSP_Length P) { \
    if (IA == 1 && IC == 1 && (A + N + P <= C || C + N <= A)) { CA_CALL(correlate<T>(A, F, IF, C, long(N), long(P))) } \
    for (long n = 0; n < long(N); n++) C[n * IC] = correlation<T>(A + n * IA, IA, F, IF, long(P)); \
  } \
  void vDSP_desamp##D( \
      const T *A, vDSP_Stride DF, const T *F, T *C, vDSP_Length N, vDSP_Length P) { \
    for (long n = 0; n < long(N); n++) C[n] = correlation<T>(A + n * DF, 1, F, 1, long(P)); \
  } \
  void vDSP_deq22##D(const T *A, vDSP_Stride IA, const T *B, T *C, vDSP_Stride IC, vDSP_Length N) { \
    for (long n = 2; n < long(N) + 2; n++) \
      C[n * IC] = A[n * IA] * B[0] + A[(n - 1) * IA] * B[1] + A[(n - 2) * IA] * B[2] \
          - C[(n - 1) * IC] * B[3] - C[(n - 2) * IC] * B[4]; \
  } \
  void vDSP_hann_window##D(T *C, vDSP_Length N, int Flag) { \
    const double weight = Flag & vDSP_HANN_NORM ? std::sqrt(2.0 / 3.0) : 0.5; \
    makeWindow<T>(C, N, Flag, [=](double angle) { return weight * (1 - std::cos(angle)); }); \
  } \
  void vDSP_hamm_window##D(T *C, vDSP_Length N, int Flag) { \
    makeWindow<T>(C, N, Flag, [](double angle) { return 0.54 - 0.46 * std::cos(angle); }); \
  } \
  void vDSP_blkman_window##D(T *C, vDSP_Length N, int Flag) { \
    makeWindow<T>(C, N, Flag, [](double angle) { \
      return 0.42 - 0.5 * std::cos(angle) + 0.08 * std::cos(2 * angle); \
    }); \
  }

DEFINE(float, )
DEFINE(double, D)
}
