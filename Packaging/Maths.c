// Functions of the C library whose newest versions are younger than the oldest system on which the installed program
// runs (glibc 2.34). The versions from before compute the same values.

#define HIDDEN __attribute__((visibility("hidden")))

double former_hypot(double x, double y);
float former_hypotf(float x, float y);
__asm__(".symver former_hypot, hypot@GLIBC_2.2.5");
__asm__(".symver former_hypotf, hypotf@GLIBC_2.2.5");

HIDDEN double hypot(double x, double y) { return former_hypot(x, y); }
HIDDEN float hypotf(float x, float y) { return former_hypotf(x, y); }
