// What a process that is forked does: its child has only the thread that forked.
//
// libgomp keeps the idle threads of each thread's last team and wakes them for the next one. In a child they do not
// exist, and the next team would wait for them for ever. So the thread that forks ends its idle team first
// (`omp_pause_resource_all`, OpenMP 5.0); parent and child make new teams when they compute again.
//
// Locks that other threads hold at that moment stay locked in the child. Where another thread was inside of a call,
// the child is told so (`ck_is_lost`), and every later call there answers with a sentence instead of waiting.
#include <pthread.h>

#include <atomic>

#include "Internal.hpp"

extern "C" {
int omp_pause_resource_all(int kind);
}

namespace {

/// `omp_pause_hard`.
constexpr int kPauseHard = 2;

std::atomic<int32_t> inside{0};
thread_local int32_t depth = 0;
std::atomic<bool> isLost{false};
/// Written by the thread that forks, read by the same thread in the child.
thread_local bool isUnsafe = false;

void prepare() {
  const bool isPaused = omp_pause_resource_all(kPauseHard) == 0;
  isUnsafe = !isPaused || inside.load(std::memory_order_acquire) > depth;
}

void beChild() {
  if (isUnsafe) isLost.store(true, std::memory_order_relaxed);
  inside.store(depth, std::memory_order_relaxed);
  ck::forgetContention();
}

/// Registered when the library is loaded, and forgotten by the system when it is closed.
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

bool ck_is_lost(void) { return isLost.load(std::memory_order_relaxed); }

}  // extern "C"
