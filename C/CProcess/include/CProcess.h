// What Swift cannot say to the C library: a helper process that is talked to through a socket, and how the
// memory of this one is kept.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Starts a program whose standard input is one end of a stream of both directions. It inherits no other
/// file but standard error, and no signal of a terminal reaches it.
///
/// - Returns: this side's end of the stream; -1 where it could not be started, with `errno`.
int cp_start(const char *program, const char *argument, pid_t *identifier);

/// In a helper: a fault ends it at once, without a core file; it is the first to go where memory ends, and has its standard input
/// for the stream alone.
void cp_be_helper(void);

/// Large blocks of memory are given back as soon as they are free, and threads share a few pools of small
/// ones instead of growing one each. To be called before threads are made.
void cp_bound_memory(void);

/// Gives back what is free.
void cp_trim_memory(void);

#ifdef __cplusplus
}
#endif
