#include "common/Table.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#define CK_LEVEL 3
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512dq,avx512bf16"))), apply_to = function)

#include <time.h>

namespace ck {

// MARK: The throughput of bfloat16

namespace {

int64_t nanoseconds() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

/// Measures how long `rounds` multiply-adds on each of twelve sums take. The sums are independent, and enough to fill
/// the pipelines.
template <typename Product>
int64_t timeOf(int rounds, const Product &product) {
  __m512 sums[12];
  for (auto &sum : sums) sum = _mm512_setzero_ps();
  const int64_t start = nanoseconds();
  for (int round = 0; round < rounds; ++round) {
    for (auto &sum : sums) {
      sum = product(sum);
      // Keeps the compiler from merging rounds.
      __asm__ volatile("" : "+v"(sum));
    }
  }
  return nanoseconds() - start;
}

}  // namespace

double bfloat16Rate() {
  const __m512 floats = _mm512_set1_ps(0.5f);
  const __m512bh pairs = _mm512_cvtne2ps_pbh(floats, floats);
  int64_t single = INT64_MAX, half = INT64_MAX;
  // Takes the minimum of several measurements, because other processes use the machine, too.
  for (int repeat = 0; repeat < 7; ++repeat) {
    const int64_t s = timeOf(1000, [=](__m512 sum) { return _mm512_fmadd_ps(floats, floats, sum); });
    const int64_t h = timeOf(1000, [=](__m512 sum) { return _mm512_dpbf16_ps(sum, pairs, pairs); });
    if (s < single) single = s;
    if (h < half) half = h;
  }
  // One bfloat16 instruction makes two multiply-adds for each lane, one float32 instruction makes one.
  return half > 0 ? 2.0 * static_cast<double>(single) / static_cast<double>(half) : 0;
}

namespace avx512BF16 {

#include "common/Kernels.inl.hpp"

}  // namespace avx512BF16

const Table avx512BF16Table = avx512BF16::makeTable("avx512_bf16", 4, {18, 12, 8, 6});

}  // namespace ck

#pragma clang attribute pop
#else
namespace ck {
const Table avx512BF16Table = plainTable;
double bfloat16Rate() { return 0; }
}  // namespace ck
#endif
