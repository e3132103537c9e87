// The library for BLAS and LAPACK, opened at run time.

#pragma once

/// Returns a function of OpenBLAS or, without it, of Debian's reference BLAS and LAPACK. Returns NULL if neither
/// library has the function. The first such failure prints a message to standard error.
void *linearAlgebraFunction(const char *name);
