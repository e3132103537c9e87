// vDSP's elementwise functions, made from the lists in vDSP_elementwise.h.

/// Defines NAME<T>(PARAMETERS) with one loop for contiguous vectors and one for any strides. READ declares the values
/// that the formula uses.
#define CA_ELEMENTWISE(name, PARAMETERS, ARGUMENTS, isContiguous, READ, result, resultStride, formula) \
  template <class T, bool unit> \
  CA_INLINE void name##Run(PARAMETERS(T)) { \
    if (unit) { \
      CA_VECTOR_LOOP for (vDSP_Length i = 0; i < N; i++) { \
        READ \
        result[i] = formula; \
      } \
    } else { \
      for (vDSP_Stride i = 0; i < vDSP_Stride(N); i++) { \
        READ \
        result[i * resultStride] = formula; \
      } \
    } \
  } \
  template <class T> \
  void name(PARAMETERS(T)) { \
    isContiguous ? name##Run<T, true> ARGUMENTS : name##Run<T, false> ARGUMENTS; \
  }

#define CA_VALUE(variable, array, stride) \
  [[maybe_unused]] const T variable = unit ? array[i] : array[vDSP_Stride(i) * stride];
#define CA_SCALAR(variable, pointer) [[maybe_unused]] const T variable = pointer##Value;

#define CA_UNARY_ARGUMENTS (A, IA, C, IC, N)
#define F(name, formula) \
  CA_ELEMENTWISE(name, VDSP_UNARY, CA_UNARY_ARGUMENTS, IA == 1 && IC == 1, CA_VALUE(a, A, IA), C, IC, (formula))
VDSP_UNARY_FUNCTIONS(F)
#undef F

#define CA_BINARY_ARGUMENTS (A, IA, B, IB, C, IC, N)
#define F(name, formula) \
  CA_ELEMENTWISE(name, VDSP_BINARY, CA_BINARY_ARGUMENTS, IA == 1 && IB == 1 && IC == 1, \
      CA_VALUE(a, A, IA) CA_VALUE(b, B, IB), C, IC, (formula))
VDSP_BINARY_FUNCTIONS(F)
#undef F

// The kernels get scalars by value, because the result may overwrite the caller's scalars.

#define CA_VALUE_SCALAR(T) const T *A, vDSP_Stride IA, T BValue, T *C, vDSP_Stride IC, vDSP_Length N
#define CA_VECTOR_SCALAR_ARGUMENTS (A, IA, BValue, C, IC, N)
#define F(name, formula) \
  CA_ELEMENTWISE(name, CA_VALUE_SCALAR, CA_VECTOR_SCALAR_ARGUMENTS, IA == 1 && IC == 1, \
      CA_VALUE(a, A, IA) CA_SCALAR(b, B), C, IC, (formula))
VDSP_VECTOR_SCALAR_FUNCTIONS(F)
F(svdiv, b / a)
#undef F

#define CA_TWO_SCALARS(T) \
  const T *A, vDSP_Stride IA, T BValue, T CValue, T *D, vDSP_Stride ID, vDSP_Length N
#define CA_TWO_SCALARS_ARGUMENTS (A, IA, BValue, CValue, D, ID, N)
#define F(name, formula) \
  CA_ELEMENTWISE(name, CA_TWO_SCALARS, CA_TWO_SCALARS_ARGUMENTS, IA == 1 && ID == 1, \
      CA_VALUE(a, A, IA) CA_SCALAR(b, B) CA_SCALAR(c, C), D, ID, (formula))
VDSP_VECTOR_TWO_SCALARS_FUNCTIONS(F)
#undef F

#define CA_TWO_VECTORS_SCALAR(T) \
  const T *A, vDSP_Stride IA, const T *B, vDSP_Stride IB, T CValue, T *D, vDSP_Stride ID, vDSP_Length N
#define CA_TWO_VECTORS_SCALAR_ARGUMENTS (A, IA, B, IB, CValue, D, ID, N)
#define F(name, formula) \
  CA_ELEMENTWISE(name, CA_TWO_VECTORS_SCALAR, CA_TWO_VECTORS_SCALAR_ARGUMENTS, \
      IA == 1 && IB == 1 && ID == 1, CA_VALUE(a, A, IA) CA_VALUE(b, B, IB) CA_SCALAR(c, C), D, ID, (formula))
VDSP_TWO_VECTORS_SCALAR_FUNCTIONS(F)
#undef F

#define CA_VECTOR_SCALAR_VECTOR(T) \
  const T *A, vDSP_Stride IA, T BValue, const T *C, vDSP_Stride IC, T *D, vDSP_Stride ID, vDSP_Length N
#define CA_VECTOR_SCALAR_VECTOR_ARGUMENTS (A, IA, BValue, C, IC, D, ID, N)
#define F(name, formula) \
  CA_ELEMENTWISE(name, CA_VECTOR_SCALAR_VECTOR, CA_VECTOR_SCALAR_VECTOR_ARGUMENTS, \
      IA == 1 && IC == 1 && ID == 1, CA_VALUE(a, A, IA) CA_SCALAR(b, B) CA_VALUE(c, C, IC), D, ID, (formula))
