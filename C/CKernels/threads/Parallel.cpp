#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "common/Table.hpp"
#include "threads/OpenMP.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace ck {

namespace {

/// kMaxThreads: the maximum number of threads of a team. kMaxParts: the maximum number of parts of one parallel region.
constexpr int kMaxThreads = 256;
constexpr int64_t kMaxParts = INT32_MAX;

/// The range of parts that no thread has begun. The upper half of the word is the first part, the lower half is the end
/// of the range.
struct alignas(128) Share {
  std::atomic<uint64_t> parts;

  void set(int64_t first, int64_t end) {
    parts.store(uint64_t(first) << 32 | uint64_t(end), std::memory_order_relaxed);
  }

  /// Takes a part. The share's own thread takes the first part, another thread takes the last part. Returns -1 if no
  /// part is left.
  int64_t take(bool isOwn) {
    uint64_t known = parts.load(std::memory_order_relaxed);
    for (;;) {
      const int64_t first = int64_t(known >> 32), end = int64_t(known & UINT32_MAX);
      if (first >= end) return -1;
      const uint64_t left = isOwn ? known + (uint64_t(1) << 32) : known - 1;
      if (parts.compare_exchange_weak(known, left, std::memory_order_relaxed))
        return isOwn ? first : end - 1;
    }
  }
};

/// A job whose parts are divided into one share for each thread. A thread gets the same share of the work in every
/// layer, so that the data of its share are in the caches of its core. Reading data from another core's caches may be
/// as slow as reading memory. A thread that has finished its share takes parts from the ends of the shares of other
/// threads.
struct Job {
  void (*body)(void *, int64_t, int);
  void *context;
  int64_t first;
  int threads;
  Share *shares;
  /// When the calling thread found no more parts.
  int64_t ended;
};

void work(void *data) {
  Job &job = *static_cast<Job *>(data);
  const int thread = omp_get_thread_num();
  for (int step = 0; step < job.threads; ++step) {
    Share &share = job.shares[(thread + step) % job.threads];
    for (int64_t part; (part = share.take(step == 0)) >= 0;)
      job.body(job.context, job.first + part, thread);
  }
  if (thread == 0) job.ended = nanoseconds(CLOCK_MONOTONIC);
}

}  // namespace

/// Returns 1 under ThreadSanitizer, which does not see how libgomp's threads wait for each other (Scripts/sanitize.sh).
/// Otherwise returns `threads`.
int watchedThreads(int threads) {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
  return 1;
#endif
#endif
  return threads;
}

void parallel(
    void (*body)(void *, int64_t, int), void *context, int64_t parts, int maxThreads) {
  if (parts <= 1) {
    if (parts == 1) body(context, 0, 0);
    return;
  }
  int threads = omp_in_parallel() ? 1 : omp_get_max_threads();
  threads = watchedThreads(threads);
  if (maxThreads > 0 && threads > maxThreads) threads = maxThreads;
  if (parts < threads) threads = static_cast<int>(parts);
  if (threads <= 1) {
    for (int64_t part = 0; part < parts; ++part) body(context, part, 0);
    return;
  }
  beginWork();
  threads = std::min(threads, kMaxThreads);
  Share shares[kMaxThreads];
  for (int64_t first = 0; first < parts; first += kMaxParts) {
    const int64_t count = std::min(parts - first, kMaxParts);
    for (int thread = 0; thread < threads; ++thread)
      shares[thread].set(thread * count / threads, (thread + 1) * count / threads);
    const int64_t began = nanoseconds(CLOCK_MONOTONIC);
    Job job{body, context, first, threads, shares, began};
    GOMP_parallel(work, &job, static_cast<unsigned>(threads), 0);
    const int64_t ended = nanoseconds(CLOCK_MONOTONIC);
    endWork(ended - began, ended - job.ended);
  }
}

static thread_local int32_t instructionLimit = 3;

static int32_t detected() {
#if defined(__x86_64__)
  static const int32_t level = [] {
    __builtin_cpu_init();
    const int32_t most = ck_allowed_instructions();
    if (most < 1 || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 0;
    if (most < 2 || !__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw")
        || !__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512dq"))
      return 1;
    return most >= 3 && __builtin_cpu_supports("avx512bf16") ? 3 : 2;
  }();
  return level;
#else
  return 0;
#endif
}

const Table &table() {
  switch (ck_instructions()) {
    case 0: return plainTable;
    case 1: return avx2Table;
    case 2: return avx512Table;
    default: return avx512BF16Table;
  }
}

float toFloat(Half value) {
  float result;
  plainTable.convertRun(&value, CK_F16, &result, CK_F32, 1);
  return result;
}

void fromFloat(float value, Half &to) { plainTable.convertRun(&value, CK_F32, &to, CK_F16, 1); }

}  // namespace ck

extern "C" {

void ck_parallel(void (*body)(void *, int64_t), void *context, int64_t parts) {
  ck::forParts(parts, [=](int64_t part, int) { body(context, part); });
}

uint64_t ck_team_cpu_time(int32_t threads) {
  std::atomic<uint64_t> sum{0};
  auto add = [](void *sum) {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    static_cast<std::atomic<uint64_t> *>(sum)->fetch_add(
        uint64_t(time.tv_sec) * 1'000'000'000 + uint64_t(time.tv_nsec), std::memory_order_relaxed);
  };
  GOMP_parallel(add, &sum, unsigned(ck::watchedThreads(std::max(threads, 1))), 0);
  return sum;
}

int32_t ck_allowed_instructions(void) {
  static const int32_t allowed = [] {
    const char *name = std::getenv("ATELIER_MAX_ISA");
    const char *const names[] = {"plain", "avx2", "avx512", "avx512_bf16"};
    for (int32_t level = 0; level < 4; ++level)
      if (name && !std::strcmp(name, names[level])) return level;
    return 4;
  }();
  return allowed;
}

int32_t ck_instructions(void) {
  const int32_t most = ck::instructionLimit;
  const int32_t has = ck::detected();
  return most < has ? most : has;
}

const char *ck_processor_name(void) {
#if defined(__x86_64__)
  static const struct Name {
    char text[64] = {};
    Name() {
      unsigned registers[12] = {};
      unsigned a = 0, b = 0, c = 0, d = 0;
      if (!__get_cpuid(0x80000000u, &a, &b, &c, &d) || a < 0x80000004u) return;
      for (unsigned part = 0; part < 3; ++part) {
        unsigned *words = registers + part * 4;
        __get_cpuid(0x80000002u + part, words, words + 1, words + 2, words + 3);
      }
      std::memcpy(text, registers, 48);
      // Adds the numbers of family, model and stepping, because several processors may have one name.
      __get_cpuid(1, &a, &b, &c, &d);
      char *end = text + std::strlen(text);
      std::snprintf(end, static_cast<size_t>(text + sizeof text - end), " %x", a);
      for (char *c = text; *c; ++c)
        if (*c < 32 || *c > 126) *c = ' ';
    }
  } name;
  return name.text;
#else
  return "unknown processor";
#endif
}

double ck_bfloat16_rate(void) {
  static const double rate = ck::detected() >= 3 ? ck::bfloat16Rate() : 0;
  return rate;
}

void ck_limit_instructions(int32_t most) { ck::instructionLimit = most < 0 ? 0 : most; }

}  // extern "C"
