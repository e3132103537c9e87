#pragma once

#include <time.h>

#include <cstdint>

#include "ck_threads.h"

namespace ck {

/// Returns the time of a clock in nanoseconds.
inline int64_t nanoseconds(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

/// Prepares the calling thread's team for work. Makes waiting threads sleep early while the machine is busy
/// (ThreadWaiting.cpp).
void beginWork();

/// Reports how long a parallel region took, and how long of it the calling thread waited for the others, in nanoseconds.
void endWork(int64_t nanoseconds, int64_t waiting);

/// Returns the number of threads of a team that has been asked for `threads`.
int watchedThreads(int threads);

/// Wakes the calling thread's team after a pause, and moves threads that share a processor to processors of their own
/// (TeamPlaces.cpp).
void spreadTeam();

/// Remembers that the calling thread's team has just worked.
void leaveTeam();

/// Resets the state of ThreadWaiting.cpp in a forked child, in which no thread waits and no check is running.
void resetContention();

/// Does what `ck_parallel` does, and also passes the index of the thread to `body`.
void parallel(
    void (*body)(void *context, int64_t part, int thread), void *context, int64_t parts,
    int maxThreads);

template <typename Body>
void forParts(int64_t parts, Body body, int maxThreads = 0) {
  parallel(
      [](void *context, int64_t part, int thread) {
        (*static_cast<Body *>(context))(part, thread);
      },
      &body, parts, maxThreads);
}

}  // namespace ck
