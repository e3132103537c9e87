/// Sets ATELIER_TUNING to `off` when the tests' program is loaded, unless the caller has set it: the tests, and the
/// programs that they start, choose kernels in the fixed order. All tests are one program, so that one target that
/// depends on this one is enough.
