// Keeps forked children working. A child has only the thread that forked.
//
// libgomp keeps the idle threads of each thread's last team and wakes them for the next team. In a child, the idle
// threads do not exist, so the child's next team would wait for them for ever. The thread that forks therefore ends its
// idle team before the fork (`omp_pause_resource_all`, OpenMP 5.0). Parent and child create new teams when they compute
// again.
//
// Locks that other threads hold during the fork stay locked in the child. If another thread was inside a call to this
// library (between `ck_enter` and `ck_leave`), the child records this (`ck_was_forked_unsafely`). Every later call in
// the child returns an error instead of waiting for a lock.
#include <pthread.h>

#include <atomic>

#include "common/Table.hpp"
#include "threads/OpenMP.hpp"

namespace {

/// The value of `omp_pause_hard`.
constexpr int kPauseHard = 2;

std::atomic<int32_t> inside{0};
thread_local int32_t depth = 0;
std::atomic<bool> isLost{false};
/// The thread that forks writes this variable, and the same thread reads it in the child.
thread_local bool isUnsafe = false;

void prepare() {
  const bool isPaused = omp_pause_resource_all(kPauseHard) == 0;
  isUnsafe = !isPaused || inside.load(std::memory_order_acquire) > depth;
}

void beChild() {
  if (isUnsafe) isLost.store(true, std::memory_order_relaxed);
  inside.store(depth, std::memory_order_relaxed);
  ck::resetContention();
}

/// The handlers are registered when the library is loaded. The system removes them when the library is closed.
const int registered = pthread_atfork(prepare, nullptr, beChild);

}  // namespace

extern "C" {

bool ck_enter(void) {
  if (isLost.load(std::memory_order_relaxed)) return false;
  ++depth;
  inside.fetch_add(1, std::memory_order_acq_rel);
  return true;
}

void ck_leave(void) {
  --depth;
  inside.fetch_sub(1, std::memory_order_acq_rel);
}

bool ck_was_forked_unsafely(void) { return isLost.load(std::memory_order_relaxed); }

}  // extern "C"
