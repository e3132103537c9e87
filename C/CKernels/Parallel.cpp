#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "Internal.hpp"

// libgomp's entry points: the pool that oneDNN uses, without an OpenMP compiler.
extern "C" {
void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags);
int omp_get_thread_num(void);
int omp_get_max_threads(void);
int omp_in_parallel(void);
}

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace ck {

namespace {

struct Job {
  void (*body)(void *, int64_t, int);
  void *context;
  int64_t parts;
  std::atomic<int64_t> next;
};

void work(void *data) {
  Job &job = *static_cast<Job *>(data);
  const int thread = omp_get_thread_num();
  for (;;) {
    const int64_t part = job.next.fetch_add(1, std::memory_order_relaxed);
    if (part >= job.parts) return;
    job.body(job.context, part, thread);
  }
}

}  // namespace

void parallel(
    void (*body)(void *, int64_t, int), void *context, int64_t parts, int mostThreads) {
  if (parts <= 1) {
    if (parts == 1) body(context, 0, 0);
    return;
  }
  int threads = omp_in_parallel() ? 1 : omp_get_max_threads();
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
  // It does not see how libgomp's threads wait for each other (Scripts/sanitize.sh).
  threads = 1;
#endif
#endif
  if (mostThreads > 0 && threads > mostThreads) threads = mostThreads;
  if (parts < threads) threads = static_cast<int>(parts);
  if (threads <= 1) {
    for (int64_t part = 0; part < parts; ++part) body(context, part, 0);
    return;
  }
  watchContention();
  Job job{body, context, parts, {0}};
  GOMP_parallel(work, &job, static_cast<unsigned>(threads), 0);
}

static thread_local int32_t mostInstructions = 3;

/// The level up to which `ATELIER_MAX_ISA` lets the process go; all where it names none.
[[maybe_unused]] static int32_t allowedInstructions() {
  const char *name = std::getenv("ATELIER_MAX_ISA");
  if (!name) return 3;
  const char *const names[] = {"plain", "avx2", "avx512"};
  for (int32_t level = 0; level < 3; ++level)
    if (!std::strcmp(name, names[level])) return level;
  return 3;
}

static int32_t detected() {
#if defined(__x86_64__)
  static const int32_t level = [] {
    __builtin_cpu_init();
    const int32_t most = allowedInstructions();
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
    default: return avx512BrainTable;
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

int32_t ck_instructions(void) {
  const int32_t most = ck::mostInstructions;
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
      // Version numbers of family, model and stepping, as one name may stand for several.
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

void ck_limit_instructions(int32_t most) { ck::mostInstructions = most < 0 ? 0 : most; }

}  // extern "C"
