// The library for BLAS and LAPACK, opened at run time.

#pragma once

/// Returns a function of OpenBLAS or, without it, of Debian's reference BLAS and LAPACK. Returns NULL if neither has it.
/// The first such failure is reported on standard error.
void *linearAlgebraFunction(const char *name);
