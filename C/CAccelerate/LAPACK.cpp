#include "accelerate_lapack.h"

#include "libraries/LinearAlgebra.hpp"

extern "C" {

#define F(name, parameters, arguments) \
  int name parameters { \
    static const auto function = reinterpret_cast<void(*) parameters>(linearAlgebraFunction(#name)); \
    if (function) { \
      function arguments; \
    } else { \
      *info = -1000; \
    } \
    return *info; \
  }
LAPACK_FUNCTIONS(F, float, s)
LAPACK_FUNCTIONS(F, double, d)
#undef F
}
