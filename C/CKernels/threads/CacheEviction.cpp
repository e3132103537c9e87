#include "common/Table.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

namespace {

bool canFlush() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 23 & 1);
}

__attribute__((target("clflushopt"))) void flush(const char *from, const char *end) {
  for (; from < end; from += 64) _mm_clflushopt(const_cast<char *>(from));
  _mm_sfence();
}

}  // namespace

extern "C" void ck_evict(const void *memory, size_t bytes) {
  static const bool can = canFlush();
  const char *from = static_cast<const char *>(memory);
  if (can) flush(from, from + bytes);
}
#else
extern "C" void ck_evict(const void *, size_t) {}
#endif
