// Calls of the C library that Swift cannot make. Some start a helper process with a socket to it. Others change the
// memory settings of this process.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Starts a program whose standard input is one end of a stream socket. The program's standard output is discarded. The
/// program inherits only standard error from this process. The program runs in its own process group, so signals of the
/// terminal do not reach the program.
///
/// - Returns: The other end of the socket, or -1 with `errno` if the program could not be started.
int cp_start(const char *program, const char *argument, pid_t *identifier);

/// Makes a pipe for a child process that passes frames: `ends[0]` to read, `ends[1]` to write. Programs that are started
/// later do not inherit them. The pipe holds a MiB, if the system allows it.
///
/// - Returns: 0, or -1 with `errno`.
int cp_pipe(int *ends);

/// Makes this process a helper. Call this function in a program that cp_start started. A fault then ends the process
/// immediately, without a core file. If the system runs out of memory, it ends this process before other processes.
void cp_be_helper(void);

/// Makes the allocator return large blocks to the system as soon as they are freed, and makes all threads share two
/// arenas of small blocks. Call this function before the program creates threads.
void cp_bound_memory(void);

/// Makes the allocator return free memory to the system.
void cp_trim_memory(void);

#ifdef __cplusplus
}
#endif
