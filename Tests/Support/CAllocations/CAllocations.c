#include "CAllocations.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_int counting;
static atomic_llong calls, large_calls, bytes;

static void count(size_t size) {
  if (!atomic_load_explicit(&counting, memory_order_relaxed)) return;
  atomic_fetch_add(&calls, 1);
  atomic_fetch_add(&bytes, (long long)size);
  if (size >= 4096) atomic_fetch_add(&large_calls, 1);
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

void allocations_begin(void) {
  atomic_store(&calls, 0);
  atomic_store(&large_calls, 0);
  atomic_store(&bytes, 0);
  atomic_store(&counting, 1);
}

allocation_counts allocations_end(void) {
  atomic_store(&counting, 0);
  allocation_counts result = {atomic_load(&calls), atomic_load(&large_calls), atomic_load(&bytes)};
  return result;
}
