/// Sets ATELIER_TUNING to `off` when the test program is loaded, unless the caller has set it. The tests, and the
/// programs that they start, then choose kernels in a fixed order and do not time them. All tests are linked into one
/// program, so it is enough that one test target depends on this library.
