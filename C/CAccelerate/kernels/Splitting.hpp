// Conversions between arrays of complex numbers and pairs of vectors (Complex.cpp).

#pragma once

/// Splits pairs of numbers, IC apart, into two vectors of stride IZ.
void splitNumbers(const float *C, long IC, float *Zr, float *Zi, long IZ, long N);
void splitNumbers(const double *C, long IC, double *Zr, double *Zi, long IZ, long N);
/// Joins two vectors of stride IZ to pairs of numbers, IC apart.
void joinNumbers(const float *Zr, const float *Zi, long IZ, float *C, long IC, long N);
void joinNumbers(const double *Zr, const double *Zi, long IZ, double *C, long IC, long N);