VDSP_VECTOR_SCALAR_VECTOR_FUNCTIONS(F)
#undef F

#define CA_THREE_VECTORS_ARGUMENTS (A, IA, B, IB, C, IC, D, ID, N)
#define F(name, formula) \
  CA_ELEMENTWISE(name, VDSP_THREE_VECTORS, CA_THREE_VECTORS_ARGUMENTS, \
      IA == 1 && IB == 1 && IC == 1 && ID == 1, \
      CA_VALUE(a, A, IA) CA_VALUE(b, B, IB) CA_VALUE(c, C, IC), D, ID, (formula))
VDSP_THREE_VECTORS_FUNCTIONS(F)
#undef F

#define CA_FOUR_VECTORS_ARGUMENTS (A, IA, B, IB, C, IC, D, ID, E, IE, N)
#define F(name, formula) \
  CA_ELEMENTWISE(name, VDSP_FOUR_VECTORS, CA_FOUR_VECTORS_ARGUMENTS, \
      IA == 1 && IB == 1 && IC == 1 && ID == 1 && IE == 1, \
      CA_VALUE(a, A, IA) CA_VALUE(b, B, IB) CA_VALUE(c, C, IC) CA_VALUE(d, D, ID), E, IE, (formula))
VDSP_FOUR_VECTORS_FUNCTIONS(F)
#undef F

#define CA_SCALED_SUM(T) \
  const T *A, vDSP_Stride IA, T BValue, const T *C, vDSP_Stride IC, T DValue, T *E, vDSP_Stride IE, vDSP_Length N
#define CA_SCALED_SUM_ARGUMENTS (A, IA, BValue, C, IC, DValue, E, IE, N)
CA_ELEMENTWISE(vsmsma, CA_SCALED_SUM, CA_SCALED_SUM_ARGUMENTS, IA == 1 && IC == 1 && IE == 1,
    CA_VALUE(a, A, IA) CA_VALUE(c, C, IC) CA_SCALAR(b, B) CA_SCALAR(d, D), E, IE, (a * b + c * d))

template <class T>
void vclipc(
    const T *A, vDSP_Stride IA, T least, T most, T *D, vDSP_Stride ID, vDSP_Length N,
    vDSP_Length *below, vDSP_Length *above) {
  vDSP_Length low = 0, high = 0;
  for (vDSP_Stride i = 0; i < vDSP_Stride(N); i++) {
    const T a = A[i * IA];
    low += a < least;
    high += a > most;
    D[i * ID] = clipped(a, least, most);
  }
  *below = low;
  *above = high;
}

// Integers.

#define CA_INTEGERS(name, PARAMETERS, ARGUMENTS, isContiguous, READ, formula) \
  CA_ELEMENTWISE(name##Any, PARAMETERS, ARGUMENTS, isContiguous, READ, C, IC, formula) \
  inline void name(PARAMETERS(int)) { name##Any<int> ARGUMENTS; }

CA_INTEGERS(vaddi, VDSP_BINARY, CA_BINARY_ARGUMENTS, IA == 1 && IB == 1 && IC == 1,
    CA_VALUE(a, A, IA) CA_VALUE(b, B, IB), int(unsigned(a) + unsigned(b)))
CA_INTEGERS(veqvi, VDSP_BINARY, CA_BINARY_ARGUMENTS, IA == 1 && IB == 1 && IC == 1,
    CA_VALUE(a, A, IA) CA_VALUE(b, B, IB), ~(a ^ b))
CA_INTEGERS(vdivi, VDSP_BINARY, CA_BINARY_ARGUMENTS, false,
    CA_VALUE(a, A, IA) CA_VALUE(b, B, IB), (a == 0 ? 0 : int(int64_t(b) / a)))
CA_INTEGERS(vsaddi, CA_VALUE_SCALAR, CA_VECTOR_SCALAR_ARGUMENTS, IA == 1 && IC == 1,
    CA_VALUE(a, A, IA) CA_SCALAR(b, B), int(unsigned(a) + unsigned(b)))
CA_INTEGERS(vsdivi, CA_VALUE_SCALAR, CA_VECTOR_SCALAR_ARGUMENTS, false,
    CA_VALUE(a, A, IA) CA_SCALAR(b, B), (b == 0 ? 0 : int(int64_t(a) / b)))
CA_INTEGERS(vabsi, VDSP_UNARY, CA_UNARY_ARGUMENTS, IA == 1 && IC == 1,
    CA_VALUE(a, A, IA), (a < 0 ? int(0u - unsigned(a)) : a))

#undef CA_INTEGERS
#undef CA_ELEMENTWISE
#undef CA_VALUE
#undef CA_SCALAR
