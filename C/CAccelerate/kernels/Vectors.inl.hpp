// Vectors of 64 bytes and functions of numbers and vectors, for one instruction set.

template <class T>
CA_INLINE Lanes<T> load(const T *from) {
  Lanes<T> lanes;
  memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

template <class T>
CA_INLINE void store(T *to, Lanes<T> lanes) {
  memcpy(to, &lanes, sizeof lanes);
}

template <class X>
CA_INLINE X magnitude(X x) {
  return __builtin_elementwise_abs(x);
}

template <class X>
CA_INLINE X truncated(X x) {
  return __builtin_elementwise_trunc(x);
}

template <class X>
CA_INLINE X squareRoot(X x) {
  return __builtin_elementwise_sqrt(x);
}

template <class T>
CA_INLINE T larger(T a, T b) {
  return a < b ? b : a;
}

template <class T>
CA_INLINE T smaller(T a, T b) {
  return b < a ? b : a;
}

template <class T>
CA_INLINE T clipped(T x, T least, T most) {
  const T raised = x < least ? least : x;
  return most < raised ? most : raised;
}
