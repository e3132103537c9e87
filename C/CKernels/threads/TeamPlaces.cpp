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

extern "C" {
void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags);
int omp_get_max_threads(void);
int omp_get_num_threads(void);
int omp_get_thread_num(void);
int omp_in_parallel(void);
}

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

/// Moves the calling thread to a processor that no other thread of the team has taken, if it is allowed to run on one.
void move(Meeting &meeting) {
  cpu_set_t allowed, others;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  CPU_ZERO(&others);
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    const uint64_t word = meeting.taken[processor / 64].load(std::memory_order_relaxed);
    if (CPU_ISSET(processor, &allowed) && (word >> processor % 64 & 1) == 0) CPU_SET(processor, &others);
  }
  if (CPU_COUNT(&others) == 0 || sched_setaffinity(0, sizeof others, &others) != 0) return;
  const int processor = sched_getcpu();
  if (processor >= 0 && processor < CPU_SETSIZE) meeting.take(processor);
  sched_setaffinity(0, sizeof allowed, &allowed);
}

void meet(void *data) {
  Meeting &meeting = *static_cast<Meeting *>(data);
  // The calling thread has taken its processor before.
  if (omp_get_thread_num() > 0) {
    const int processor = sched_getcpu();
    if (processor >= 0 && processor < CPU_SETSIZE && !meeting.take(processor)) move(meeting);
  }
  meeting.present.fetch_add(1, std::memory_order_relaxed);
  // Lets the others run, which may be waiting for this thread's processor.
  const int threads = omp_get_num_threads();
  while (meeting.present.load(std::memory_order_relaxed) < threads) sched_yield();
}

}  // namespace

namespace ck {

void spreadTeam() {
  const int64_t time = nanoseconds(CLOCK_MONOTONIC_COARSE);
  if (time - lastWork <= kPause || ck_limits_spinning() != 0 || omp_in_parallel()) return;
  lastWork = time;
  const int threads = watchedThreads(omp_get_max_threads());
  const int processor = sched_getcpu();
  if (threads < 2 || processor < 0 || processor >= CPU_SETSIZE) return;
  Meeting meeting;
  meeting.take(processor);
  GOMP_parallel(meet, &meeting, static_cast<unsigned>(threads), 0);
}

void endWork() { lastWork = nanoseconds(CLOCK_MONOTONIC_COARSE); }

}  // namespace ck
