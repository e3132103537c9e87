// Replaces libgomp: implements the seven of its functions that our kernels call. As in libgomp, each thread that
// computes has its own team of threads. So libatelier.so needs no package, and loads no second libgomp beside that of
// numpy or torch.

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "CKernels.h"

namespace {

/// How long an idle thread spins before it sleeps, in nanoseconds: while a processor is free, and while other threads
/// wait for one (C/CKernels/threads/ThreadWaiting.cpp). The next layer usually starts within microseconds.
constexpr int64_t kLongSpin = 3'000'000, kBriefSpin = 10'000;
/// The number of polls between two readings of the clock.
constexpr int kPolls = 64;

int64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

void sleepWhile(std::atomic<uint32_t> &word, uint32_t value) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void wakeAll(std::atomic<uint32_t> &word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT32_MAX, nullptr, nullptr, 0);
}

/// Waits until a word differs from a value, and returns the new value. `sleepers` counts the threads that sleep.
uint32_t awaitChange(std::atomic<uint32_t> &word, uint32_t value, std::atomic<uint32_t> &sleepers) {
  const int64_t end = now() + (ck_limits_spinning() ? kBriefSpin : kLongSpin);
  do {
    for (int poll = 0; poll < kPolls; ++poll) {
      const uint32_t found = word.load(std::memory_order_acquire);
      if (found != value) return found;
      pause();
    }
  } while (now() < end);
  sleepers.fetch_add(1);
  uint32_t found;
  while ((found = word.load()) == value) sleepWhile(word, value);
  sleepers.fetch_sub(1);
  return found;
}

struct Team;

struct Member {
  Team *team;
  int number;
  pthread_t thread;
};

/// The threads that compute together with the thread that owns the team.
struct Team {
  std::vector<std::unique_ptr<Member>> members;
  void (*body)(void *) = nullptr;
  void *data = nullptr;
  /// The number of threads in the current job, including the owner.
  int wanted = 0;
  bool ends = false;
  /// The number of jobs so far. When it changes, the members start.
  alignas(128) std::atomic<uint32_t> job{0};
  alignas(128) std::atomic<uint32_t> running{0};
  alignas(128) std::atomic<uint32_t> idle{0};
  std::atomic<uint32_t> awaiting{0};

  ~Team() { end(); }
  int grow(int threads);
  void start();
  void end();
};

thread_local int threadNumber = 0;
/// The number of threads in the current job of the calling thread's team.
thread_local int threadCount = 1;
thread_local bool isInParallel = false;
thread_local int chosenThreads = 0;
thread_local Team team;

void *help(void *pointer) {
  Member &self = *static_cast<Member *>(pointer);
  Team &team = *self.team;
  threadNumber = self.number;
  isInParallel = true;
  // A new member ignores the current job number and starts with the next job.
  uint32_t known = team.job.load(std::memory_order_acquire);
  team.running.fetch_sub(1);
  if (team.awaiting.load() > 0) wakeAll(team.running);
  for (;;) {
    known = awaitChange(team.job, known, team.idle);
    if (team.ends) return nullptr;
    threadCount = team.wanted;
    if (self.number < team.wanted) team.body(team.data);
    if (team.running.fetch_sub(1) == 1 && team.awaiting.load() > 0) wakeAll(team.running);
  }
}

/// Waits until no member is running.
void awaitMembers(Team &team) {
  uint32_t left = team.running.load(std::memory_order_acquire);
  while (left != 0) left = awaitChange(team.running, left, team.awaiting);
}

/// Adds members until the team has as many threads as given. Returns the number of threads that it has.
int Team::grow(int threads) {
  while (int(members.size()) + 1 < threads) {
    auto member = std::make_unique<Member>();
    member->team = this;
    member->number = int(members.size()) + 1;
    running.store(1);
    if (pthread_create(&member->thread, nullptr, help, member.get()) != 0) {
      running.store(0);
      break;
    }
    members.push_back(std::move(member));
    awaitMembers(*this);
  }
  return std::min(threads, int(members.size()) + 1);
}

void Team::start() {
  running.store(uint32_t(members.size()));
  job.fetch_add(1);
  if (idle.load() > 0) wakeAll(job);
}

void Team::end() {
  if (members.empty()) return;
  ends = true;
  job.fetch_add(1);
  wakeAll(job);
  for (auto &member : members) pthread_join(member->thread, nullptr);
  members.clear();
  ends = false;
}

int processors() {
  static const int count = [] {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                       : int(sysconf(_SC_NPROCESSORS_ONLN));
  }();
  return count < 1 ? 1 : count;
}

/// Returns the number in OMP_NUM_THREADS, or else the number of processors.
int defaultThreads() {
  static const int count = [] {
    const char *text = getenv("OMP_NUM_THREADS");
    const int named = text == nullptr ? 0 : atoi(text);
    return named > 0 ? named : processors();
  }();
  return count;
}

}  // namespace

#define HIDDEN __attribute__((visibility("hidden")))

extern "C" {

HIDDEN int omp_get_num_procs(void) { return processors(); }
HIDDEN int omp_get_thread_num(void) { return threadNumber; }
HIDDEN int omp_get_num_threads(void) { return threadCount; }
HIDDEN int omp_in_parallel(void) { return isInParallel; }
HIDDEN int omp_get_max_threads(void) {
  return chosenThreads > 0 ? chosenThreads : defaultThreads();
}
HIDDEN void omp_set_num_threads(int count) { chosenThreads = count; }

HIDDEN int omp_pause_resource_all(int) {
  if (isInParallel) return 1;
  team.end();
  return 0;
}

HIDDEN void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned) {
  const bool isNested = isInParallel;
  const int number = threadNumber, countBefore = threadCount;
  const int count = isNested ? 1 : team.grow(threads < 1 ? 1 : int(threads));
  if (count > 1) {
    team.body = body;
    team.data = data;
    team.wanted = count;
    team.start();
  }
  threadNumber = 0;
  threadCount = count;
  isInParallel = isNested || count > 1;
  body(data);
  isInParallel = isNested;
  threadNumber = number;
  threadCount = countBefore;
  if (count > 1) awaitMembers(team);
}

}  // extern "C"
