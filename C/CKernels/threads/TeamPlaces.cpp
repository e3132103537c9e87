// On which processors the threads of a team run.
//
// A thread that has slept may be woken on the processor of the thread that wakes it, although others are idle: Linux does
// so where processors share no cache, as in many virtual machines. That thread then spins while it waits for the one it has
// woken, until the system moves one of them, several milliseconds later. A prediction that follows a pause takes three times
// as long so. Therefore a team meets after a pause, before it works, and those of its threads that share a processor move.
#include <sched.h>
#include <time.h>

#include <atomic>

#include "common/Table.hpp"
#include "threads/OpenMP.hpp"

namespace {

/// libgomp's threads spin at least as long before they sleep, in nanoseconds.
constexpr int64_t kPause = 4'000'000;

/// When the calling thread's team has last worked, in nanoseconds. 0 before its first work.
thread_local int64_t lastWork = 0;

struct Meeting {
  std::atomic<int> present{0};
  /// A bit for each processor on which a thread of the team runs.
  std::atomic<uint64_t> taken[CPU_SETSIZE / 64] = {};

  /// Takes a processor. Returns false if another thread runs on it.
  bool take(int processor) {
    const uint64_t bit = uint64_t(1) << processor % 64;
    return (taken[processor / 64].fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
  }
};

/// Runs the calling thread on one processor alone.
bool stay(int processor) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  return sched_setaffinity(0, sizeof one, &one) == 0;
}

/// Keeps the calling thread on its processor. If another thread of the team has taken that one, moves to an allowed
/// processor that none has taken.
void place(Meeting &meeting, const cpu_set_t &allowed) {
  const int first = sched_getcpu();
  if (first < 0 || first >= CPU_SETSIZE || !stay(first) || meeting.take(first)) return;
  for (int step = 1; step < CPU_SETSIZE; ++step) {
    const int processor = (first + step) % CPU_SETSIZE;
    if (CPU_ISSET(processor, &allowed) && meeting.take(processor)) {
      stay(processor);
      return;
    }
  }
}

void meet(void *data) {
  Meeting &meeting = *static_cast<Meeting *>(data);
  cpu_set_t allowed;
  const bool isKnown = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  if (isKnown) place(meeting, allowed);
  meeting.present.fetch_add(1, std::memory_order_relaxed);
  // Lets the others run, which may be waiting for this thread's processor.
  const int threads = omp_get_num_threads();
  while (meeting.present.load(std::memory_order_relaxed) < threads) sched_yield();
  // Until here, no thread could be moved to the processor of another.
  if (isKnown) sched_setaffinity(0, sizeof allowed, &allowed);
}

}  // namespace

namespace ck {

void spreadTeam() {
  const int64_t time = nanoseconds(CLOCK_MONOTONIC_COARSE);
  if (time - lastWork <= kPause || ck_limits_spinning() != 0 || omp_in_parallel()) return;
  lastWork = time;
  const int threads = watchedThreads(omp_get_max_threads());
  if (threads < 2) return;
  Meeting meeting;
  GOMP_parallel(meet, &meeting, static_cast<unsigned>(threads), 0);
}

void leaveTeam() { lastWork = nanoseconds(CLOCK_MONOTONIC_COARSE); }

}  // namespace ck
