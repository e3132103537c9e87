// Functions of complex vectors. Each formula computes the real part x and the imaginary part y of an element of the
// result. A real result has only x. The parts of the arguments are a and b (of A), c and d (of B), and e and f (of C).

#define CA_COMPLEX(name, PARAMETERS, ARGUMENTS, isContiguous, READ, COMPUTE) \
  template <class T, bool unit> \
  CA_INLINE void name##Run(PARAMETERS) { \
    if (unit) { \
      CA_VECTOR_LOOP for (long i = 0; i < N; i++) { READ(1, 1, 1) COMPUTE } \
    } else { \
      for (long i = 0; i < N; i++) { READ(IA, IB, IC) COMPUTE } \
    } \
  } \
  template <class T> \
  void name(PARAMETERS) { \
    isContiguous ? name##Run<T, true> ARGUMENTS : name##Run<T, false> ARGUMENTS; \
  }

// Functions from a complex vector to a real vector.
#define CA_TO_REAL const T *Ar, const T *Ai, long IA, const T *B, long IB, T *C, long IC, long N
#define CA_TO_REAL_ARGUMENTS (Ar, Ai, IA, B, IB, C, IC, N)
#define CA_READ_REAL(IA, IB, IC) \
  const T a = Ar[i * (IA)], b = Ai[i * (IA)]; \
  T *const to = C + i * (IC); \
  [[maybe_unused]] const T *const real = B + i * (IB);
#define F(name, formula) \
  CA_COMPLEX(name, CA_TO_REAL, CA_TO_REAL_ARGUMENTS, IA == 1 && IB == 1 && IC == 1, CA_READ_REAL, \
      *to = (formula);)
F(zvabs, squareRoot(a * a + b * b))
F(zvmags, a * a + b * b)
F(zvmgsa, a * a + b * b + *real)
#undef F

// Functions from two complex vectors to a complex vector.
#define CA_TO_COMPLEX \
  const T *Ar, const T *Ai, long IA, const T *Br, const T *Bi, long IB, T *Cr, T *Ci, long IC, long N
#define CA_TO_COMPLEX_ARGUMENTS (Ar, Ai, IA, Br, Bi, IB, Cr, Ci, IC, N)
#define CA_READ_COMPLEX(IA, IB, IC) \
  [[maybe_unused]] const T a = Ar[i * (IA)], b = Ai[i * (IA)], c = Br[i * (IB)], d = Bi[i * (IB)]; \
  T *const xTo = Cr + i * (IC), *const yTo = Ci + i * (IC);
#define F(name, xFormula, yFormula) \
  CA_COMPLEX(name, CA_TO_COMPLEX, CA_TO_COMPLEX_ARGUMENTS, IA == 1 && IB == 1 && IC == 1, CA_READ_COMPLEX, \
      const T x = (xFormula); const T y = (yFormula); *xTo = x; *yTo = y;)
F(zvmov, a, b)
F(zvconj, a, -b)
F(zvneg, -a, -b)
F(zvadd, a + c, b + d)
F(zvsub, a - c, b - d)
F(zvmul, a * c - b * d, a * d + b * c)
F(zvcmul, a * c + b * d, a * d - b * c)
F(zvdiv, (c * a + d * b) / (a * a + b * b), (d * a - c * b) / (a * a + b * b))
F(zrvmul, a * c, b * c)
F(zrvdiv, a / c, b / c)
#undef F
#undef CA_COMPLEX

/// Splits pairs of numbers into two vectors.
template <class T>
void split(const T *C, long IC, T *Zr, T *Zi, long IZ, long N) {
  if (IC == 2 && IZ == 1) {
    CA_VECTOR_LOOP for (long i = 0; i < N; i++) {
      const T x = C[2 * i], y = C[2 * i + 1];
      Zr[i] = x;
      Zi[i] = y;
    }
  } else {
    for (long i = 0; i < N; i++) {
      const T x = C[i * IC], y = C[i * IC + 1];
      Zr[i * IZ] = x;
      Zi[i * IZ] = y;
    }
  }
}

/// Joins two vectors to pairs of numbers.
template <class T>
void join(const T *Zr, const T *Zi, long IZ, T *C, long IC, long N) {
  if (IC == 2 && IZ == 1) {
    CA_VECTOR_LOOP for (long i = 0; i < N; i++) {
      const T x = Zr[i], y = Zi[i];
      C[2 * i] = x;
      C[2 * i + 1] = y;
    }
  } else {
    for (long i = 0; i < N; i++) {
      const T x = Zr[i * IZ], y = Zi[i * IZ];
      C[i * IC] = x;
      C[i * IC + 1] = y;
    }
  }
}
