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
/// So long after a pause the first look is put off: others' threads that have just ended their work still spin.
constexpr int64_t kAfterPause = 5'000'000;
/// So many looks in a row that find the machine busy begin brief waiting: on an idle machine one in thirty
/// meets a thread that is soon gone.
constexpr int kBusyLooks = 2;
/// So many looks in a row that find the machine idle end it.
constexpr int kIdleLooks = 10;
/// The share of a thread's time, waiting for a processor, above which others want it.
constexpr double kDelay = 0.1;

int64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

/// Reads a small file of the system; false where it cannot be read.
bool readFile(const char *path, char (&text)[128]) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0) return false;
  text[count] = 0;
  return true;
}

/// What the whole machine does: the threads that run or wait for a processor, now and on the average of a
/// minute.
struct Load {
  long now = 0;
  double minute = 0;

  Load() {
    char text[128];
    if (!readFile("/proc/loadavg", text)) return;
    // "0.20 0.18 0.12 3/512 11206": the first and the fourth word.
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

/// The share of this thread's time since it last asked that it has waited for a processor: what the load
/// of the machine does not tell where only some of the processors may be used. 0 at first, and where the
/// system does not say.
double delay(int64_t time) {
  static thread_local int64_t lastTime = 0, lastDelay = 0;
  char text[128];
  if (!readFile("/proc/thread-self/schedstat", text)) return 0;
  // Nanoseconds on a processor, nanoseconds of waiting for one, number of slices.
  const char *second = strchr(text, ' ');
  if (second == nullptr) return 0;
  const int64_t delayed = strtoll(second, nullptr, 10);
  const int64_t elapsed = time - lastTime, waited = delayed - lastDelay;
  // Of long ago it says nothing.
  const bool isRecent = lastTime != 0 && elapsed > 0 && elapsed < 1'000'000'000;
  lastTime = time;
  lastDelay = delayed;
  return isRecent ? static_cast<double>(waited) / static_cast<double>(elapsed) : 0;
}

struct Watch {
  int busyLooks = 0;
  int idleLooks = 0;
  bool hasLooked = false;

  void look(int64_t time) {
    static const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const Load load;
    const double delayed = delay(time);
    const bool isBusy = load.now > processors || delayed > kDelay;
    // A process that has just begun believes the last minute.
    const bool wasBusy = !hasLooked && load.minute > static_cast<double>(processors);
    hasLooked = true;
    busyLooks = isBusy ? busyLooks + 1 : 0;
    idleLooks = isBusy ? 0 : idleLooks + 1;
    const bool isBriefNow = isBrief.load(std::memory_order_relaxed);
    if (!isBriefNow && (busyLooks >= kBusyLooks || (isBusy && wasBusy))) setBrief(true);
    if (isBriefNow && idleLooks >= kIdleLooks) setBrief(false);
  }
};

/// What the user or a test has decided; 0 where the machine does.
std::atomic<int32_t> decided{[] {
  return getenv("OMP_WAIT_POLICY") != nullptr || getenv("GOMP_SPINCOUNT") != nullptr ? -1 : 0;
}()};
std::atomic<int64_t> nextLook{0};
// Touched by who has moved nextLook.
Watch watch;
bool isPutOff = false;

}  // namespace

namespace ck {

void watchContention() {
  if (decided.load(std::memory_order_relaxed) != 0) return;
  const int64_t time = now();
  int64_t next = nextLook.load(std::memory_order_relaxed);
  if (time < next) return;
  // Far in the future until this look is over, so that no second thread looks meanwhile.
  if (!nextLook.compare_exchange_strong(next, INT64_MAX, std::memory_order_acquire)) return;
  // Once: those who predict for a moment at a time are to be looked at, too.
  isPutOff = !isPutOff && next != 0 && time - next > kBetweenLooks;
  if (!isPutOff) watch.look(time);
  nextLook.store(time + (isPutOff ? kAfterPause : kBetweenLooks), std::memory_order_release);
}

void forgetContention() {
  // The team that sleeps has no thread in a child, and a look that another thread has begun does not end there.
  pthread_mutex_init(&lock, nullptr);
  pthread_cond_init(&change, nullptr);
  isWanted = isThere = isPutOff = false;
  isBrief.store(false, std::memory_order_relaxed);
  watch = Watch();
  nextLook.store(0, std::memory_order_relaxed);
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
