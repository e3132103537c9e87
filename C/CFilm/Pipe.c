#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>

#include "CFilm.h"

int cf_pipe(int *ends) {
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  // With the default of 64 KiB, the system switches between the two programs after every few rows of a frame. The call
  // may fail: it only saves time.
  (void)fcntl(ends[0], F_SETPIPE_SZ, 1 << 20);
  return 0;
}
