// vDSP's reductions, made from the lists in vDSP_reductions.h. A contiguous vector is summed in blocks: the sums of a
// block are in the vector's precision, and the sum of all blocks in double precision.

constexpr long blockSize = 4096;

/// Defines NAME<T>, the sum of `term` over the vectors, in double precision. READ(i) declares the values that the term
/// uses; LANES(i) declares them for a vector of 64 bytes.
#define CA_SUM(name, PARAMETERS, isContiguous, LANES, READ, term) \
  template <class T> \
  double name(PARAMETERS(T)) { \
    double total = 0; \
    const long count = long(N); \
    if (isContiguous) { \
      constexpr long width = laneCount<T>; \
      for (long start = 0; start < count; start += blockSize) { \
        const long end = smaller(start + blockSize, count); \
        Lanes<T> sums[4] = {}; \
        long i = start; \
        for (; i + 4 * width <= end; i += 4 * width) { \
          for (long part = 0; part < 4; part++) { \
            LANES(i + part * width) \
            sums[part] += term; \
          } \
        } \
        for (; i + width <= end; i += width) { \
          LANES(i) \
          sums[0] += term; \
        } \
        const Lanes<T> all = (sums[0] + sums[1]) + (sums[2] + sums[3]); \
        T sum = 0; \
        for (long lane = 0; lane < width; lane++) sum += all[lane]; \
        for (; i < end; i++) { \
          READ(i, 1, 1) \
          sum += term; \
        } \
        total += double(sum); \
      } \
    } else { \
      for (long i = 0; i < count; i++) { \
        READ(i, IA, IB) \
        total += double(term); \
      } \
    } \
    return total; \
  }

#define CA_ONE_VECTOR(T) const T *A, vDSP_Stride IA, vDSP_Length N, [[maybe_unused]] vDSP_Stride IB = 1
#define CA_ONE_LANES(i) const Lanes<T> a = load<T>(A + (i));
#define CA_ONE_READ(i, IA, IB) const T a = A[(i) * (IA)];
#define F(name, term) CA_SUM(name, CA_ONE_VECTOR, IA == 1, CA_ONE_LANES, CA_ONE_READ, (term))
VDSP_SUM_FUNCTIONS(F)
#undef F

#define CA_TWO_VECTORS(T) const T *A, vDSP_Stride IA, const T *B, vDSP_Stride IB, vDSP_Length N
#define CA_TWO_LANES(i) const Lanes<T> a = load<T>(A + (i)), b = load<T>(B + (i));
#define CA_TWO_READ(i, IA, IB) const T a = A[(i) * (IA)], b = B[(i) * (IB)];
CA_SUM(dotpr, CA_TWO_VECTORS, IA == 1 && IB == 1, CA_TWO_LANES, CA_TWO_READ, (a * b))
CA_SUM(distancesq, CA_TWO_VECTORS, IA == 1 && IB == 1, CA_TWO_LANES, CA_TWO_READ, ((a - b) * (a - b)))

#undef CA_SUM

/// The sum of (a - mean)².
template <class T>
double squaredDeviations(const T *A, vDSP_Stride IA, T mean, vDSP_Length N) {
  double total = 0;
  const long count = long(N);
  long i = 0;
  if (IA == 1) {
    constexpr long width = laneCount<T>;
    for (; i + width <= count;) {
      const long end = smaller(i + blockSize, count);
      Lanes<T> sum = {};
      for (; i + width <= end; i += width) {
        const Lanes<T> difference = load<T>(A + i) - mean;
        sum += difference * difference;
      }
      for (long lane = 0; lane < width; lane++) total += double(sum[lane]);
    }
  }
  for (; i < count; i++) total += (double(A[i * IA]) - double(mean)) * (double(A[i * IA]) - double(mean));
  return total;
}

/// Defines NAME<T>, the first extreme and its index.
#define F(name, value, comparison, first) \
  template <class T> \
  CA_INLINE T name##Block(const T *A, long start, long end) { \
    constexpr long width = laneCount<T>; \
    [[maybe_unused]] constexpr T infinity = std::numeric_limits<T>::infinity(); \
    Lanes<T> bests[4]; \
    for (long part = 0; part < 4; part++) bests[part] = T(first); \
    long i = start; \
    for (; i + 4 * width <= end; i += 4 * width) { \
      for (long part = 0; part < 4; part++) { \
        const Lanes<T> a = load<T>(A + i + part * width); \
        const Lanes<T> candidate = value; \
        bests[part] = (candidate comparison bests[part]) ? candidate : bests[part]; \
      } \
    } \
    T best = T(first); \
    for (long part = 0; part < 4; part++) \
      for (long lane = 0; lane < width; lane++) \
        if (bests[part][lane] comparison best) best = bests[part][lane]; \
    for (; i < end; i++) { \
      const T a = A[i]; \
      const T candidate = value; \
      if (candidate comparison best) best = candidate; \
    } \
    return best; \
  } \
  template <class T> \
  T name(const T *A, vDSP_Stride IA, vDSP_Length N) { \
    [[maybe_unused]] constexpr T infinity = std::numeric_limits<T>::infinity(); \
    if (IA == 1) return name##Block<T>(A, 0, long(N)); \
    T best = T(first); \
    for (long i = 0; i < long(N); i++) { \
      const T a = A[i * IA]; \
      const T candidate = value; \
      if (candidate comparison best) best = candidate; \
    } \
    return best; \
  } \
  template <class T> \
  T name##i(const T *A, vDSP_Stride IA, vDSP_Length *I, vDSP_Length N) { \
    [[maybe_unused]] constexpr T infinity = std::numeric_limits<T>::infinity(); \
    const long count = long(N); \
    T best = T(first); \
    long from = 0, to = count; \
    if (IA == 1) { \
      to = smaller(blockSize, count); \
      for (long start = 0; start < count; start += blockSize) { \
        const long end = smaller(start + blockSize, count); \
        const T candidate = name##Block<T>(A, start, end); \
        if (candidate comparison best) best = candidate, from = start, to = end; \
      } \
    } else { \
      best = name<T>(A, IA, N); \
    } \
    if (IA == 1) { \
      constexpr long width = laneCount<T>; \
      const Lanes<T> bests = best; \
      for (; from + width <= to; from += width) { \
        const Lanes<T> a = load<T>(A + from); \
        if (__builtin_reduce_or((value) == bests)) break; \
      } \
    } \
    vDSP_Length index = 0; \
    for (long i = from; i < to; i++) { \
      const T a = A[i * IA]; \
      if ((value) == best) { \
        index = vDSP_Length(i * IA); \
        break; \
      } \
    } \
    *I = index; \
    return best; \
  }
VDSP_EXTREME_FUNCTIONS(F)
#undef F
