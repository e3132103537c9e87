// Calls of functions that take and return vectors in registers.
//
// Clang passes vectors by the rules of the file's instruction set, and not of the calling function's instruction set.
// The files of this target are compiled for plain x86-64, so they cannot call a function of libmvec that takes 32 or 64
// bytes.

#pragma once

#if defined(__x86_64__)

extern "C" {

/// A function of libmvec: x86's vector function ABI passes its arguments in the first vector registers.
typedef void VectorFunction();

/// Returns a function of libmvec, or NULL if libmvec has no function of this name. The first call opens libmvec.
VectorFunction *vectorFunction(const char *name);

/// to[i] = function(from[i]) for `count` vectors of 16, 32 or 64 bytes, count > 0.
void accelerate_map_16(void *to, const void *from, long count, VectorFunction *function);
void accelerate_map_32(void *to, const void *from, long count, VectorFunction *function);
void accelerate_map_64(void *to, const void *from, long count, VectorFunction *function);

/// to[i] = function(first[i], second[i]) for `count` vectors of 16, 32 or 64 bytes, count > 0. `step` is the distance
/// between vectors of `second` in bytes, or 0 to use the same vector every time.
void accelerate_combine_16(
    void *to, const void *first, const void *second, long step, long count, VectorFunction *function);
void accelerate_combine_32(
    void *to, const void *first, const void *second, long step, long count, VectorFunction *function);
void accelerate_combine_64(
    void *to, const void *first, const void *second, long step, long count, VectorFunction *function);
}

#endif
