#pragma once

#include <cstdint>

#include "ck_threads.h"

namespace ck {

/// Makes waiting threads sleep early while the machine is busy (see ThreadWaiting.cpp).
void watchContention();

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
