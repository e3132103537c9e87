/// Converts a number to an integer type. Numbers outside the type's range become its smallest or greatest value. NaN
/// becomes 0.
template <class Integer, class T>
CA_INLINE Integer toInteger(T x) {
  // The bounds are computed in double precision, which represents all 32-bit integers.
  constexpr double least = double(std::numeric_limits<Integer>::min());
  constexpr double most = double(std::numeric_limits<Integer>::max());
  const double number = x == x ? double(x) : 0.0;
  const double bounded = number < least ? least : (number > most ? most : number);
  if constexpr (std::is_same_v<Integer, unsigned int>) return Integer(int64_t(bounded));
  return Integer(int(bounded));
}

/// As toInteger, in single precision: the bounds ±2³¹ are exact.
CA_INLINE int toInt(float x) {
  constexpr float bound = 2147483648.0f;
  const int number = int(x >= -bound && x < bound ? x : 0.0f);
  if (x >= bound) return std::numeric_limits<int>::max();
  return x < -bound ? std::numeric_limits<int>::min() : number;
}

/// Converts to an integer type of at most 16 bits. All bounds are exact in T.
template <class Integer, class T>
CA_INLINE Integer toShortInteger(T x) {
  constexpr T least = T(std::numeric_limits<Integer>::min()), most = T(std::numeric_limits<Integer>::max());
  const T number = x == x ? x : T(0);
  const T raised = number < least ? least : number;
  return Integer(int(raised > most ? most : raised));
}

template <class From, class To, bool rounds>
CA_INLINE To converted(From x) {
  if constexpr (std::is_floating_point_v<To>) {
    return To(x);
  } else {
    const From number = rounds ? __builtin_elementwise_roundeven(x) : x;
    if constexpr (sizeof(To) <= 2) return toShortInteger<To, From>(number);
    if constexpr (std::is_same_v<To, int> && std::is_same_v<From, float>) return toInt(number);
    return toInteger<To, From>(number);
  }
}

#if CA_LEVEL == 2
/// Converts floats to integers, as toInt, 16 at a time. Returns how many are converted.
template <bool rounds>
long toInts(const float *A, int *C, long count) {
  const __m512 bound = _mm512_set1_ps(2147483648.0f);
  const __m512i most = _mm512_set1_epi32(std::numeric_limits<int>::max());
  long i = 0;
  for (; i + 16 <= count; i += 16) {
    __m512 x = _mm512_loadu_ps(A + i);
    if (rounds) x = _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT);
    // Numbers below -2^31 become the smallest integer, and so does NaN, for which the mask puts 0.
    const __m512i numbers = _mm512_maskz_cvttps_epi32(_mm512_cmp_ps_mask(x, x, _CMP_ORD_Q), x);
    const __mmask16 isAbove = _mm512_cmp_ps_mask(x, bound, _CMP_GE_OQ);
    _mm512_storeu_si512(C + i, _mm512_mask_mov_epi32(numbers, isAbove, most));
  }
  return i;
}
#endif

template <class From, class To, bool rounds>
void convert(const From *A, vDSP_Stride IA, To *C, vDSP_Stride IC, vDSP_Length N) {
  if (IA == 1 && IC == 1) {
    // Without CA_VECTOR_LOOP: the elements of the vectors have different sizes, so the vectors must not overlap anyway.
    vDSP_Length i = 0;
#if CA_LEVEL == 2
    if constexpr (std::is_same_v<To, int> && std::is_same_v<From, float>)
      i = vDSP_Length(toInts<rounds>(A, C, long(N)));
#endif
    for (; i < N; i++) C[i] = converted<From, To, rounds>(A[i]);
  } else {
    for (long i = 0; i < long(N); i++) C[i * IC] = converted<From, To, rounds>(A[i * IA]);
  }
}
