// How long threads of the team spin while they wait for each other.
//
// libgomp's threads spin for milliseconds before they sleep. On an idle machine, spinning is right, because the next
// layer starts within microseconds. If other threads wait for a processor, a spinning thread may occupy the processor
// of the very thread for which it waits. A small image then takes ten times as long.
//
// libgomp spins for only microseconds while a process has more OpenMP threads than processors (libgomp,
// config/linux/wait.h: gomp_managed_threads > gomp_available_cpus). So while the machine is busy, this file keeps a
// sleeping team that makes this condition true. The file changes no settings. If the user has set OMP_WAIT_POLICY or
// GOMP_SPINCOUNT, that setting decides instead.
#include <fcntl.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "common/Table.hpp"
#include "threads/OpenMP.hpp"

namespace {

// MARK: The sleeping team

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t change = PTHREAD_COND_INITIALIZER;
/// Both variables are protected by `lock`. `isWanted`: whether the team should exist. `isThere`: whether the thread
/// that runs `keepTeam` exists.
bool isWanted = false;
bool isThere = false;
std::atomic<bool> isBrief{false};

void nothing(void *) {}

/// Creates a team with one thread more than the machine has processors, and keeps the team asleep while it is wanted.
/// The team ends with the thread that runs this function.
void *keepTeam(void *) {
  GOMP_parallel(nothing, nullptr, static_cast<unsigned>(omp_get_num_procs()) + 1, 0);
  pthread_mutex_lock(&lock);
  while (isWanted) pthread_cond_wait(&change, &lock);
  isThere = false;
  pthread_mutex_unlock(&lock);
  return nullptr;
}

void setBrief(bool brief) {
  pthread_mutex_lock(&lock);
  isWanted = brief;
  if (brief && !isThere) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    // If the thread cannot be created, threads keep spinning for long. The results are the same, but slower.
    isThere = pthread_create(&thread, &attributes, keepTeam, nullptr) == 0;
    pthread_attr_destroy(&attributes);
  }
  pthread_cond_broadcast(&change);
  pthread_mutex_unlock(&lock);
  isBrief.store(brief, std::memory_order_relaxed);
}

// MARK: Whether the machine is busy

constexpr int64_t kBetweenLooks = 30'000'000;  // nanoseconds
/// Spinning is limited after this number of consecutive checks that find the machine busy. One such check is not
/// enough: on an idle machine, one check in thirty finds a thread that ends soon.
constexpr int kBusyLooks = 2;
/// Spinning is allowed again after this number of consecutive checks that find the machine idle.
constexpr int kIdleLooks = 10;
/// Other threads that want a processor only harm a team whose threads wait for each other: for more than this share of the
/// time of parallel work, in waits longer than `kLongWait`.
constexpr double kWaiting = 0.25;
constexpr int64_t kLongWait = 300'000;
/// If the checking thread has waited for a processor for more than this share of the time since its last check, the
/// machine also counts as busy.
constexpr double kDelay = 0.1;
/// After a pause in computing, threads of other programs may still spin after their work, for this number of
/// nanoseconds. Waits during this time do not count, and the first check is `kBetweenLooks` after the pause.
constexpr int64_t kSettling = 16'000'000;
/// If a process always pauses before that, spinning is limited after this number of consecutive bursts of work that
/// waited for more than this share of their time.
constexpr int kBusyBursts = 8;
constexpr double kBurstWaiting = 0.4;
/// If spinning is limited and all bursts are short, no check tells whether the machine is still busy. So spinning is
/// allowed again after this number of bursts. The number doubles, up to the maximum, each time spinning is limited
/// again before a check has found the machine idle.
constexpr int kLimitedBursts = 32, kMostLimitedBursts = 1024;
/// At its first parallel work, a process limits spinning if this number of threads per processor have run in the last minute.
constexpr double kBusyMinute = 1.5;

/// Reads a small file of the system. Returns false if the file cannot be read.
bool readFile(const char *path, char (&text)[128]) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0) return false;
  text[count] = 0;
  return true;
}

/// The number of threads on the whole machine that run or wait for a processor, now and on average over a minute.
struct Load {
  long now = 0;
  double minute = 0;

  Load() {
    char text[128];
    if (!readFile("/proc/loadavg", text)) return;
    // The file contains "0.20 0.18 0.12 3/512 11206". Reads the first and the fourth word.
    minute = strtod(text, nullptr);
    const char *word = text;
    for (int skipped = 0; skipped < 3; ++skipped) {
      word = strchr(word, ' ');
      if (word == nullptr) return;
      ++word;
    }
    now = strtol(word, nullptr, 10);
  }
};

/// Returns the share of the time since this thread's last call during which the thread has waited for a processor. The
/// load of the machine does not show this waiting if the process may use only some of the processors. Returns 0 at the
/// first call, if the last call was 1 s ago or longer, and if the system does not report the waiting time.
double delay(int64_t time) {
  static thread_local int64_t lastTime = 0, lastDelay = 0;
  char text[128];
  if (!readFile("/proc/thread-self/schedstat", text)) return 0;
  // The file contains three numbers: the nanoseconds on a processor, the nanoseconds of waiting for a processor, and
  // the number of time slices.
  const char *second = strchr(text, ' ');
  if (second == nullptr) return 0;
  const int64_t delayed = strtoll(second, nullptr, 10);
  const int64_t elapsed = time - lastTime, waited = delayed - lastDelay;
  // A share over a long time says nothing about the present.
  const bool isRecent = lastTime != 0 && elapsed > 0 && elapsed < 1'000'000'000;
  lastTime = time;
  lastDelay = delayed;
  return isRecent ? static_cast<double>(waited) / static_cast<double>(elapsed) : 0;
}

