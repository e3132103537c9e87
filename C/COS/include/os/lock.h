// Apple's os_unfair_lock over Linux's futex.

#ifndef OS_LOCK_H
#define OS_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A lock that puts waiting threads to sleep. All bits zero mean unlocked. While threads wait, the kernel raises the
/// owner to their priority. The lock must stay at its address while a thread holds it or waits for it.
typedef struct os_unfair_lock_s {
  uint32_t _os_unfair_lock_opaque;
} os_unfair_lock, *os_unfair_lock_t;

/// An unlocked lock.
#define OS_UNFAIR_LOCK_INIT ((os_unfair_lock){0})

/// Acquires the lock. Ends the process if this thread holds the lock already.
void os_unfair_lock_lock(os_unfair_lock_t lock);

/// Acquires the lock if it is free. Returns whether it was free.
bool os_unfair_lock_trylock(os_unfair_lock_t lock);

/// Releases the lock. Ends the process if this thread does not hold the lock.
void os_unfair_lock_unlock(os_unfair_lock_t lock);

/// Ends the process if this thread does not hold the lock.
void os_unfair_lock_assert_owner(const os_unfair_lock *lock);

/// Ends the process if this thread holds the lock.
void os_unfair_lock_assert_not_owner(const os_unfair_lock *lock);

#ifdef __cplusplus
}
#endif

#endif
