#include "CAllocations.h"

#include <errno.h>
#include <stddef.h>

// A sanitizer replaces the allocator by its own, which this file must not override. So nothing is counted under a
// sanitizer.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define COUNTS 0
#else
#define COUNTS 1
#endif

#if COUNTS
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

#endif

static _Thread_local int counting;
static _Thread_local allocation_counts counts;

#if COUNTS
static void count(size_t size) {
  if (!counting) return;
  counts.calls += 1;
  counts.bytes += (int64_t)size;
  if (size >= 4096) counts.large_calls += 1;
}

void *malloc(size_t size) {
  count(size);
  return __libc_malloc(size);
}

void *calloc(size_t items, size_t size) {
  count(items * size);
  return __libc_calloc(items, size);
}

void *realloc(void *memory, size_t size) {
  count(size);
  return __libc_realloc(memory, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  count(size);
  void *memory = __libc_memalign(alignment, size);
  if (!memory) return ENOMEM;
  *result = memory;
  return 0;
}

void *aligned_alloc(size_t alignment, size_t size) {
  count(size);
  return __libc_memalign(alignment, size);
}

#endif

int32_t allocations_are_counted(void) { return COUNTS; }

void allocations_begin(void) {
  counts = (allocation_counts){0, 0, 0};
  counting = 1;
}

allocation_counts allocations_end(void) {
  counting = 0;
  return counts;
}
