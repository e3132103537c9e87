// How long threads of the team wait awake for each other.
//
// libgomp's threads spin for milliseconds before they sleep. On an idle machine that is right: the next
// layer comes within microseconds. Where others wait for a processor, a thread that spins takes the time
// of the one that it waits for, and a small picture takes ten times as long. libgomp spins for
// microseconds only while a process has more OpenMP threads than processors (libgomp, config/linux/wait.h:
// gomp_managed_threads > gomp_available_cpus). So while the machine is busy, a team of its own, asleep,
// makes it so; nobody's settings change. A user's OMP_WAIT_POLICY or GOMP_SPINCOUNT is left to decide.
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "Internal.hpp"

extern "C" {
void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags);
int omp_get_num_procs(void);
}

namespace {

// MARK: The team that sleeps

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t change = PTHREAD_COND_INITIALIZER;
/// Under the lock: whether the team should be there, and whether its thread runs.
bool isWanted = false;
bool isThere = false;
std::atomic<bool> isBrief{false};

void nothing(void *) {}

/// Opens a team that is one larger than the processors and keeps it asleep while it is wanted; it goes
/// with its thread.
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
    // Without the thread everything stays right, only slower.
    isThere = pthread_create(&thread, &attributes, keepTeam, nullptr) == 0;
    pthread_attr_destroy(&attributes);
  }
  pthread_cond_broadcast(&change);
  pthread_mutex_unlock(&lock);
  isBrief.store(brief, std::memory_order_relaxed);
}

// MARK: Whether the machine is busy

constexpr int64_t kBetweenLooks = 30'000'000;  // nanoseconds
/// So many looks in a row that find the machine idle end brief waiting.
constexpr int kIdleLooks = 10;
/// Threads that were made to leave a processor, per second, above which others want it.
constexpr double kSwitches = 50;

int64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

/// The threads that run or wait for a processor, on the whole machine; 0 where the system does not say.
long runnableThreads() {
  static const int file = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
  char text[128];
  const ssize_t count = file < 0 ? -1 : pread(file, text, sizeof text - 1, 0);
  if (count <= 0) return 0;
  text[count] = 0;
  // "0.20 0.18 0.12 3/512 11206": the fourth word.
  const char *word = text;
  for (int skipped = 0; skipped < 3; ++skipped) {
    word = strchr(word, ' ');
    if (word == nullptr) return 0;
    ++word;
  }
  return strtol(word, nullptr, 10);
}

struct Watch {
  int64_t lastLook = 0;
  long lastSwitches = 0;
  int idleLooks = 0;
  bool hasLooked = false;

  bool isMachineBusy(int64_t time) {
    static const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const long switches = usage.ru_nivcsw - lastSwitches;
    const double seconds = static_cast<double>(time - lastLook) * 1e-9;
    const bool wasPushed = hasLooked && switches >= 2 && switches >= kSwitches * seconds;
    lastLook = time;
    lastSwitches = usage.ru_nivcsw;
    hasLooked = true;
    return wasPushed || runnableThreads() > processors;
  }

  void look(int64_t time) {
    if (isMachineBusy(time)) {
      idleLooks = 0;
      if (!isBrief.load(std::memory_order_relaxed)) setBrief(true);
    } else if (isBrief.load(std::memory_order_relaxed) && ++idleLooks >= kIdleLooks) {
      setBrief(false);
    }
  }
};

/// What the user or a test has decided; 0 where the machine does.
std::atomic<int32_t> decided{[] {
  return getenv("OMP_WAIT_POLICY") != nullptr || getenv("GOMP_SPINCOUNT") != nullptr ? -1 : 0;
}()};
std::atomic<int64_t> nextLook{0};
Watch watch;  // touched by who has moved nextLook

}  // namespace

namespace ck {

void watchContention() {
  if (decided.load(std::memory_order_relaxed) != 0) return;
  const int64_t time = now();
  int64_t next = nextLook.load(std::memory_order_relaxed);
  if (time < next) return;
  // Far in the future until this look is over, so that no second thread looks meanwhile.
  if (!nextLook.compare_exchange_strong(next, INT64_MAX, std::memory_order_acquire)) return;
  watch.look(time);
  nextLook.store(time + kBetweenLooks, std::memory_order_release);
}

}  // namespace ck

extern "C" {

void ck_watch_contention(void) { ck::watchContention(); }

void ck_wait_briefly(int32_t brief) {
  decided.store(brief == 0 ? 0 : 1, std::memory_order_relaxed);
  setBrief(brief != 0);
}

int32_t ck_waits_briefly(void) { return isBrief.load(std::memory_order_relaxed) ? 1 : 0; }

}  // extern "C"
