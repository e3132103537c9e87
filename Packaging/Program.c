// Makes libatelier.so a program as well: the kernel starts it through the loader that this file names, and the C
// library's start code calls `main`. So one file serves C, Python and the command line.

#include <stdio.h>

const char interpreter[] __attribute__((section(".interp"), used, retain)) = "/lib64/ld-linux-x86-64.so.2";

/// `stderr` for libjpeg and libpng, whose archives are compiled for programs (Scripts/link_program.sh).
__attribute__((visibility("hidden"))) FILE *packaged_stderr;

__attribute__((constructor)) static void setStandardError(void) { packaged_stderr = stderr; }

// The main function of the Swift module `atelier`. SwiftPM gives the main function of a program this name.
int atelier_main(int count, char **words);

__attribute__((visibility("hidden"))) int main(int count, char **words) {
  return atelier_main(count, words);
}