/// The time of parallel work since the last check, and how much of it was spent in waits longer than `kLongWait`.
std::atomic<int64_t> worked{0}, waited{0};

/// Returns the share of waits in the parallel work since the last call. Negative if there was none of our own.
double takeWaiting() {
  const int64_t all = worked.exchange(0, std::memory_order_relaxed);
  const int64_t part = waited.exchange(0, std::memory_order_relaxed);
  return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : -1;
}

bool isCrowded(const Load &load) {
  static const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  return load.now > processors;
}

struct Watch {
  int busyLooks = 0, idleLooks = 0, busyBursts = 0;
  int limitedBursts = 0, nextTrial = kLimitedBursts;

  /// Checks the load of the machine at the first parallel work of the process.
  void begin() {
    const Load load;
    const auto most = kBusyMinute * static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
    if (isCrowded(load) && load.minute > most) setBrief(true);
  }

  /// Checks after a pause in computing.
  void resume() {
    const bool hasWaited = takeWaiting() > kBurstWaiting;
    if (isBrief.load(std::memory_order_relaxed)) {
      if (!isCrowded(Load())) ++idleLooks;
      if (++limitedBursts >= nextTrial) {
        nextTrial = std::min(2 * nextTrial, kMostLimitedBursts);
        change(false);
      }
    } else {
      busyBursts = hasWaited && isCrowded(Load()) ? busyBursts + 1 : 0;
    }
    decide(busyBursts >= kBusyBursts);
  }

  /// Forgets the waits right after a pause.
  void settle() { takeWaiting(); }

  /// Checks while the process computes.
  void look(int64_t time) {
    const double waiting = takeWaiting();
    // Threads that sleep are woken late, so waits say nothing then; nor do they if only oneDNN computes.
    const bool saysNothing = waiting < 0 || isBrief.load(std::memory_order_relaxed);
    const double delayed = delay(time);
    const bool isBusy =
        delayed > kDelay || ((saysNothing || waiting > kWaiting) && isCrowded(Load()));
    busyLooks = isBusy ? busyLooks + 1 : 0;
    idleLooks = isBusy ? 0 : idleLooks + 1;
    decide(busyLooks >= kBusyLooks);
  }

private:
  void decide(bool isBusy) {
    const bool isBriefNow = isBrief.load(std::memory_order_relaxed);
    if (isBriefNow ? idleLooks < kIdleLooks : !isBusy) return;
    if (isBriefNow) nextTrial = kLimitedBursts;
    change(!isBriefNow);
  }

  void change(bool brief) {
    busyLooks = idleLooks = busyBursts = limitedBursts = 0;
    setBrief(brief);
  }
};

/// Decides how long threads spin. −1: by the user's environment variables. 1: by the caller of `ck_limit_spinning`. 0:
/// by the load of the machine.
std::atomic<int32_t> decided{[] {
  return getenv("OMP_WAIT_POLICY") != nullptr || getenv("GOMP_SPINCOUNT") != nullptr ? -1 : 0;
}()};
std::atomic<int64_t> nextLook{0};
/// Whether the next check comes `kSettling` after a pause. Protected like `watch`.
bool isSettling = false;
// A thread accesses this variable only after it has changed nextLook. Only one thread at a time can change nextLook.
Watch watch;

}  // namespace

namespace ck {

void endWork(int64_t nanoseconds, int64_t waiting) {
  leaveTeam();
  worked.fetch_add(nanoseconds, std::memory_order_relaxed);
  if (waiting > kLongWait) waited.fetch_add(waiting, std::memory_order_relaxed);
}

void beginWork() {
  spreadTeam();
  if (decided.load(std::memory_order_relaxed) != 0) return;
  const int64_t time = nanoseconds(CLOCK_MONOTONIC_COARSE);
  int64_t next = nextLook.load(std::memory_order_relaxed);
  if (time < next) return;
  // Until this check ends, sets the next check far in the future, so that no second thread checks at the same time.
  if (!nextLook.compare_exchange_strong(next, INT64_MAX, std::memory_order_acquire)) return;
  int64_t wait = kBetweenLooks;
  const bool isAfterPause = time - next > kBetweenLooks, hasSettled = isSettling && !isAfterPause;
  isSettling = false;
  if (next == 0) {
    watch.begin();
  } else if (hasSettled) {
    watch.settle();
    wait -= kSettling;
  } else if (isAfterPause) {
    watch.resume();
    isSettling = true;
    wait = kSettling;
  } else {
    watch.look(time);
  }
  nextLook.store(time + wait, std::memory_order_release);
}

void resetContention() {
  // In a forked child, the thread of the sleeping team does not exist, and a check that another thread has begun never
  // ends.
  pthread_mutex_init(&lock, nullptr);
  pthread_cond_init(&change, nullptr);
  isWanted = isThere = false;
  isBrief.store(false, std::memory_order_relaxed);
  watch = Watch();
  isSettling = false;
  nextLook.store(0, std::memory_order_relaxed);
}

}  // namespace ck

extern "C" {

void ck_watch_contention(void) { ck::beginWork(); }

void ck_limit_spinning(int32_t brief) {
  decided.store(brief == 0 ? 0 : 1, std::memory_order_relaxed);
  setBrief(brief != 0);
}

int32_t ck_limits_spinning(void) { return isBrief.load(std::memory_order_relaxed) ? 1 : 0; }

}  // extern "C"
