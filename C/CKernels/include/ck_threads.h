#ifndef ATELIER_CK_THREADS_H
#define ATELIER_CK_THREADS_H

/// Threads, the processor's instruction sets, and its caches.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// MARK: Threads

/// Calls `body(context, part)` for every part in 0 ..< parts on oneDNN's thread pool (libgomp), in any
/// order, and returns when all parts are done. Uses as many threads as `adnn_set_threads` gave the calling
/// thread.
void ck_parallel(void (*body)(void *context, int64_t part), void *context, int64_t parts);

/// Checks, at most every 30 ms, whether threads of this machine wait for a processor. While some do, the threads of the
/// pool sleep after microseconds of waiting instead of spinning for milliseconds. After a pause, also wakes the team of the
/// calling thread, and gives its threads processors of their own. `ck_parallel` calls this function. Call it before other
/// parallel work of libgomp, after `adnn_set_threads`. Does not check if OMP_WAIT_POLICY or GOMP_SPINCOUNT is set in
/// the environment.
void ck_watch_contention(void);

/// With `limits` 1, waiting threads spin for microseconds only, whatever the load of the machine. With 0,
/// `ck_watch_contention` decides again. The function is for tests, and for programs that know whether the machine is
/// busy.
void ck_limit_spinning(int32_t limits);

/// Returns 1 if waiting threads currently spin for microseconds only.
int32_t ck_limits_spinning(void);

/// Returns the total processor time that a team of `threads` threads has used, in nanoseconds. The clock of the
/// process is no substitute, because it counts running threads only up to the system's last tick.
uint64_t ck_team_cpu_time(int32_t threads);

// MARK: Forked processes

/// Begins a call into this library that may hold locks. `ck_leave` ends the call on the same thread. Calls may be
/// nested.
///
/// - Returns: true if the call has begun. False in a child process that was forked while another thread was inside such
///   a call, because nobody in the child releases that thread's locks.
bool ck_enter(void);

/// Ends a call that `ck_enter` has begun.
void ck_leave(void);

/// Returns true if this process is a child that was forked while another thread was inside a call (see `ck_enter`).
bool ck_was_forked_unsafely(void);

// MARK: Instruction sets

/// Returns the instruction set in use: 0 plain, 1 AVX2, 2 AVX-512, 3 AVX-512 with BF16. The environment variable
/// ATELIER_MAX_ISA (`plain`, `avx2`, `avx512` or `avx512_bf16`) limits the instruction set for the process.
/// `ck_limit_instructions` limits it for the calling thread, for tests.
int32_t ck_instructions(void);
/// Returns the level that ATELIER_MAX_ISA names, whatever the processor has. Returns 4, which includes matrix tiles, if
/// the variable names no level.
int32_t ck_allowed_instructions(void);
void ck_limit_instructions(int32_t most);

/// Returns the processor's name and version, printable, on one line.
const char *ck_processor_name(void);

/// Returns the throughput of bfloat16 multiply-adds divided by that of float32 multiply-adds: 2 on AMD's cores, 1 on
/// Intel's. Returns 0 without AVX512-BF16. The first call measures the throughput, which takes 0.1 ms.
double ck_bfloat16_rate(void);

// MARK: Caches

/// Evicts memory from all caches, so that a timed kernel finds its operands in memory. Does nothing if the processor
/// has no instruction for this.
void ck_evict(const void *memory, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
