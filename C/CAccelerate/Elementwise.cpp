#include "vDSP_elementwise.h"

#include "kernels/Common.hpp"

#define CA_KERNELS "kernels/Elementwise.inl.hpp"
#include "kernels/Instances.hpp"

// Defines vDSP_name and vDSP_nameD by the kernel `name`, with ARGUMENTS between the first and the last parameter.
#define DEFINE_BOTH(name, PARAMETERS, ...) \
  void vDSP_##name(PARAMETERS(float)) { CA_CALL(name<float>(__VA_ARGS__)) } \
  void vDSP_##name##D(PARAMETERS(double)) { CA_CALL(name<double>(__VA_ARGS__)) }

extern "C" {

#define F(name, formula) DEFINE_BOTH(name, VDSP_UNARY, A, IA, C, IC, N)
VDSP_UNARY_FUNCTIONS(F)
#undef F
#define F(name, formula) DEFINE_BOTH(name, VDSP_BINARY, A, IA, B, IB, C, IC, N)
VDSP_BINARY_FUNCTIONS(F)
#undef F
#define F(name, formula) DEFINE_BOTH(name, VDSP_VECTOR_SCALAR, A, IA, *B, C, IC, N)
VDSP_VECTOR_SCALAR_FUNCTIONS(F)
#undef F
#define F(name, formula) DEFINE_BOTH(name, VDSP_VECTOR_TWO_SCALARS, A, IA, *B, *C, D, ID, N)
VDSP_VECTOR_TWO_SCALARS_FUNCTIONS(F)
#undef F
#define F(name, formula) DEFINE_BOTH(name, VDSP_TWO_VECTORS_SCALAR, A, IA, B, IB, *C, D, ID, N)
VDSP_TWO_VECTORS_SCALAR_FUNCTIONS(F)
#undef F
#define F(name, formula) DEFINE_BOTH(name, VDSP_VECTOR_SCALAR_VECTOR, A, IA, *B, C, IC, D, ID, N)
VDSP_VECTOR_SCALAR_VECTOR_FUNCTIONS(F)
#undef F
#define F(name, formula) DEFINE_BOTH(name, VDSP_THREE_VECTORS, A, IA, B, IB, C, IC, D, ID, N)
VDSP_THREE_VECTORS_FUNCTIONS(F)
#undef F
#define F(name, formula) DEFINE_BOTH(name, VDSP_FOUR_VECTORS, A, IA, B, IB, C, IC, D, ID, E, IE, N)
VDSP_FOUR_VECTORS_FUNCTIONS(F)
#undef F

#define SCALAR_VECTOR(T) const T *A, const T *B, vDSP_Stride IB, T *C, vDSP_Stride IC, vDSP_Length N
DEFINE_BOTH(svdiv, SCALAR_VECTOR, B, IB, *A, C, IC, N)

#define SCALED_SUM(T) \
  const T *A, vDSP_Stride IA, const T *B, const T *C, vDSP_Stride IC, const T *D, T *E, vDSP_Stride IE, \
      vDSP_Length N
DEFINE_BOTH(vsmsma, SCALED_SUM, A, IA, *B, C, IC, *D, E, IE, N)

#define COUNTED_CLIP(T) \
  const T *A, vDSP_Stride IA, const T *B, const T *C, T *D, vDSP_Stride ID, vDSP_Length N, \
      vDSP_Length *NLow, vDSP_Length *NHigh
DEFINE_BOTH(vclipc, COUNTED_CLIP, A, IA, *B, *C, D, ID, N, NLow, NHigh)

void vDSP_vaddi(VDSP_BINARY(int)) { CA_CALL(vaddi(A, IA, B, IB, C, IC, N)) }
void vDSP_veqvi(VDSP_BINARY(int)) { CA_CALL(veqvi(A, IA, B, IB, C, IC, N)) }
void vDSP_vdivi(VDSP_BINARY(int)) { CA_CALL(vdivi(A, IA, B, IB, C, IC, N)) }
void vDSP_vsaddi(VDSP_VECTOR_SCALAR(int)) { CA_CALL(vsaddi(A, IA, *B, C, IC, N)) }
void vDSP_vsdivi(VDSP_VECTOR_SCALAR(int)) { CA_CALL(vsdivi(A, IA, *B, C, IC, N)) }
void vDSP_vabsi(VDSP_UNARY(int)) { CA_CALL(vabsi(A, IA, C, IC, N)) }

void vDSP_vfilli(const int *A, int *C, vDSP_Stride IC, vDSP_Length N) {
  const int value = *A;
  for (vDSP_Stride i = 0; i < vDSP_Stride(N); i++) C[i * IC] = value;
}
}
