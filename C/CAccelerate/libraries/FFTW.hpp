// FFTW, opened at run time: plans of one-dimensional transforms.

#pragma once

#include <cstddef>

namespace fftw {

enum class Kind { complexForward, complexInverse, realForward, realInverse, cosine2, cosine3, cosine4 };

/// A plan of the library, for one length and kind. Plans are never freed: a process uses few.
struct Plan;

/// Returns the plan for `count` numbers (real numbers for real transforms), or NULL if the library cannot be opened or
/// has no plan. The first such failure prints a message to standard error.
template <class T>
const Plan *plan(Kind kind, long count);

/// Returns two buffers of this thread. Each has space for `count` numbers and the alignment that plans need. Returns
/// NULL if there is no memory.
template <class T>
T *buffers(long count, T *&second);

/// Computes a transform out of place. A complex number is a pair of numbers. The spectrum of a real vector has count /
/// 2 + 1 complex numbers. The transform may overwrite the input. Input and output must be buffers from `buffers`.
template <class T>
void execute(const Plan *plan, Kind kind, T *input, T *output);

}  // namespace fftw
