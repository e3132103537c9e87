#define _GNU_SOURCE
#include "os/lock.h"
#include "os/log.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

// The word is the number of the thread that owns the lock, or 0. The kernel requires this for priority inheritance. The
// kernel sets the highest bit (FUTEX_WAITERS) while threads wait.

static _Thread_local uint32_t own_thread;

/// The child of a fork has one thread, with a new number.
static void forget_thread(void) { own_thread = 0; }

static void watch_forks(void) { pthread_atfork(NULL, NULL, forget_thread); }

static uint32_t current_thread(void) {
  if (own_thread == 0) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    own_thread = (uint32_t)gettid();
  }
  return own_thread;
}

int32_t atelier_os_thread_number(void) { return (int32_t)current_thread(); }

static void fail(const char *sentence) {
  fprintf(stderr, "os_unfair_lock: %s\n", sentence);
  abort();
}

static uint32_t owner(const os_unfair_lock *lock) {
  return __atomic_load_n(&lock->_os_unfair_lock_opaque, __ATOMIC_RELAXED) & FUTEX_TID_MASK;
}

bool os_unfair_lock_trylock(os_unfair_lock_t lock) {
  uint32_t free = 0;
  return __atomic_compare_exchange_n(
      &lock->_os_unfair_lock_opaque, &free, current_thread(), false, __ATOMIC_ACQUIRE,
      __ATOMIC_RELAXED);
}

void os_unfair_lock_lock(os_unfair_lock_t lock) {
  if (os_unfair_lock_trylock(lock)) return;
  while (syscall(SYS_futex, &lock->_os_unfair_lock_opaque, FUTEX_LOCK_PI_PRIVATE, 0, NULL) != 0) {
    if (errno == EINTR || errno == EAGAIN) continue;
    fail(errno == EDEADLK ? "a thread locked a lock that it holds already. Unlock it first."
                          : "the kernel refused to lock. The memory may not be a lock.");
  }
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

void os_unfair_lock_unlock(os_unfair_lock_t lock) {
  uint32_t thread = current_thread();
  if (owner(lock) != thread) fail("a thread unlocked a lock that it does not hold.");
  if (__atomic_compare_exchange_n(
          &lock->_os_unfair_lock_opaque, &thread, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    return;
  __atomic_thread_fence(__ATOMIC_RELEASE);
  if (syscall(SYS_futex, &lock->_os_unfair_lock_opaque, FUTEX_UNLOCK_PI_PRIVATE, 0) != 0)
    fail("the kernel refused to unlock. The memory may not be a lock.");
}

void os_unfair_lock_assert_owner(const os_unfair_lock *lock) {
  if (owner(lock) != current_thread()) fail("this thread does not hold the lock, expected that it does.");
}

void os_unfair_lock_assert_not_owner(const os_unfair_lock *lock) {
  if (owner(lock) == current_thread()) fail("this thread holds the lock, expected that it does not.");
}
