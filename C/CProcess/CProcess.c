#define _GNU_SOURCE
#include "CProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

extern char **environ;

int cp_start(const char *program, const char *argument, pid_t *identifier) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return -1;
  char *const arguments[] = {(char *)program, (char *)argument, NULL};
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  sigset_t usual;
  int error = posix_spawn_file_actions_init(&files);
  if (error == 0) {
    error = posix_spawnattr_init(&how);
    if (error == 0) {
      sigemptyset(&usual);
      posix_spawnattr_setsigmask(&how, &usual);
      sigaddset(&usual, SIGINT);
      sigaddset(&usual, SIGTERM);
      sigaddset(&usual, SIGPIPE);
      posix_spawnattr_setsigdefault(&how, &usual);
      posix_spawnattr_setpgroup(&how, 0);
      error = posix_spawnattr_setflags(
          &how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
      if (error == 0) error = posix_spawn_file_actions_adddup2(&files, ends[1], 0);
      if (error == 0)
        error = posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
      if (error == 0) error = posix_spawn_file_actions_addclosefrom_np(&files, 3);
      if (error == 0) error = posix_spawn(identifier, program, &files, &how, arguments, environ);
      posix_spawnattr_destroy(&how);
    }
    posix_spawn_file_actions_destroy(&files);
  }
  close(ends[1]);
  if (error == 0) return ends[0];
  close(ends[0]);
  errno = error;
  return -1;
}

int cp_pipe(int *ends) {
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  // With the default of 64 KiB, the system switches between the two programs after every few rows of a frame. The call
  // may fail: it only saves time.
  (void)fcntl(ends[0], F_SETPIPE_SZ, 1 << 20);
  return 0;
}

void cp_be_helper(void) {
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  // Restores the default actions of these signals. On a fault, the Swift runtime would first inspect all threads, while
  // the parent process waits for an answer.
  const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
  for (unsigned i = 0; i < sizeof faults / sizeof *faults; i++) signal(faults[i], SIG_DFL);
  FILE *score = fopen("/proc/self/oom_score_adj", "w");
  if (score) {
    fputs("1000", score);
    fclose(score);
  }
}

void cp_bound_memory(void) {
  mallopt(M_ARENA_MAX, 2);
  mallopt(M_MMAP_THRESHOLD, 64 << 10);
  mallopt(M_TRIM_THRESHOLD, 4 << 20);
}

void cp_trim_memory(void) { malloc_trim(0); }
