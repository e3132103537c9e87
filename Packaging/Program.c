// Makes libatelier.so an executable program, too. This file names the loader with which the kernel starts the program,
// and defines `main`. So one file serves C, Python and the command line.

#include <stdio.h>

const char interpreter[] __attribute__((section(".interp"), used, retain)) = "/lib64/ld-linux-x86-64.so.2";

/// Replaces `stderr` in libjpeg and libpng, whose archives are compiled for programs (Scripts/link_program.sh).
__attribute__((visibility("hidden"))) FILE *packaged_stderr;

__attribute__((constructor)) static void setStandardError(void) { packaged_stderr = stderr; }

// The main function of the program. SwiftPM renames `main` of an executable target to TARGET_main.
int atelier_main(int count, char **words);

__attribute__((visibility("hidden"))) int main(int count, char **words) {
  return atelier_main(count, words);
}
