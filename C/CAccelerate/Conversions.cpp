#include "vDSP_conversions.h"

#include <type_traits>

#include "kernels/Common.hpp"

#define CA_KERNELS "kernels/Conversions.inl.hpp"
#include "kernels/Instances.hpp"

#define DEFINE(name, From, To, rounds) \
  void vDSP_##name(const From *A, vDSP_Stride IA, To *C, vDSP_Stride IC, vDSP_Length N) { \
    CA_CALL(convert<From, To, rounds>(A, IA, C, IC, N)) \
  }

extern "C" {

#define F(suffix, Integer) \
  DEFINE(vfix##suffix, float, Integer, false) \
  DEFINE(vfix##suffix##D, double, Integer, false) \
  DEFINE(vfixr##suffix, float, Integer, true) \
  DEFINE(vfixr##suffix##D, double, Integer, true) \
  DEFINE(vflt##suffix, Integer, float, false) \
  DEFINE(vflt##suffix##D, Integer, double, false)
VDSP_INTEGER_TYPES(F)
#undef F

DEFINE(vdpsp, double, float, false)
DEFINE(vspdp, float, double, false)
}
