// Binds functions of the C library to their old versions. The newest versions need a later glibc than 2.34, the oldest
// on which the installed program runs. The old versions compute the same values.

#define HIDDEN __attribute__((visibility("hidden")))

double former_hypot(double x, double y);
float former_hypotf(float x, float y);
__asm__(".symver former_hypot, hypot@GLIBC_2.2.5");
__asm__(".symver former_hypotf, hypotf@GLIBC_2.2.5");

HIDDEN double hypot(double x, double y) { return former_hypot(x, y); }
HIDDEN float hypotf(float x, float y) { return former_hypotf(x, y); }
