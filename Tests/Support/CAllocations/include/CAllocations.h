#ifndef ATELIER_CALLOCATIONS_H
#define ATELIER_CALLOCATIONS_H

/// Counts what a thread takes from the heap, for tests that promise not to.
///
/// The allocator's entry points are defined again here and pass on to glibc's; linked into a test
/// program they stand in front of the library's for everything in the process.

#include <stdint.h>

typedef struct allocation_counts {
  /// Calls of malloc, calloc, realloc, posix_memalign and aligned_alloc.
  int64_t calls;
  /// Calls that asked for 4096 bytes or more.
  int64_t large_calls;
  /// The bytes that all calls asked for together.
  int64_t bytes;
} allocation_counts;

/// Whether anything is counted in this build: 0 under sanitizers, which bring their own allocator.
int32_t allocations_are_counted(void);

/// Starts counting from zero, on the calling thread alone: other tests run beside this one.
void allocations_begin(void);

/// Stops counting and gives what was counted.
allocation_counts allocations_end(void);

#endif
