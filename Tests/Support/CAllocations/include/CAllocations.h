#ifndef ATELIER_CALLOCATIONS_H
#define ATELIER_CALLOCATIONS_H

/// Counts the heap allocations of a thread, for tests that require code to make none.
///
/// This library has its own definitions of `malloc` and of the allocator's other functions that allocate memory. They
/// call the functions of glibc. If a test program links this library, every allocation in the process calls the
/// functions of this library.

#include <stdint.h>

typedef struct allocation_counts {
  /// Calls of malloc, calloc, realloc, posix_memalign and aligned_alloc.
  int64_t calls;
  /// Calls that asked for 4096 bytes or more.
  int64_t large_calls;
  /// The bytes that all calls asked for together.
  int64_t bytes;
} allocation_counts;

/// Whether anything is counted in this build. It is 0 under sanitizers, which have their own allocator.
int32_t allocations_are_counted(void);

/// Starts counting from zero. Counts only the calling thread, because other tests run concurrently on other threads.
void allocations_begin(void);

/// Stops counting and returns the counts.
allocation_counts allocations_end(void);

#endif
