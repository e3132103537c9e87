#ifndef ATELIER_CPOINTWISE_PARALLEL_HPP
#define ATELIER_CPOINTWISE_PARALLEL_HPP

#include <cstdint>

// libgomp's pool is oneDNN's as well; it is called without an OpenMP compiler.
extern "C" {
void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags);
int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_in_parallel(void);
}

// The loader chooses before ThreadSanitizer is ready, so that there is one version under it.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CPW_ONE_VERSION
#endif
#endif
// Loops are compiled for each of these; the loader takes the best that the processor runs.
#if defined(__x86_64__) && defined(__clang__) && defined(__linux__) && !defined(CPW_ONE_VERSION)
#define CPW_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CPW_CLONES
#endif
#define CPW_INLINE static inline __attribute__((always_inline))

// Distinct pointers either name the same elements or do not overlap.
#if defined(__clang__)
#define CPW_VECTORIZE _Pragma("clang loop vectorize(assume_safety)")
#else
#define CPW_VECTORIZE _Pragma("GCC ivdep")
#endif

namespace atelier {

// Calls body(first, end) on the team with consecutive ranges of units; on this thread alone where
// the whole is small (below about 20 µs of work).
template <typename Body>
void parallelRanges(int64_t units, int64_t elements, const Body &body) {
  if (units <= 0) return;
#if defined(CPW_ONE_VERSION)
  // ThreadSanitizer does not see how libgomp's threads wait for each other (Scripts/sanitize.sh).
  body(int64_t(0), units);
  return;
#endif
  if (elements < 32768 || units == 1 || omp_get_max_threads() == 1 || omp_in_parallel()) {
    body(int64_t(0), units);
    return;
  }
  struct Job {
    const Body *body;
    int64_t units;
  } job{&body, units};
  GOMP_parallel(
      [](void *data) {
        const Job *job = static_cast<const Job *>(data);
        const int64_t count = omp_get_num_threads();
        const int64_t index = omp_get_thread_num();
        const int64_t first = job->units * index / count;
        const int64_t end = job->units * (index + 1) / count;
        if (first < end) (*job->body)(first, end);
      },
      &job, 0, 0);
}

// Runs `body` and answers 0, or 1 where it threw: no exception may leave for callers that are not C++.
// What runs on the team's other threads (`parallelRanges`) allocates nothing and throws nothing.
template <typename Body>
int32_t guarded(const Body &body) noexcept {
  try {
    body();
    return 0;
  } catch (...) {
    return 1;
  }
}

}  // namespace atelier

#endif
