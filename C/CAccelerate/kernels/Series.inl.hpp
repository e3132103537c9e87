// Ramps, correlations, sorted numbers and transposed matrices.

#include "kernels/Sorting.inl.hpp"

/// C[n] = start + n step.
template <class T>
void ramp(T start, T step, T *C, vDSP_Stride IC, long N) {
  if (IC == 1) {
    long n = 0;
    for (; n + laneCount<T> <= N; n += laneCount<T>) {
      Lanes<T> index;
      for (long lane = 0; lane < laneCount<T>; lane++) index[lane] = T(lane);
      // The index is exact up to 2^24 in single precision.
      store<T>(C + n, start + (index + T(n)) * step);
    }
    for (; n < N; n++) C[n] = start + T(n) * step;
  } else {
    for (long n = 0; n < N; n++) C[n * IC] = start + T(n) * step;
  }
}

template <class T>
CA_INLINE Lanes<T> reversed(Lanes<T> x) {
  if constexpr (laneCount<T> == 16) {
    return __builtin_shufflevector(x, x, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  } else {
    return __builtin_shufflevector(x, x, 7, 6, 5, 4, 3, 2, 1, 0);
  }
}

/// Reverses the order of the elements.
template <class T>
void reverse(T *C, long N) {
  long first = 0, last = N;
  for (; last - first >= 2 * laneCount<T>; first += laneCount<T>, last -= laneCount<T>) {
    const Lanes<T> front = load<T>(C + first), back = load<T>(C + last - laneCount<T>);
    store<T>(C + first, reversed<T>(back));
    store<T>(C + last - laneCount<T>, reversed<T>(front));
  }
  std::reverse(C + first, C + last);
}

/// C[n] = the sum of A[n + p] F[p]. C overlaps no argument.
template <class T>
void correlate(const T *A, const T *F, vDSP_Stride IF, T *C, long N, long P) {
  constexpr long width = 2 * laneCount<T>;
  long n = 0;
  for (; n + width <= N; n += width) {
    Lanes<T> first = {}, second = {};
    for (long p = 0; p < P; p++) {
      first += load<T>(A + n + p) * F[p * IF];
      second += load<T>(A + n + p + laneCount<T>) * F[p * IF];
    }
    store<T>(C + n, first);
    store<T>(C + n + laneCount<T>, second);
  }
  for (; n < N; n++) {
    T sum = 0;
    for (long p = 0; p < P; p++) sum += A[n + p] * F[p * IF];
    C[n] = sum;
  }
}

/// C[m][n] = A[n][m] for 8 × 8 elements. Each of the three steps exchanges halves of vectors.
template <class T>
CA_INLINE void transposeBlock(const T *A, long aRow, T *C, long cRow) {
  typedef T Row __attribute__((ext_vector_type(8)));
  Row rows[8], mixed[8];
  for (long i = 0; i < 8; i++) memcpy(&rows[i], A + i * aRow, sizeof(Row));
  for (long i = 0; i < 4; i++) {
    mixed[2 * i] = __builtin_shufflevector(rows[i], rows[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
    mixed[2 * i + 1] = __builtin_shufflevector(rows[i], rows[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
  }
  for (long i = 0; i < 4; i++) {
    rows[2 * i] = __builtin_shufflevector(mixed[i], mixed[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
    rows[2 * i + 1] = __builtin_shufflevector(mixed[i], mixed[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
  }
  for (long i = 0; i < 4; i++) {
    mixed[2 * i] = __builtin_shufflevector(rows[i], rows[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
    mixed[2 * i + 1] = __builtin_shufflevector(rows[i], rows[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
  }
  for (long i = 0; i < 8; i++) memcpy(C + i * cRow, &mixed[i], sizeof(Row));
}

/// C[m][n] = A[n][m].
template <class T>
void transpose(const T *A, vDSP_Stride IA, T *C, vDSP_Stride IC, long M, long N) {
  const bool isContiguous = IA == 1 && IC == 1;
  for (long m = 0; m < M; m += 8) {
    for (long n = 0; n < N; n += 8) {
      if (isContiguous && m + 8 <= M && n + 8 <= N) {
        transposeBlock<T>(A + n * M + m, M, C + m * N + n, N);
        continue;
      }
      for (long row = m; row < smaller(m + 8, M); row++)
        for (long column = n; column < smaller(n + 8, N); column++)
          C[(row * N + column) * IC] = A[(column * M + row) * IA];
    }
  }
}
